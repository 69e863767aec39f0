#!/usr/bin/env bash
# Endpoints of Cosmos DB as targets: `mayfly serve`, sound, and behind a proxy that alters answers.
# cosmos.sh PROGRAM
mayfly=$1
props=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=props/tests/cli/driving.sh
source "$props/tests/cli/driving.sh"

# shellcheck source=props/tests/cli/endpoints.sh
source "$props/tests/cli/endpoints.sh"

# ask VERB PATH [BODY]: sends a request to the server on $port, which checks no signatures.
ask() {
  python3 -c 'import http.client, sys
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
connection.request(sys.argv[2], sys.argv[3], sys.argv[4] or None, {"content-type": "application/json"})
print(connection.getresponse().read().decode())' "$port" "$1" "$2" "${3-}"
}
databases() { ask GET /dbs | grep -o '"id":"[^"]*"' | tr '\n' ' '; }
# is_clean WHEN: the databases are those that were there before.
is_clean() { [ "$(databases)" = "$others" ] || fail "$1 there is $(databases)"; }

# A conforming server passes. Each case begins at its own second, because no other client uses the server.
serve --clock virtual --no-auth
others=
run 0 smoke --target "cosmos:$url"
says 'answers are right; continue with: ' out
run 0 check --seed 3 --cases 100 --target "cosmos:$url"
tr -s '\n ' ' ' <out | says 'whose clock stands still until it is moved, with patch purge charge' /dev/stdin
says 'not tested (the store has no "lazy"): ' out
says 'held: 100 cases' out
says "--target cosmos:$url" out
is_clean 'after a check'
run 0 replay "$props"/scenarios/X[145]*.jsonl "$props"/scenarios/I1*.jsonl --target "cosmos:$url" --quiet
says 'I1-ttl-needs-an-index.jsonl: not tested, it needs features that the target lacks' out
says 'held: 4 files' out
is_clean 'after a replay'

# Names are sent as they are, within the limits of the service.
mkdir names
python3 "$props/tests/cli/name_traces.py" names --service
run 0 replay names/{astral,case,joined-0a,nul,prefixes}.jsonl --target "cosmos:$url" --quiet
says 'held: 5 files, 5 cases, ' out
is_clean 'after names'
run 0 smoke --target "cosmos:$url"
tr -s '\n ' ' ' <out | says "not tested (the store's limits): names of collections of more than 234 bytes; names of partitions of more than 2048 bytes; ids of more than 1023 bytes; values of more than 300000 bytes; empty names; names with any of / \\ ? #" /dev/stdin

complains '--jobs: the target has one clock, so only one job can run' check --jobs 2 --target "cosmos:$url"

# Databases of other clients are left alone, and the clock that they share does not go back.
ask POST /dbs '{"id":"of-another"}' >/dev/null
ask POST /dbs/of-another/colls '{"id":"c0","partitionKey":{"paths":["/p"]}}' >/dev/null
ask POST /dbs '{"id":"mayfly-"}' >/dev/null
others=$(databases)
run 0 check --seed 3 --cases 200 --target "cosmos:$url"
says 'not tested (the store has no "purge"): ' out
says 'steps of more than 200000 s' out
is_clean 'after a check beside others'
ask GET /dbs/of-another/colls | grep -q '"id":"c0"' || fail 'a container of another client is gone'
[ "$(ask GET /_mayfly/clock | grep -o '"now":[0-9]*' | cut -d: -f2)" -ge 1700000000 ] || fail 'the clock went back'

# However the program ends, its databases are deleted. The process that deletes them holds the pipe open until then.
mkfifo pipe
# ends_by SIGNAL EXIT_CODE
ends_by() {
  "$mayfly" check --time 1h --quiet --target "cosmos:$url" >pipe 2>err &
  checking=$!
  exec 3<pipe
  until [ "$(databases)" != "$others" ]; do :; done
  kill "-$1" "$checking"
  wait "$checking" 2>/dev/null
  [ $? = "$2" ] || fail "after SIG$1 the exit code is not $2"
  cat <&3 >/dev/null
  exec 3<&-
  is_clean "after SIG$1"
}
ends_by INT 130
ends_by TERM 143
ends_by KILL 137

# A command moves the clock of an endpoint that cannot do so itself.
proxy foreign "$port"
cat >move.py <<'END'
import http.client, sys
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
connection.request("POST", "/_mayfly/clock/advance", '{"seconds":%s}' % sys.argv[2], {"content-type": "application/json"})
sys.exit(connection.getresponse().status != 200)
END
run 3 check --seed 3 --cases 5 --ops 20 --timeout 300s --target "cosmos:$changed" --clock-command "python3 move.py $port"
says 'INCONCLUSIVE: 5 cases' out
says "--clock-command 'python3 move.py $port'" out
run 1 check --seed 3 --cases 5 --ops 20 --target "cosmos:$changed" --clock-command false --save stuck.jsonl
says '--clock-command false failed: exit status 1' out
complains "--clock-command: a quote is not closed in ./move 'it" check --target "cosmos:$url" --clock-command "./move 'it"
complains "--target: $url moves its clock itself" check --target "cosmos:$url" --clock-command true

# A request that is answered with 429 is sent again.
proxy busy "$port"
run 3 check --seed 3 --cases 10 --target "cosmos:$changed"

