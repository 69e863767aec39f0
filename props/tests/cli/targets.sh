#!/usr/bin/env bash
# Stores in other processes: those of props/examples/, sound and with their defect, and hostile little programs.
# targets.sh PROGRAM EXAMPLE_PROGRAM
mayfly=$1
example=$2
props=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=props/tests/cli/driving.sh
source "$props/tests/cli/driving.sh"
unset PYTHONUNBUFFERED # or no Python target keeps its answers in a buffer

# The examples: the sound ones hold, and the defect of each is found, with a short trace that replays.
# try NAME LINES COMMAND DEFECT
try() {
  [ "$(wc -l <"$props/examples/$1")" -le "$2" ] || fail "$1 has more than $2 lines"
  run 0 smoke --target "$3"
  says 'answers are right; continue with: ' out
  run 0 check --seed 3 --cases 150 --target "$3"
  says "target \"$1\", with batch" out
  says 'not tested (the store has no "lazy"): ' out
  says 'held: 150 cases' out
  says "--target '$3'" out
  run 0 explore --target "$3" --documents 1 --ttls absent,1 --defaults off,1 --steps 1
  tr -s '\n ' ' ' <out | grep -qE ' closed at depth [0-9]+; holds for every sequence of up to 3 operations; beyond that, one for' ||
    fail "the search does not say what it covered: $(cat out)"
  run 1 explore --target "$3 $4" --save "$1.jsonl"
  says 'VIOLATION: the target breaks' out
  says 'no shorter trace that was sent shows one: ' out
  run 1 replay "$1.jsonl" --target "$3 $4"
  run 1 check --seed 3 --target "$3 $4" --save "$1.jsonl"
  says 'VIOLATION: the target breaks' out
  says '<-- differs' out
  is_short "$1.jsonl"
  run 1 replay "$1.jsonl" --target "$3 $4"
  run 0 replay "$1.jsonl" --target "$3"
  run 0 replay "$1.jsonl"
}
try store.py 70 "python3 $props/examples/store.py" --late
try store.mjs 70 "node $props/examples/store.mjs" --keeps-ttl
try store.cpp 100 "$example " --revives
run 1 smoke --target "python3 $props/examples/store.py --late"
says '"status" is 200 (ok), and should be 404 (not found)' out
says '"document" is there, and should not be' out

# A store without charges is not checked for what only charges show.
run 0 check --seed 3 --cases 150 --target "$example" --json counted.json
uncounted() { python3 -c 'import json, sys; print(*(rule["id"] for rule in json.load(open("counted.json"))["rules"] if rule["checks"] == 0))'; }
for rule in P2 R1 R2; do [[ " $(uncounted) " == *" $rule "* ]] || fail "$rule is counted of a store without charges"; done
run 0 check --seed 3 --cases 150 --target "$mayfly model-server" --json counted.json
[[ ! " $(uncounted) " =~ \ (P2|P5|R1|R2)\  ]] || fail 'a store with charges and held is not checked for what these show'

# A search names its scope, and stops at --depth.
run 0 explore --target "$example" --documents 2 --depth 2 --json scope.json
says 'target "store.cpp", with batch' out
says '45 operations: 2 documents in 1 collection' out
says 'not closed: stopped at depth 2 by --depth 2' out
says '"scope":{"documents":2,"collections":1,"ttls":["absent","-1","1","2"],"defaults":["off","-1","1","2"],"steps":["1","2"],"lazy":false}' scope.json
says "\"target\":\"$example\"" scope.json

