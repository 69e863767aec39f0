#!/usr/bin/env bash
# Stores of different make behind the protocol: no command blames a sound one, and `check` catches every wrong one.
# stores.sh PROGRAM [SEEDS]: a quarter of the wrong ones from one seed, or all of them from as many seeds.
mayfly=$1
props=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=props/tests/cli/driving.sh
source "$props/tests/cli/driving.sh"
# Compiled once, into this folder instead of the sources.
unset PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX=$here/compiled
# list PROGRAM: the names of its stores.
list() { python3 -S "$props/tests/cli/$1" --list | sed 's/:.*//'; }

for make in $(list sound_store.py); do
  target="python3 -S $props/tests/cli/sound_store.py --make $make"
  run 0 smoke --target "$target"
  run 0 check --seed 5 --cases 400 --jobs 1 --no-canary --quiet --target "$target"
  says 'held: 400 cases' out
  run 0 conform --cases 100 --checks 20 --quiet --target "$target"
  run 0 explore --documents 1 --ttls absent,1 --defaults off,1 --steps 1 --lazy --depth 4 --target "$target"
done
[ "$(list sound_store.py | wc -l)" -ge 6 ] || fail 'there are fewer than six sound stores'

# A feature that is not announced is never used: this store exits if it is.
for feature in patch purge lazy held count; do
  target="python3 -S $props/tests/cli/sound_store.py --make lazy-purge --lacks $feature"
  run 0 check --seed 7 --cases 400 --jobs 1 --no-canary --quiet --target "$target"
done

# A lazy index that is behind shows documents in an order of its own: the same case run twice gives different answers.
run 0 check --seed 6 --cases 2000 --jobs 1 --no-canary --quiet --target "python3 -S $props/tests/cli/sound_store.py --make random-order"

# 7,000 cases take ten seconds on one core. `check` does not yet catch an expiry that eight later changes undo (X4).
wrong() { list wrong_store.py | grep -vx history-of-eight; }
# catch DEFECT SEED
catch() {
  run 1 check --seed "$2" --cases 7000 --jobs 1 --no-canary --quiet --save wrong.jsonl \
    --target "python3 -S $props/tests/cli/wrong_store.py --defect $1"
}
most_seeds=${2-1}
[ "$(wrong | wc -l)" -ge 80 ] || fail 'there are fewer than eighty wrong stores'
for defect in $(wrong | if [ "$most_seeds" = 1 ]; then awk 'NR % 4 == 1'; else cat; fi); do
  for seed in $(seq "$most_seeds"); do catch "$defect" "$seed"; done
done

finish "sound stores hold, and wrong ones are caught, from $most_seeds seeds, in $SECONDS s"
