#!/usr/bin/env bash
# The worlds of the generator: wrong stores in Python that one world alone shows, and sound stores of every kind in each.
# worlds.sh PROGRAM: one wrong store of each world from one seed.
# worlds.sh PROGRAM wrong: all of them from twenty seeds, and that no small case shows them.
# worlds.sh PROGRAM sound: ten million operations of each world on sound stores.
mayfly=$1
props=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=props/tests/cli/driving.sh
source "$props/tests/cli/driving.sh"
# shellcheck source=props/tests/cli/endpoints.sh
source "$props/tests/cli/endpoints.sh"
unset PYTHONDONTWRITEBYTECODE # compiled once, into this folder instead of the sources
export PYTHONPYCACHEPREFIX=$here/compiled

# The cases of each world that `check` runs through Python in ten seconds on one idle core, where it runs some 7,000 of
# all worlds together, and those that have ten million operations.
declare -A in_ten_seconds=([crowd]=50 [names]=690 [values]=940 [long]=50 [rollover]=1140)
declare -A of_ten_million=([small]=190000 [crowd]=17000 [names]=190000 [values]=340000 [long]=8300 [rollover]=190000)

wrong_store() { python3 -S "$props/tests/cli/wrong_store.py" "$@"; }
# list WORLD: the defects that it alone shows.
list() { wrong_store --list "$1" | sed 's/:.*//'; }
# search EXIT_CODE WORLD CASES SEED DEFECT
search() {
  run "$1" check --world "$2" --cases "$3" --seed "$4" --jobs 1 --no-canary --quiet --save wrong.jsonl \
    --target "python3 -S $props/tests/cli/wrong_store.py --defect $5"
}

wrong() {
  local world defect seed
  for world in "${!in_ten_seconds[@]}"; do
    [ "$(list "$world" | wc -l)" -ge 5 ] || fail "fewer than five wrong stores are for the world $world"
    for defect in $(list "$world" | head -n "${1-100}"); do
      for seed in $(seq "${2-20}"); do search 1 "$world" "${in_ten_seconds[$world]}" "$seed" "$defect"; done
      [ "${2-20}" = 1 ] || search 0 small 1000 1 "$defect"
    done
  done
}

# holds WORLD CASES LEAST_OPERATIONS ARGUMENT...: no violation. Few cases of one world may leave out a rule, and be
# inconclusive.
holds() {
  local world=$1 cases=$2 least=$3 operations got
  "$mayfly" check --world "$world" --cases "$cases" --seed 1 --no-canary --quiet --timeout 60s "${@:4}" >out 2>err
  got=$?
  operations=$(sed -nE 's/^(held|INCONCLUSIVE): .* cases?, ([0-9,]+) operations.*/\2/p' out | tr -d ,)
  [[ $got == [03] && ${operations:-0} -ge $least ]] || fail "$world ${*:4} exits with $got: $(head -n 9 out err)"
  echo "$world: $operations operations" "${@:4}"
}

sound() {
  local world make cases
  serve --clock virtual --no-auth
  for world in "${!of_ten_million[@]}"; do
    cases=${of_ten_million[$world]}
    holds "$world" "$cases" 10000000
    holds "$world" "$cases" 10000000 --target "$mayfly model-server"
    for make in $(python3 -S "$props/tests/cli/sound_store.py" --list | sed 's/:.*//'); do
      holds "$world" $((cases / 20)) 400000 --target "python3 -S $props/tests/cli/sound_store.py --make $make"
    done
    holds "$world" $((cases / 500)) 10000 --target "cosmos:$url"
  done
}

case ${2-} in
  wrong) wrong; finish "every wrong store is caught from 20 seeds, in $SECONDS s" ;;
  sound) sound; finish "sound stores hold in every world, in $SECONDS s" ;;
  *) wrong 1 1; finish "a wrong store of every world is caught, in $SECONDS s" ;;
esac
