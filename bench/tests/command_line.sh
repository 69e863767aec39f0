#!/usr/bin/env bash
# Drives the benchmarks as a user would: command_line.sh PROGRAM
mayfly=$1
root=$(readlink -f -- "$(dirname -- "${BASH_SOURCE[0]}")/../..")
# shellcheck source=props/tests/cli/driving.sh
source "$root/props/tests/cli/driving.sh"

# A quick run with all its outputs.
outputs=(--json figures.json)
if command -v gnuplot >/dev/null; then outputs+=(--html page.html); fi
run 0 --quick "${outputs[@]}"
[ -z "$(awk 'length > 80' out)" ] || fail "a line is longer than 80 columns: $(awk 'length > 80' out)"
workloads=$(grep -o '"name":"[^"]*"' figures.json | cut -d '"' -f 4)
[ "$(wc -w <<<"$workloads")" -ge 20 ] || fail "there are too few workloads: $workloads"
for workload in $workloads; do
  says "$workload (times are of" out
  says "\`$workload\`" "$root/bench/BENCHMARKS.md"
done
for peer in floor touch mayfly std::set std::priority_queue boost::heap::d_ary_heap boost::intrusive::multiset 'linked wheel' \
  'unordered_map + set' rc::state; do says "$peer" out; done
says 'of ' err
says '--quick measures briefly' out

# The conditions, on the console, in the file and on the page.
commit=$(git -C "$root" describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null) || commit=unknown
for text in 'processor ' 'asserts o' "commit      $commit" 'huge pages' 'load '; do says "$text" out; done
json_says() {
  python3 -c "import json; j = json.load(open('figures.json')); assert $1" || fail "figures.json: $1"
}
json_says 'j["version"] == 2 and j["quick"] and not j["interrupted"] and j["bars"] == []'
json_says "j['machine']['commit'] == '$commit' and j['machine']['huge_pages']"
json_says 'j["machine"]["processor"] and j["machine"]["compiler"] and type(j["machine"]["asserts"]) is bool'
json_says 'j["machine"]["cores"] >= 1 and j["machine"]["load"] >= 0'
json_says 'all(c["level"] >= 1 and c["kib"] >= 1 for c in j["machine"]["caches"])'
json_says 'all(f["spread"] is None and len(f["repetitions_ns"]) == 1 for f in j["figures"])'

if [ -e page.html ]; then
  for workload in $workloads; do says "<h2>$workload</h2>" page.html; done
  for text in '<dt>processor</dt>' "<dt>commit</dt><dd>$commit</dd>" '<dt>load</dt>' 'No bar was measured' \
    '--quick measures'; do says "$text" page.html; done
  [ "$(grep -c "<svg role='img'" page.html)" -ge 12 ] || fail 'charts are missing'
  twice=$(grep -oE " id=['\"][^'\"]*" page.html | sort | uniq -d)
  [ -z "$twice" ] || fail "the page has two elements of one name: $twice"
  ! grep -E "(src|href)=['\"]?(http|//)" page.html || fail 'the page needs the network'
fi

# Google Benchmark's own options.
run 0 --quick --benchmark_filter='drain/std::set/1000$' --benchmark_repetitions=2 --json figures.json
says 'drain (times' out
grep -qE '^ +1,000 std::set +[0-9.,]+ +[0-9]+% ' out || fail "the spread is missing: $(cat out)"
json_says 'all(f["spread"] == (max(r) - min(r)) / f["ns"] for f in j["figures"] for r in [f["repetitions_ns"]])'
json_says '[(f["role"], len(f["repetitions_ns"])) for f in j["figures"]] == [("floor", 2), ("touch", 2), ("peer", 2)]'
# Relative to the other contestant in the same repetition, as the two took turns.
json_says 'max(a / b for a, b in zip(*[j["figures"][i]["repetitions_ns"] for i in (2, 0)])) == j["figures"][2]["times_floor"]'
says 'floor' out
! grep -q 'linked wheel\|^ *10,000\|fill' out || fail 'the filter lets others through'
run 0 --quick --benchmark_list_tests
says 'drain/std::set/1000' out
run 0 --quick --benchmark_filter=next/mayfly --benchmark_format=json --benchmark_min_time=0.001
says '"name": "next/mayfly/1000' out
run 0 --help
says '--quick' out
says '--benchmark_filter' out

# The bars are summed up, on the page before all else.
run 0 --benchmark_filter='^drain/mayfly/1000000$' --benchmark_repetitions=1 "${outputs[@]}"
says ' of 1 bar met, ' out
json_says '[b["met"] for b in j["bars"]] == [b["measured"] <= b["at_most"] for b in j["bars"]] and len(j["bars"]) == 1'
if [ -e page.html ]; then
  sed -n '/<h1>/,/<h2>/p' page.html >opening
  says ' of 1 bar met, ' opening
  says '<h2>Bars</h2>' opening
fi

# An interrupt keeps what has finished. The third benchmark of a full run, which takes minutes, is announced when two
# have finished.
mkfifo progress
"$mayfly" --benchmark_min_time=0.05 "${outputs[@]}" >out 2>progress &
while read -r line; do
  case $line in *' 3 of '*) kill -INT $! ;; esac
  echo "$line"
done <progress >err
wait $!
[ $? = 130 ] || fail "an interrupted run exits with $?: $(cat err)"
says 'mayfly: stopping' err
says 'refresh/inherit (times' out
says 'Interrupted: ' out
says "commit      $commit" out
json_says 'j["interrupted"] and not j["quick"]'
json_says '2 <= len(j["figures"]) < 100 and j["figures"][0]["contestant"] == "floor"'
if [ -e page.html ]; then says 'Interrupted: ' page.html; fi

# Bad usage is reported before the run begins.
complains '"--nonsense" is not understood' --quick --nonsense
complains '--json: 1 required FILE missing' --json
complains '--json: /nowhere/x cannot be written' --json /nowhere/x
complains '--json: . is a directory' --json=.
complains '--benchmark_out: /nowhere/x cannot be written' --benchmark_out=/nowhere/x
complains '"[" is not a regular expression' --benchmark_filter='['
complains 'nothing matches "no such thing"' --benchmark_filter='no such thing'
complains '--quick excludes --long' --quick --long
complains 'must be console, json or csv' --benchmark_format=xml
complains 'do not go with' --benchmark_format=json --json x
PATH=/nowhere "$mayfly" --quick --html x.html 2>err
[ $? = 2 ] || fail 'a missing gnuplot is not bad usage'
says 'gnuplot' err
finish 'the benchmarks print, write and stop as documented'
