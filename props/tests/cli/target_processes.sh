#!/usr/bin/env bash
# The processes of targets: none outlives its run, and every command can be interrupted.
# target_processes.sh PROGRAM EXAMPLE_PROGRAM
mayfly=$1
example=$2
props=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=props/tests/cli/driving.sh
source "$props/tests/cli/driving.sh"
server="$mayfly model-server"
cp "$props/tests/cli/hostile.py" .

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

finish 'the processes of targets work'