# The reference behind the protocol conforms in everything, however the cases are spread.
server="$mayfly model-server"
run 0 check --seed 3 --cases 200 --target "$server" --jobs 1 --json one.json
run 0 check --seed 3 --cases 200 --target "$server" --jobs 3 --json three.json
[ "$(without_time one.json)" = "$(without_time three.json)" ] || fail 'three workers give another result than one'
run 0 smoke --target "$server"
run 0 replay "$props"/scenarios/*.jsonl --target "$server" --quiet
says "held: $("$mayfly" rules --quiet | wc -l) files" out
printf '%s\n' '{"op":"hello"}' 'rubbish' '[{"op":"reset","now":5},{"op":"advance","seconds":-1}]' | "$mayfly" model-server >out
says '"features":["batch","patch","purge","lazy","charge","held","count"]' out
says '{"status":400,"error":"not JSON: ' out
says '[{"status":200},{"status":400,"error":"advance: ' out

# Every message is valid by the published schema, and the schema rejects invalid ones.
held_to_schema() { python3 "$props/tests/cli/held_to_schema.py" "$props/../sim/protocol.schema.json" "$@"; }
run 3 check --seed 4 --cases 20 --ops 60 --jobs 1 --target "sh -c 'tee -a requests | $server | tee -a answers'"
for part in request answer; do
  lines=$(held_to_schema ${part}_line ${part}s) && [ "$lines" -gt 40 ] || fail "$lines lines are ${part}s"
done
while read -r part line; do
  echo "$line" >message
  ! held_to_schema "$part" message >out 2>err || fail "the schema takes this for $part: $line"
  says 'message:1: is no' err
done <<'END'
request_line {"op":"drop"}
request_line {"op":"read","collection":"c0","partition":"p0"}
request_line {"op":"advance","seconds":-1}
request_line [7,7]
introduction {"status":200,"name":"store"}
answer_line {"document":{"partition":"p0","id":"d0","value":"","_ts":0}}
answer_line {"status":200,"document":{"partition":"p0","id":"d0","value":""}}
answer_line {"status":"200"}
END

# What a target lacks is neither sent nor checked.
run 0 replay "$props"/scenarios/I4-*.jsonl --target "$example"
says 'not tested, it needs features that the target lacks' out
says '1 not tested' out

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
refuses '--target: at hello, the target answers without "status":200: {"status":500}' "sh -c 'read x; echo {\\\"status\\\":500}; read x'"

# Programs that fail in the middle of a case: violations. Each answers hello, then fails by its mode.
cat >hostile.py <<'END'
import json, os, subprocess, sys, time
mode = sys.argv[1]
features = sys.argv[2].split(",") if len(sys.argv) > 2 else []
say = lambda answer: print(json.dumps(answer), flush=True)
input()
say({"status": 200, "features": features})
for line in sys.stdin:
    request = json.loads(line)
    ok = [{"status": 200} for _ in request] if type(request) is list else {"status": 200}
    if mode == "exits": print("out of luck", file=sys.stderr, flush=True); sys.exit(7)
    if mode == "exits-half": print('{"status":', end="", flush=True); sys.exit(0)
    if mode == "crashes": os.abort()
    if mode == "closes": os.close(1); time.sleep(1000)
    if mode == "hangs": time.sleep(1000)
    if mode == "unflushed": print('{"status":200}')
    if mode == "rubbish": print("rubbish \x1b[31m", flush=True)
    if mode == "not-utf-8": sys.stdout.buffer.write(b"\xff\xfe\n"); sys.stdout.flush()
    if mode == "wrong-type": say({"status": "fine"})
    if mode == "no-status": say({})
    if mode == "no-object": say(7)
    if mode == "unknown-field": say({"status": 200, "statsu": 200})
    if mode == "unknown-status": say({"status": 799})
    if mode == "fails-reset": say({"status": 500})
    if mode == "too-few": say(ok[1:])
    if mode == "too-many": say(ok + ok)
    if mode == "no-list": say({"status": 200})
    if mode == "two-lines": print('{"status":200}\n{"status":200}', flush=True)
    if mode == "100-mb": print("x" * 100_000_000, flush=True)
    if mode == "endless":
        while True: print("x" * 1_000_000, end="", flush=True)
    if mode == "noisy":
        while True: print("x" * 1_000, file=sys.stderr, flush=True)
    if mode == "leaves-a-child": subprocess.Popen(["sleep", "1000"]); sys.exit(0)
    if mode == "after-exit": subprocess.Popen(["sh", "-c", "cat; echo hello"], stdin=subprocess.PIPE); sys.exit(0)
END
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

# A store that fails only after other cases does not pass.
cat >whim.py <<'END'
import subprocess, sys
model = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for count, line in enumerate(sys.stdin.buffer):
    model.stdin.write(line)
    model.stdin.flush()
    answer = model.stdout.readline()
    sys.stdout.buffer.write(answer if count < 50 else answer.replace(b"201", b"200"))
    sys.stdout.buffer.flush()
END
run 1 check --seed 1 --cases 100 --jobs 1 --target "python3 whim.py $server" --save whim.jsonl
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

# No process of a target is left behind, however the target ends: this one starts a process with a session of its own,
# and another whose parent is gone as well. Every process of this test has this folder as its working directory.
is_all_gone() {
  for process in /proc/[0-9]*; do
    [ "$(readlink "$process/cwd")" != "$PWD" ] || [ "${process#/proc/}" = $$ ] || return 1
  done
}
nothing_is_left() { is_all_gone || fail "there are processes left after $1: $(grep -l . /proc/[0-9]*/comm 2>/dev/null | wc -l)"; }
cat >leaver.py <<'END'
import os, sys
if os.fork() == 0:
    os.setsid()
    os.execvp("sleep", ["sleep", "1000"])
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: os.execvp("sleep", ["sleep", "1000"])
    os._exit(0)
