#!/usr/bin/env bash
# Conformance for users: verdicts, expectations, and files for build servers.
# conformance.sh PROGRAM PROGRAM_WITH_A_DEFECT EXAMPLE_PROGRAM
mayfly=$1
defective=$2
example=$3
props=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=props/tests/cli/driving.sh
source "$props/tests/cli/driving.sh"
unset GITHUB_ACTIONS COLUMNS
late="python3 $props/examples/store.py --late"
restarts="python3 $props/tests/cli/faulty.py restarts"
rules=$("$mayfly" rules --quiet | wc -l)
few=(--cases 60 --checks 5)
# with_defect ID EXIT_CODE ARGUMENT...: runs the program on a store that has the defect.
with_defect() {
  local mayfly=$defective
  MAYFLY_DEFECT=$1 run "${@:2}"
}

# Stores that conform, and the table.
run 0 conform
says "conforms: $rules pass, by " out
[ "$(grep -cE '^[A-Z][0-9] [SD]  pass +[0-9,]+  [A-Z]' out)" = "$rules" ] || fail 'not every rule has a row that passes'
run 0 conform --reference --quiet
[ "$(wc -l <out)" = 2 ] || fail "--quiet prints more than the verdict: $(cat out)"
run 0 conform "${few[@]}" --quiet --target "$mayfly model-server" --json model.json
says "conforms: $rules pass" out

# A store that fails, with the shortest trace.
run 1 conform "${few[@]}" --target "$late" --json late.json --junit late.xml
says 'target "store.py", with batch' out
says 'X1 fails: every document lives one second too long' out
says '<-- differs' out
says "DOES NOT CONFORM: $((rules - 8)) pass, 1 fail, 7 unsupported" out
grep -v '[{]' out | grep -vE 'repeat with|replay it with|^not tested' | awk 'length > 80 { exit 1 }' || fail "lines are wide: $(awk 'length > 80' out)"
run 1 replay mayfly-X1.jsonl --quiet --target "$late"
run 0 replay mayfly-X1.jsonl --quiet
run 1 conform "${few[@]}" --quiet --target "$late" --json again.json --junit again.xml
cmp -s late.json again.json || fail 'the same seed gives another result'
cmp -s late.xml again.xml || fail 'the same seed gives other test cases'

# Accepting an invalid request is blamed on the rule that rejects it.
run 1 conform "${few[@]}" --target "python3 $props/tests/cli/faulty.py zero-ttl" --json zero.json
says 'T3 fails: the target breaks' out
says 'target     {"status":201,"document":{"partition":"p0","id":"d0","value":"","_ts":0,"ttl":0}}   <-- differs' out
says "DOES NOT CONFORM: $((rules - 8)) pass, 1 fail, 7 unsupported" out

# Another reading is not a failure. Its traces go to the folder of --save.
run 0 conform --cases 200 --checks 5 --target "$example --revives" --save traces --json revives.json
says 'X4 differs: a longer default brings expired documents back' out
says "conforms, with other readings: $((rules - 8)) pass, 1 differs" out
says "replay it with: $mayfly replay traces/mayfly-X4.jsonl" out
[ -s traces/mayfly-X4.3.jsonl ] || fail 'not every trace is saved'

# A built-in store may crash without affecting the verdicts, and a hanging one is cut off.
with_defect abort 1 conform "${few[@]}" --json crash.json
says 'aborted (signal 6)' out
says ' pass' out
# It may also exit in the middle of a case, with any status.
with_defect exit-0 1 conform "${few[@]}" --quiet
says 'exited with status 0   <-- differs' out
[ "$(grep -c '^DOES NOT CONFORM' out)" = 1 ] || fail "what was printed is printed twice: $(cat out)"
with_defect hang 1 conform "${few[@]}" --timeout 500ms
says 'did not answer within 0.5 s' out

# Known failures.
complains '--expect: known.txt cannot be read' conform --expect known.txt
complains '--update-expect needs --expect FILE' conform --update-expect
printf '# ours\n\nX1\n' >known.txt
complains 'known.txt:3: X1 needs a reason, in the same line' conform --expect known.txt
# expects EXIT_CODE TEXT LINE...: a store that is late, with these lines in the file.
expects() {
  printf '%s\n' "${@:3}" >known.txt
  with_defect expires-late "$1" conform "${few[@]}" --quiet --expect known.txt --junit known.xml --json known.json
  says "$2" out
}
expects 0 "as expected: $((rules - 1)) pass, 1 fail" '# ours' 'X1 one second too long, since 2019'
says '"reason":"one second too long, since 2019"' known.json
says '<skipped message="fail: every document lives one second too long; expected: one second too long' known.xml
expects 1 'X1 is not known to be broken: fail' '# nothing'
says 'NOT AS EXPECTED' out
expects 1 'known.txt:2: X4 is listed as a known failure, but it passes' 'X1 late' 'X4 comes back'
expects 1 'known.txt:2: there is no rule X9' 'X1 late' 'X9 no'
expects 1 'known.txt:2: X1 is listed twice, first in line 1' 'X1 late' 'X1 later'
printf '# ours\nX4 comes back\n\n# the end\n' >known.txt
with_defect expires-late 0 conform "${few[@]}" --quiet --expect known.txt --update-expect
says 'as expected' out
[ "$(cat known.txt)" = "$(printf '# ours\n\n# the end\nX1 every document lives one second too long')" ] ||
  fail "the list is not what it should be: $(cat known.txt)"
