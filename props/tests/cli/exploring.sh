#!/usr/bin/env bash
# Exhaustive search on stores with invisible state: the report names exactly what was covered.
# exploring.sh PROGRAM
mayfly=$1
props=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=props/tests/cli/driving.sh
source "$props/tests/cli/driving.sh"
faulty="python3 $props/tests/cli/faulty.py"
scope=(--documents 1 --ttls absent,2 --defaults off,-1,2 --steps 1 --quiet)

# Sequences that lead to a known state of the reference are sent all the same.
run 0 explore "${scope[@]}" --depth 6 --target "$faulty none" --json none.json
says '"covered":"every sequence of up to 3 operations; of up to 6 operations one for each state of the reference together with the last 2 changes' none.json
for fault in tombstones loses-second-create stale-deadline reads-extend restarts; do
  run 1 explore "${scope[@]}" --depth 7 --target "$faulty $fault" --save "$fault.jsonl"
  says 'no shorter trace that was sent shows one: ' out
  run 1 replay "$fault.jsonl" --quiet --target "$faulty $fault"
  run 0 replay "$fault.jsonl" --quiet
done
says 'replace_collection' restarts.jsonl
[ "$(wc -l <tombstones.jsonl)" = 5 ] || fail "the trace is long: $(cat tombstones.jsonl)"

# The report claims nothing that was not covered.
run 0 explore "${scope[@]}" --depth 2 --target "$faulty none"
says 'holds for every sequence of up to 2' out
cat >hangs.py <<'END_OF_PROGRAM'
import sys, time
print('{"status":200,"name":"hangs","features":["batch"]}', flush=True)
sys.stdin.readline()
time.sleep(1000)
END_OF_PROGRAM
run 3 explore "${scope[@]}" --time 1s --timeout 60s --target 'python3 hangs.py' --json hangs.json
says 'INCONCLUSIVE: stopped at depth 0 by --time' out
says '"verdict":"inconclusive"' hangs.json
says '"covered":""' hangs.json

finish 'a search covers what it claims'
