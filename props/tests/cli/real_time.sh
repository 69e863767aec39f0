#!/usr/bin/env bash
# An endpoint in real time, behind a proxy that shows expired items: many cases wait in parallel, also while a failure is
# shrunk. real_time.sh PROGRAM [conform]
mayfly=$1
props=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=props/tests/cli/driving.sh
source "$props/tests/cli/driving.sh"
# shellcheck source=props/tests/cli/endpoints.sh
source "$props/tests/cli/endpoints.sh"

serve --no-auth
proxy ghosts "$port"

if [ "${2-}" != conform ]; then
  run 1 check --seed 3 --cases 50 --ops 10 --target "cosmos:$changed" --save waited.jsonl
  says 'real time: ttls up to 3 s, 50 cases in parallel' err
  is_short waited.jsonl
  finish 'check works in real time'
fi

# Without a limit of time: how many rules are reached in one depends on the machine.
ghosts=$changed
proxy zero "$port"
run 0 conform --target "cosmos:$url" --save .
run 1 conform --target "cosmos:$ghosts" --save .
grep -qE '^X[12] S  (fail|unattributed)' out || fail "ghosts are blamed on other rules: $(grep -E ' (fail|differs|unattributed) ' out)"
run 1 conform --target "cosmos:$changed" --save .
says 'T3 fails: ' out
says 'T2 fails: ' out

finish "conform works in real time: three endpoints in $SECONDS s"