with open("started", "a") as started: started.write("one\n")
os.execvp(sys.argv[1], sys.argv[1:])
END
leaver='python3 leaver.py'
run 3 check --seed 1 --cases 5 --target "$leaver $server"
nothing_is_left 'a check'
run 0 explore --target "$leaver $example" --ttls absent,1 --defaults off,1 --steps 1 --depth 2
nothing_is_left 'a search'
run 0 conform --cases 5 --checks 1 --target "$leaver $server" --save .
nothing_is_left 'a conform'
run 0 smoke --target "$leaver $server"
nothing_is_left 'a smoke'
run 1 check --seed 1 --jobs 2 --ops 1 --target "$leaver python3 hostile.py crashes" --save hostile.jsonl
nothing_is_left 'a crash'
run 1 replay hostile.jsonl --timeout 1s --target "$leaver python3 hostile.py hangs"
nothing_is_left 'a timeout'

# Every command can be interrupted while a target hangs, at hello or later.
# ends_when_interrupted TARGET ARGUMENT...
ends_when_interrupted() {
  local target=$1
  shift
  for signal in INT TERM; do
    rm -f started
    "$mayfly" "$@" --timeout 1h --start-timeout 1h --target "$target" >out 2>err &
    until [ -s started ]; do sleep 0.05; done
    interrupt $! $signal
    [ "$ended" = "$([ $signal = INT ] && echo 130 || echo 143)" ] || fail "$1 ends with $ended after SIG$signal: $(cat out err)"
    nothing_is_left "SIG$signal to $1"
  done
}
for command in 'check --seed 1 --ops 1' 'conform --save .' 'explore' 'replay hostile.jsonl' 'smoke'; do
  # shellcheck disable=SC2086 # words
  ends_when_interrupted "$leaver python3 hostile.py hangs" $command
done
ends_when_interrupted "$leaver python3 hostile.py hangs batch" check
ends_when_interrupted "$leaver sleep 1000" check

# Neither a killed worker nor the killed program leaves a process behind.
rm -f started
"$mayfly" check --time 1h --timeout 1h --jobs 1 --target "$leaver python3 hostile.py hangs" --save killed.jsonl >out 2>err &
checking=$!
until [ "$(cat started 2>/dev/null | wc -l)" -ge 2 ]; do sleep 0.05; done # one for the hello of the program, one for the worker
worker=$(for status in /proc/[0-9]*/stat; do awk -v parent="$checking" '$4 == parent { print $1 }' "$status" 2>/dev/null; done | sort -n | tail -1)
rm -f started
kill -KILL "$worker"
interrupt "$checking"
nothing_is_left 'a worker was killed'
"$mayfly" check --time 1h --timeout 1h --target "$leaver python3 hostile.py hangs" >out 2>err &
checking=$!
until [ -s started ]; do sleep 0.05; done
kill -KILL "$checking"
wait "$checking" 2>/dev/null
for _ in $(seq 600); do is_all_gone && break || sleep 0.1; done
nothing_is_left 'the program was killed'

# An interrupt ends the run and the target.
"$mayfly" check --time 1h --jobs 1 --target "sh -c 'echo >>begun; exec $server'" >out 2>err &
checking=$!
until [ "$(cat begun 2>/dev/null | wc -l)" = 2 ]; do sleep 0.05; done # one for the hello of the program, one for the worker
interrupt "$checking"
[ "$ended" = 130 ] || fail "an interrupted check does not exit with 130: $(cat out err)"

# The same during shrinking, while the target is slow: here on the first smaller case.
rm -f started
mkfifo started
cat >slow.py <<'END'
import json, os, sys, time
answer = lambda r: {"status": 200, "features": ["batch"]} if r["op"] == "hello" else {"status": 200}
for line in sys.stdin:
    r = json.loads(line)
    if "shrinking" in open("err").read() and not os.path.exists("was-slow"):
        open("was-slow", "w").close()
        with open("started", "w") as started: started.write("shrinking\n")
        time.sleep(1000)
    print(json.dumps([answer(each) for each in r] if type(r) is list else answer(r)), flush=True)
END
"$mayfly" check --seed 1 --jobs 1 --timeout 1h --target "python3 slow.py" --save slow.jsonl >out 2>err &
checking=$!
read -r _ <started
began=$SECONDS
interrupt "$checking"
[ "$ended" = 1 ] || fail "an interrupted check does not show its violation: $(cat out err)"
[ $((SECONDS - began)) -le 60 ] || fail "it takes $((SECONDS - began)) s to interrupt"
says ', stopped early' out
says 'repeat with: ' out
says ' --timeout 1h' out
says ' --jobs 1' out

nothing_is_left 'all'

finish 'targets work'
