#!/usr/bin/env bash
# Targets that fail: programs that do not start, crash, hang or answer what is no answer, and stores that keep state.
# hostile_targets.sh PROGRAM
mayfly=$1
props=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=props/tests/cli/driving.sh
source "$props/tests/cli/driving.sh"
unset PYTHONUNBUFFERED # or no Python target keeps its answers in a buffer

# Programs that cannot be started, or do not get through hello: bad input.
# refuses TEXT COMMAND
refuses() {
  run 2 check --cases 5 --start-timeout "${patience-60s}" --target "$2"
  says "mayfly: $1" err
  [ ! -s out ] || fail "$2: there is output: $(cat out)"
  run 2 smoke --start-timeout "${patience-60s}" --target "$2"
  says "mayfly: $1" err
}
: >plain
refuses '--target: "/nowhere/store" cannot be started: No such file or directory' '/nowhere/store --option'
refuses '--target: "./plain" cannot be started: Permission denied' ./plain
refuses '--target: the command is empty' ' '
refuses '--target: a quote is not closed' "sh -c 'echo"
refuses '--target: at hello, the target exited with status 3' "sh -c 'echo oh no >&2; exit 3'"
says 'oh no' err
refuses '--target: at hello, the target crashed with SIGKILL (signal 9)' "sh -c 'kill -9 \$\$'"
patience=300ms refuses '--target: at hello, the target did not answer within 0.3 s' 'sleep 1000'
cat >unflushed.py <<'END'
import sys
for line in sys.stdin: print('{"status":200,"features":[]}')
END
patience=1s refuses '--target: at hello, the target did not answer within 1 s; a target has to flush its standard output after each line' 'python3 unflushed.py'
refuses '--target: at hello, the target ' 'cat /dev/zero'
refuses '--target: at hello, the target says more than ' yes
refuses '--target: at hello, the target answers what is not JSON' "sh -c 'read x; echo Welcome!; read x'"
refuses '--target: at hello, the target answers without "features", a list that may be empty: {"status":200}' "sh -c 'read x; echo {\\\"status\\\":200}; read x'"
refuses '--target: at hello, the target states wrong limits: "id_bytes" must be at least 16, got 8' \
  "sh -c 'read x; echo {\\\"status\\\":200,\\\"features\\\":[],\\\"limits\\\":{\\\"id_bytes\\\":8}}; read x'"
refuses '--target: at hello, the target states wrong limits: must be an object, got [255]' \
  "sh -c 'read x; echo {\\\"status\\\":200,\\\"features\\\":[],\\\"limits\\\":[255]}; read x'"
refuses '--target: at hello, the target answers without "status":200: {"status":500}' "sh -c 'read x; echo {\\\"status\\\":500}; read x'"

# Programs that fail in the middle of a case: violations. Each answers hello, then fails by its mode.
cp "$props/tests/cli/hostile.py" .
# breaks TEXT MODE [FEATURES]: exit 1, with one message and a trace.
breaks() {
  local timeout=${patience-20s}
  run 1 check --seed 1 --jobs 1 --ops 1 --timeout "$timeout" --target "python3 hostile.py $2 ${3-}" --save hostile.jsonl
  says 'VIOLATION: the target breaks' out
  says "$1" out
  says '<-- differs' out
  [ "$(grep -c VIOLATION out)" = 1 ] || fail "$2: there is more than one violation: $(cat out)"
  is_short hostile.jsonl 3
  run 1 replay hostile.jsonl --timeout "$timeout" --target "python3 hostile.py $2 ${3-}"
  [ -n "${3-}" ] || says "$1" out # step by step there is no batch
  run 1 smoke --timeout "$timeout" --target "python3 hostile.py $2 ${3-}"
}
breaks 'target     exited with status 7   <-- differs' exits
says 'out of luck' out
breaks 'exited with status 7' exits batch
breaks 'exited with status 0 in the middle of an answer' exits-half
breaks 'aborted (signal 6)' crashes
breaks 'closed its standard output' closes
patience=1s breaks 'did not answer within 1 s' hangs
patience=1s breaks 'If it did answer: a target has to flush its standard output after each line.' unflushed count
says 'If it did answer: a target has to flush its standard output after each line.' out
breaks 'answers what is not JSON (syntax error): rubbish ?[31m' rubbish
breaks 'answers what is not JSON' not-utf-8
breaks 'answers {"status":"fine"} to a reset, which is always 200' wrong-type
breaks 'answers {} to a reset, which is always 200' no-status
breaks 'answers 7: must be a JSON object, got 7' no-object
breaks 'answers {"status":200,"statsu":200} to a reset, which is always 200' unknown-field
breaks 'answers {"status":799} to a reset, which is always 200' unknown-status
breaks 'answers {"status":500} to a reset' fails-reset
breaks 'requests in one line' too-few batch
breaks 'requests in one line' too-many batch
breaks 'answers no list to ' no-list batch
breaks 'says more than one line to one request: {"status":200}' two-lines
breaks 'answers with a line of more than 32 MiB' 100-mb
breaks 'answers with a line of more than 32 MiB' endless
patience=1s breaks 'did not answer within 1 s' noisy
breaks 'exited with status 0' leaves-a-child
breaks 'target     ' after-exit

