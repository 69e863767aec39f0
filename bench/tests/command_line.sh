#!/usr/bin/env bash
# Drives the benchmarks as a user would: command_line.sh PROGRAM
mayfly=$1
# shellcheck source=props/tests/cli/driving.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../../props/tests/cli/driving.sh"

# A quick run, with all that it can write.
outputs=(--json figures.json)
if command -v gnuplot >/dev/null; then outputs+=(--html page.html); fi
run 0 --quick "${outputs[@]}"
[ -z "$(awk 'length > 80' out)" ] || fail "a line is longer than 80 columns: $(awk 'length > 80' out)"
workloads=$(grep -o '"name":"[^"]*"' figures.json | cut -d '"' -f 4)
[ "$(wc -w <<<"$workloads")" -ge 20 ] || fail "there are too few workloads: $workloads"
for workload in $workloads; do says "$workload (times are of" out; done
for peer in floor mayfly std::set std::priority_queue boost::heap::d_ary_heap boost::intrusive::multiset 'linked wheel' \
  'unordered_map + set' rc::state; do says "$peer" out; done
says '"version":1,' figures.json
says 'of ' err

if [ -e page.html ]; then
  for workload in $workloads; do says "<h2>$workload</h2>" page.html; done
  [ "$(grep -c "<svg role='img'" page.html)" -ge 14 ] || fail 'charts are missing'
  twice=$(grep -oE " id=['\"][^'\"]*" page.html | sort | uniq -d)
  [ -z "$twice" ] || fail "the page has two elements of one name: $twice"
  ! grep -E "(src|href)=['\"]?(http|//)" page.html || fail 'the page needs the network'
fi

# Google Benchmark's own options.
run 0 --quick --benchmark_filter='drain/std::set/1000$' --benchmark_repetitions=2
says 'drain (times' out
says 'floor' out
! grep -q 'linked wheel\|10,000\|fill' out || fail 'the filter lets others through'
run 0 --quick --benchmark_list_tests
says 'drain/std::set/1000' out
run 0 --quick --benchmark_filter=next/mayfly --benchmark_format=json --benchmark_min_time=0.001
says '"name": "next/mayfly/1000' out
run 0 --help
says '--quick' out
says '--benchmark_filter' out

# Bad usage is told before the run begins.
complains '"--nonsense" is not understood' --quick --nonsense
complains '--json needs a file' --json
complains '--json: /nowhere/x cannot be written' --json /nowhere/x
complains '--json: . is a directory' --json=.
complains '--benchmark_out: /nowhere/x cannot be written' --benchmark_out=/nowhere/x
complains '"[" is not a regular expression' --benchmark_filter='['
complains 'nothing matches "no such thing"' --benchmark_filter='no such thing'
complains 'must be console, json or csv' --benchmark_format=xml
complains 'do not go with' --benchmark_format=json --json x
PATH=/nowhere "$mayfly" --quick --html x.html 2>err
[ $? = 2 ] || fail 'a missing gnuplot is not bad usage'
says 'gnuplot' err
finish 'the benchmarks do as they are told'