# A wrong endpoint is a violation, with a short trace that replays.
proxy ghosts "$port"
run 1 check --seed 3 --cases 50 --target "cosmos:$changed" --save ghosts.jsonl
says 'VIOLATION: the target breaks' out
is_short ghosts.jsonl
run 1 replay ghosts.jsonl --target "cosmos:$changed"
run 0 replay ghosts.jsonl --target "cosmos:$url"
# breaks TEXT MODE
breaks() {
  proxy "$2" "$port"
  run 1 check --seed 3 --cases 50 --timeout "${patience-20s}" --target "cosmos:$changed" --save "$2.jsonl"
  says 'VIOLATION: the target breaks' out
  says "$1" out
}
breaks 'cannot be reached: Connection refused' dies
patience=2s breaks 'did not answer within 2 s' hangs
breaks 'answers 200 with what is not JSON: rubbish' rubbish
# A ttl of 0 that is accepted is shown, and blamed on the rule that rejects it; so is a default.
proxy zero "$port"
accepted='{"status":201,"document":{"partition":"p0","id":"d0","value":"","_ts":0,"ttl":0}}'
run 1 conform --cases 20 --checks 1 --target "cosmos:$changed" --save .
says 'T2 fails: ' out
says 'T3 fails: ' out
says "target     $accepted   <-- differs" out
proxy zero-ttl "$port"
run 1 check --seed 4 --cases 50 --target "cosmos:$changed" --save zero.jsonl
says "target     $accepted   <-- differs" out
run 1 replay zero.jsonl --target "cosmos:$changed"
run 0 replay zero.jsonl --target "cosmos:$url"
run 1 smoke --target "cosmos:$changed"
says '"status" is 409 (exists already), and should be 400 (invalid request)' out
# Only an endpoint that ended, or stopped to answer, may keep databases.
for name in $(ask GET /dbs | grep -o '"id":"mayfly-[0-9a-f]*-[0-9]*"' | cut -d'"' -f4); do ask DELETE "/dbs/$name" >/dev/null; done
is_clean 'in the end'

# Real time: clock steps are waited out, and cases mean the same as on a virtual clock.
serve --no-auth
cat >short.jsonl <<'END'
{"op":"reset","now":0}
{"op":"create_collection","collection":"c0","default_ttl":-1}
{"op":"create","collection":"c0","partition":"p0","id":"d0","ttl":1}
{"op":"advance","seconds":1}
{"op":"read","collection":"c0","partition":"p0","id":"d0","expect":{"status":404}}
END
run 0 replay short.jsonl "$props"/scenarios/{I6,T2,X1}*.jsonl --target "cosmos:$url"
says 'in real time, with patch' out
says 'held: 4 files' out
head -n 1 short.jsonl >empty.jsonl
run 0 replay empty.jsonl --target "cosmos:$url"
proxy zero "$port"
zero=$changed
sed 's/"ttl":1/"ttl":0/' short.jsonl >zero.jsonl
run 1 replay zero.jsonl --target "cosmos:$zero"
says "target     $accepted   <-- differs" out
proxy ghosts "$port"
sed 's/^{"op":"advance"/{"op":"read","collection":"c0","partition":"p0","id":"d0"}\n&/; s/"seconds":1/"seconds":3/' short.jsonl >ghost.jsonl
run 1 replay ghost.jsonl --target "cosmos:$changed"
says '<-- differs' out
others='' is_clean 'after real time'
printf '%s\n' '{"op":"reset","now":0}' '{"op":"advance","seconds":4}' >long.jsonl
run 0 replay long.jsonl --target "cosmos:$url"
says 'long.jsonl: not tested' out

# The right key is accepted, another is not.
own=$(printf 'a key of my own, of 32 bytes and more' | base64)
serve --clock virtual --key "$own"
MAYFLY_KEY=$own run 0 smoke --target "cosmos:$url"
run 3 check --seed 3 --cases 5 --target "cosmos:$url" --key "$own"
says " --target cosmos:$url" out
grep -qF "$own" out && fail 'the key is in the report'
run 0 replay names/{spaces,form,escapes}.jsonl --target "cosmos:$url" --key "$own" --quiet
complains "$url rejects this key (401): " smoke --target "cosmos:$url"
complains '--key: a key must be base64 text' smoke --target "cosmos:$url" --key 'no key!'

# Endpoints that cannot or must not be used: bad input.
complains '--target: http://127.0.0.1:1/ cannot be reached: Connection refused' check --target cosmos:http://127.0.0.1:1
complains 'https://127.0.0.1:1/ cannot be reached' smoke --target cosmos:https://127.0.0.1:1/
complains "http://192.0.2.1:8081/ is not this machine" check --target cosmos:http://192.0.2.1:8081/
complains "https://store.example:443/ is not this machine" replay short.jsonl --target cosmos:https://store.example
for bad in '' 127.0.0.1:8081 ftp://127.0.0.1/ http:// http://127.0.0.1:x/ http://127.0.0.1:99999/ 'http://a b/' http://127.0.0.1/dbs; do
  complains "an endpoint is http://HOST:PORT/ or https://HOST:PORT/, not \"$bad\"" check --target "cosmos:$bad"
done
complains '--key, --clock-command and --yes-remote are for --target cosmos:URL' check --key "$own"

finish 'endpoints work as targets'