rm known.txt
with_defect expires-late 0 conform "${few[@]}" --quiet --expect known.txt --update-expect
says 'X1 every' known.txt

# Files for build servers: well-formed, and with every case, also those of a corpus.
cases() { python3 - "$1" <<'END'; }
import sys, xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot()
print(suite.get("name"), suite.get("tests"), suite.get("failures"), len(suite.findall("testcase")),
      *sorted(case.get("name").split()[0] for case in suite.findall("testcase") if case.find("failure") is not None))
END
has_cases() { [ "$(cases "$1")" = "$2" ] || fail "$1 has the cases '$(cases "$1")', not '$2'"; }
has_cases late.xml "mayfly.conform $((rules + 1)) 1 $((rules + 1)) X1"
mkdir corpus && cp mayfly-X1.jsonl corpus/late.jsonl && cp "$props"/scenarios/I6-*.jsonl corpus/no-index.jsonl
run 1 conform "${few[@]}" --quiet --target "$late" --corpus corpus --junit corpus.xml
has_cases corpus.xml "mayfly.conform $((rules + 3)) 2 $((rules + 3)) X1 late.jsonl"
run 1 check --seed 3 --cases 50 --keep-going --quiet --target "$late" --corpus corpus --junit check.xml
has_cases check.xml "mayfly.check $((rules + 3)) 2 $((rules + 3)) X1 late.jsonl"
run 0 check --seed 3 --cases 300 --quiet --junit check.xml
has_cases check.xml "mayfly.check $((rules + 1)) 0 $((rules + 1))"
says '<testcase classname="mayfly.check.campaign" name="random cases" time="' check.xml

# The result file of every command is valid by the schema.
run 0 check --seed 1 --cases 200 --quiet --json other.json
run 1 check --seed 3 --cases 50 --quiet --target "$late" --json violated.json --save violated.jsonl
run 1 replay violated.jsonl --quiet --target "$late" --json replayed.json --junit replayed.xml
has_cases replayed.xml 'mayfly.replay 2 1 2 violated.jsonl'
with_defect expires-late 1 explore --quiet --json explored.json --junit explored.xml --html explored.html
has_cases explored.xml 'mayfly.explore 1 1 1 every'
run 0 explore --depth 2 --quiet --json closed.json
run 1 merge violated.json --quiet --json merged.json --junit merged.xml
has_cases merged.xml "mayfly.check $((rules + 1)) 1 $((rules + 1)) X1"
says '<failure message="At second ' merged.xml
for file in other.json violated.json replayed.json explored.json closed.json merged.json late.json model.json zero.json revives.json known.json crash.json; do
  python3 "$props/tests/cli/held_to_schema.py" "$props/result.schema.json" result $file >held || fail "$(cat held)"
done
sed 's/"verdict":"pass"/"verdict":"fine"/' late.json >wrong.json
! python3 "$props/tests/cli/held_to_schema.py" "$props/result.schema.json" result wrong.json 2>held ||
  fail 'the schema takes any verdict'

# Annotations, only on GitHub.
export GITHUB_ACTIONS=true
with_defect expires-late 1 conform "${few[@]}" --quiet
[ "$(grep -c '^::error ' out)" = 1 ] || fail 'there is not one annotation'
says '::error file=mayfly-X1.jsonl,line=5,title=At second 1 the engine still shows c0/p0/d0%2C which ' out
says '::X1 fails: every document lives one second too long%0A%0AAt second 1' out
run 1 check --seed 3 --quiet --target "$late" --save violation.jsonl
says "::error file=violation.jsonl,line=$(wc -l <violation.jsonl),title=At second " out
run 1 replay mayfly-X1.jsonl --quiet --target "$late"
says '::error file=mayfly-X1.jsonl,line=5,title=mayfly replay::mayfly-X1.jsonl:5:%0A' out
unset GITHUB_ACTIONS
with_defect expires-late 1 conform "${few[@]}" --quiet
! grep -q '^::' out || fail 'there are annotations outside GitHub'

