#!/usr/bin/env bash
# Stores in other processes that keep to the protocol: those of props/examples/, sound and with their defect.
# targets.sh PROGRAM EXAMPLE_PROGRAM
mayfly=$1
example=$2
props=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=props/tests/cli/driving.sh
source "$props/tests/cli/driving.sh"

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
introduction {"status":200,"features":[],"limits":{"id_bytes":8}}
introduction {"status":200,"features":[],"limits":{"forbidden":"a"}}
answer_line {"document":{"partition":"p0","id":"d0","value":"","_ts":0}}
answer_line {"status":200,"document":{"partition":"p0","id":"d0","value":""}}
answer_line {"status":"200"}
END

# What lies beyond the limits of a target is listed and not sent; within them every name is kept.
limited() { sed "s/\"features\": \[/\"limits\": $1, &/" "$props/examples/store.py"; }
limited '{"collection_bytes": 64, "partition_bytes": 2048, "id_bytes": 255, "value_bytes": 70000, "min_bytes": 1, "forbidden": "\/\\\\?# \\x00\\n"}' >limited.py
run 0 smoke --target 'python3 limited.py'
tr -s '\n ' ' ' <out | says "not tested (the store's limits): names of collections of more than 64 bytes; names of partitions of more than 2048 bytes; ids of more than 255 bytes; values of more than 70000 bytes; empty names; names with any of / \\ ? # space \\u0000 \\n" /dev/stdin
tr -s '\n ' ' ' <out | says 'names and value are as long as the limits allow: 201' /dev/stdin
grep -q 'an empty id\|every space' out && fail 'what is beyond the limits is sent'
run 0 check --seed 3 --cases 100 --target 'python3 limited.py' --json limited.json
says '"limits":{"collection_bytes":64,"partition_bytes":2048,"id_bytes":255,"value_bytes":70000,"min_bytes":1,' limited.json
tr -s '\n ' ' ' <out | says "not tested (the store's limits): names of collections" /dev/stdin
printf '%s\n' '{"op":"reset","now":0}' '{"op":"read_collection","collection":""}' >empty.jsonl
run 0 replay empty.jsonl --target 'python3 limited.py'
says 'empty.jsonl: not tested, it is beyond the limits that the target states' out
run 0 replay empty.jsonl --target "python3 $props/examples/store.py"

# Names that a careless store takes for each other are kept apart by the example stores.
mkdir names
python3 "$props/tests/cli/name_traces.py" names
for target in "python3 $props/examples/store.py" "node $props/examples/store.mjs" "$example" "$server"; do
  run 0 replay names/*.jsonl --target "$target" --quiet
  says "held: $(ls names | wc -l) files" out
done

# What a target lacks is neither sent nor checked.
run 0 replay "$props"/scenarios/I4-*.jsonl --target "$example"
says 'not tested, it needs features that the target lacks' out
says '1 not tested' out

finish 'targets work'