# Any JSON object is an answer: every command compares a wrong one, shows it unchanged and shrinks the case.
# answers FAULT SHOWN
answers() {
  local target="python3 $props/tests/cli/faulty.py $1"
  run 1 check --seed 3 --target "$target" --save answers.jsonl --json answers.json --html answers.html --junit answers.xml
  says "target     $2   <-- differs" out
  [ "$(wc -l <answers.jsonl)" = 3 ] || fail "the trace has not two operations: $(cat answers.jsonl)"
  says '<failure' answers.xml
  for file in answers.json answers.html; do says "${2//\"/\\\"}" $file; done
  run 1 replay answers.jsonl --target "$target"
  says "target     $2   <-- differs" out
  run 0 replay answers.jsonl --target "python3 $props/examples/store.py"
  run 1 smoke --target "$target"
}
answers zero-ttl '{"status":201,"document":{"partition":"p0","id":"d0","value":"","_ts":0,"ttl":0}}'
says '"status" is 409 (exists already), and should be 400 (invalid request)' out
answers text-ttl '{"status":201,"document":{"partition":"p0","id":"d0","value":"","_ts":0,"ttl":"-1"}}'
says '"document.ttl" is "5", and should be 5' out
run 1 explore --target "python3 $props/tests/cli/faulty.py text-ttl" --save answers.jsonl
says '"_ts":0,"ttl":"-1"}}   <-- differs' out

# A search shows the shortest trace of them.
run 1 explore --target 'python3 hostile.py exits batch' --save hostile.jsonl
says 'no shorter trace that was sent shows one: 1 operation' out
says 'out of luck' out
run 1 explore --timeout 2s --target 'python3 hostile.py hangs' --save hostile.jsonl
says 'did not answer within 2 s   <-- differs' out

# A store that announces charges and leaves them out does not pass.
run 1 check --seed 1 --jobs 1 --target "sh -c '$mayfly model-server | sed -u \"s/,.charge.:[^,}]*//g\"'" --save charge.jsonl
says '<-- differs' out
is_short charge.jsonl

# A store that fails only after other cases does not pass.
cat >whim.py <<'END'
import subprocess, sys
model = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for count, line in enumerate(sys.stdin.buffer):
    model.stdin.write(line)
    model.stdin.flush()
    answer = model.stdout.readline()
    sys.stdout.buffer.write(answer if count < 5 else answer.replace(b"201", b"200"))
    sys.stdout.buffer.flush()
END
run 1 check --seed 1 --cases 100 --jobs 1 --ops 10 --target "python3 whim.py $mayfly model-server" --save whim.jsonl
says 'VIOLATION: the target breaks' out
says 'depends on earlier cases' out

# If a reset keeps something, the report says so, with the fewest cases that show it in a fresh process.
sed 's/return self.__init__(r\["now"\]) or/self.now = r["now"]; return/' "$props/examples/store.py" >keeps.py
run 1 check --seed 1 --jobs 1 --target 'python3 keeps.py' --save keeps.jsonl --json keeps.json
says 'depends on earlier cases: in a fresh process of the target this case passes' out
says 'A reset has to' out
says '<-- differs' out
says '"earlier_cases":1' keeps.json
[ "$(grep -c '"op":"reset"' keeps.jsonl)" = 2 ] && [ "$(wc -l <keeps.jsonl)" = 4 ] ||
  fail "not two cases of one operation: $(cat keeps.jsonl)"
run 1 replay keeps.jsonl --target 'python3 keeps.py'
says 'keeps.jsonl:4:' out
run 0 replay keeps.jsonl --target "python3 $props/examples/store.py"
mkdir traces
run 1 conform --cases 20 --checks 1 --target 'python3 keeps.py' --save traces
says 'depends on earlier cases' out

# If a store answers otherwise in a batch than alone, the report says just that.
sed 's/store.answer(each) for each in r/{**store.answer(each), **wrong(each)} for each in r/' "$props/examples/store.py" >batch.py
sed -i 's/^store = /wrong = lambda r: {"status": 404} if r["op"] == "delete" else {}\n&/' batch.py
run 1 smoke --target 'python3 batch.py'
says 'WRONG  batch: all of these requests in one line get the same answers' out
says 'in batch  {"status":404}' out
says 'alone     {"status":204}' out
run 1 check --seed 1 --target 'python3 batch.py' --save batch.jsonl --json batch.json
says 'asked in a batch it answers {"status":404}' out
says 'alone                    {"status":204}' out
says '<-- differs' out
says '"differs_in_batch":true' batch.json
run 1 replay batch.jsonl --target 'python3 batch.py'
says 'asked in a batch it answers {"status":404}' out
# The same if it is wrong alone, and right in a batch.
sed 's/ else store.answer(r))/ else {**store.answer(r), **wrong(r)})/; s/, \*\*wrong(each)//' batch.py >alone.py
run 1 check --seed 1 --target 'python3 alone.py' --save batch.jsonl
says 'asked in a batch it answers {"status":204}' out
says 'alone                    {"status":404}' out

# --time ends a case that is still running, which is then no violation.
"$mayfly" check --seed 1 --jobs 1 --time 1s --timeout 1h --target 'python3 hostile.py hangs batch' >out 2>err
[ $? != 1 ] && ! grep -q VIOLATION out || fail "a case that takes longer than the time left is blamed: $(cat out)"

finish 'hostile targets work'