# Side by side.
run 0 compare model.json late.json revives.json
says 'rule     reference      store.py       store.cpp' out
says '* X1  S  pass           fail           pass' out
says '  T1  S  pass           pass           pass' out
says '* judged differently: X1 X4' out
says 'X1  store.py fails: every document lives one second too long' out
says '* judged only of some: T6 W4 P2 I3 I4 R1 R2' out
awk 'length > 80 { exit 1 }' out || fail "lines are wide: $(awk 'length > 80' out)"
COLUMNS=50 run 0 compare model.json late.json revives.json
says ' 2 is store.py' out
says '* X1  S    +  F  +' out
COLUMNS=200 run 0 compare model.json late.json revives.json
says 'fail           pass           A document is expired exactly when its _ts plus its effective ttl is not later' out
run 0 compare late.json again.json
says 'rule     late           again' out
says "the same verdicts on all $rules rules" out
complains 'nowhere.json: cannot be read' compare nowhere.json
complains 'other.json: is no result of mayfly conform' compare late.json other.json
sed 's/"version":2,/"version":3,/' late.json >newer.json
complains 'newer.json: it is of version 3, not 2' compare newer.json

# After an interrupt the report has the results so far, also for the built-in store.
"$mayfly" conform --cases 1000000 --target "sh -c 'tee requests | $mayfly model-server'" --json early.json >out 2>err &
judging=$!
until [ "$(cat requests 2>/dev/null | wc -l)" -gt 3 ]; do sleep 0.05; done
interrupt "$judging"
[ "$ended" = 130 ] || fail "an interrupted conform does not exit with 130: $(tail -3 out err)"
says 'until interrupted' out

"$mayfly" conform --cases 1000000 --json early.json >out 2>err &
interrupt $!
[ "$ended" = 130 ] || fail "an interrupted conform of the engine does not exit with 130: $(tail -3 out err)"
"$mayfly" conform --cases 1000000 --time 10m >out 2>err &
judging=$!
until [ "$(pgrep -c -P "$judging")" = 1 ]; do sleep 0.05; done
sleep 0.3
interrupt "$judging"
says 'until interrupted: ' out
! grep -q ', by 0 cases' out || fail "an interrupted conform of the engine has no results: $(cat out)"

# Nothing passes without evidence.
run 3 conform --time 1ms --quiet --target "$mayfly model-server" --json nothing.json --junit nothing.xml
says 'the run was stopped before' out
says 'nothing can be concluded: ' out
says 'INCONCLUSIVE: 0 pass' out
says '"verdict":"inconclusive"' nothing.json
says '<skipped message="inconclusive: ' nothing.xml

# A failure that no planted defect explains is blamed on no single rule, and no candidate passes.
run 1 conform "${few[@]}" --target "$restarts" --json restarts.json --junit restarts.xml --html restarts.html
says 'one of T1 E1 X1 X2 W5 P1 C2 is broken: the target breaks' out
says 'replace_collection [T1 W5] read [E1 X1 X2 P1 C2] it holds' out
says 'shrunk from ' out
says "DOES NOT CONFORM: $((rules - 14)) pass, 7 unattributed, 7 unsupported" out
says '"candidates":["T1","E1","X1","X2","W5","P1","C2"]' restarts.json
says '{"step":3,"rules":["T1","W5"]}' restarts.json
has_cases restarts.xml "mayfly.conform $((rules + 1)) 1 $((rules + 1)) every"
says 'unattributed: one of T1 E1 X1 X2 W5 P1 C2 is broken' restarts.xml
run 1 replay mayfly-unattributed.jsonl --quiet --target "$restarts"
echo 'W5 restarts countdowns' >restarts.txt
run 0 conform "${few[@]}" --quiet --target "$restarts" --expect restarts.txt
says "as expected: $((rules - 14)) pass, 7 unattributed" out
echo '# nothing' >restarts.txt
run 1 conform "${few[@]}" --quiet --target "$restarts" --expect restarts.txt
says 'one of T1 E1 X1 X2 W5 P1 C2 is broken, and none of them is known to be' out
run 0 compare model.json restarts.json
says '* W5  S  pass           unattributed' out
says 'W5  store.py unattributed: one of T1 E1 X1 X2 W5 P1 C2 is broken' out
COLUMNS=30 run 0 compare model.json restarts.json
says '* W5  S    +  u' out
for file in nothing.json restarts.json; do
  python3 "$props/tests/cli/held_to_schema.py" "$props/result.schema.json" result $file >held || fail "$(cat held)"
done

# A defect is blamed on its rule, whatever the order in which the store purges expired documents.
sed -e 's/"count": len(shown)/"count": sum(key[0] in (None, d["partition"]) for d in c.documents.values())/' \
  -e 's/in due\[:budget\]/in due[::-1][:budget]/' "$props/examples/store.py" >newest.py
run 1 conform "${few[@]}" --quiet --target 'python3 newest.py'
says 'X2 fails: expired documents are counted until they are purged' out
! grep -qE 'unattributed|one of' out || fail "other rules are suspected for the order of purges: $(cat out)"

complains '--reference and --target exclude each other' conform --reference --target "$late"
complains '--seed must be' conform --seed twelve
complains '--cases must be' conform --cases 0
complains '--save: late.json is not a folder' conform --save late.json

finish 'conformance works'
