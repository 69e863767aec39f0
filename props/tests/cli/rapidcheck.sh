#!/usr/bin/env bash
# A property that fails under RapidCheck, with its parameters: rapidcheck.sh MAYFLY LATE_PROPERTY
mayfly=$1
property=$2
# shellcheck source=props/tests/cli/driving.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/driving.sh"

# with EXIT_CODE RC_PARAMS [each]: runs the property. The number of its cases is in out, the output of RapidCheck in err.
with() {
  RC_PARAMS=$2 "$property" "${@:3}" >out 2>err
  local got=$?
  [ "$got" = "$1" ] || fail "with RC_PARAMS=$2 the property exits with $got, not $1: $(cat err)"
}
# The finding, from the counterexample to the log.
found() { sed -n '/^std::tuple/,/^answered/p' err; }
trace() { grep '^{"op":' err; }

# the counterexample is the shortest trace, and the log shows how it breaks the property
cat >expected <<'END'
std::tuple<mayfly::Case>:
(
{"op":"reset","now":0}
{"op":"create_collection","collection":"c0","default_ttl":1}
{"op":"create","collection":"c0","partition":"p0","id":"d0"}
{"op":"advance","seconds":1}
)

Returned false

Log:
the store breaks "everything that can be seen is as the rules allow after every request"
observed  {"op":"query","collection":"c0"}
expected  {"status":200,"documents":[]}
answered  {"status":200,"documents":[{"partition":"p0","id":"d0","value":"","_ts":0}]}
END
with 1 'seed=7'
says '- a late store keeps the rules' err
[ "$(found)" = "$(cat expected)" ] || fail "another counterexample: $(cat err)"
cp err first
runs=$(cat out)

# mayfly replays it
trace >late.jsonl
run 0 replay late.jsonl
says 'held: 1 file, 1 case, 3 steps, nothing wrong' out

# the same seed finds the same after the same number of cases
with 1 'seed=7'
cmp -s err first || fail "the same seed says something else: $(diff err first)"
[ "$(cat out)" = "$runs" ] || fail "the same seed runs $(cat out) cases, not $runs"

# the reproduce string leads to the same case at once
reproduce=$(sed -n 's/^RC_PARAMS="\(reproduce=.*\)"$/\1/p' first)
[ -n "$reproduce" ] || fail "there is no reproduce string: $(cat first)"
with 1 "$reproduce"
[ "$(found)" = "$(cat expected)" ] || fail "the reproduce string leads elsewhere: $(cat err)"
[ "$(cat out)" -lt $((runs / 2)) ] || fail "to reproduce takes $(cat out) cases, to find $runs"

# other parameters work: no shrinking, and cases of one operation, too short to fail
with 1 'seed=7 noshrink=1'
[ "$(trace | wc -l)" -gt 5 ] || fail "noshrink=1 shrinks: $(cat err)"
with 0 'seed=7 max_size=0 max_success=200'
says 'OK, passed 200 tests' err
[ "$(cat out)" = 200 ] || fail "max_success=200 runs $(cat out) cases"

# each property has a name, and a reproduce string of its own
with 1 'seed=7' each
[ "$(grep -c '^- late store: ' err)" = 17 ] || fail "not every property is checked: $(cat err)"
says '- late store: advancing by a and then by b is advancing by a + b' err
grep -A1 '^- late store: the store answers every request as the rules allow$' err | says 'Falsifiable' /dev/stdin
grep -A1 '^- late store: the same case gives the same answers$' err | says 'OK, passed 100 tests' /dev/stdin
with 1 "$(sed -n 's/^RC_PARAMS="\(reproduce=.*\)"$/\1/p' err)" each
says 'Falsifiable after 1 tests' err
says 'OK, passed 0 tests' err

finish "RapidCheck finds, shows and reproduces the same"
