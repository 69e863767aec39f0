#!/usr/bin/env bash
# Campaigns: violations, crashes, shards and corpora. campaigns.sh PROGRAM DEFECTIVE_PROGRAM
sound=$1
defective=$2
mayfly=$sound
tests=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=props/tests/cli/driving.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/driving.sh"

# The cases do not depend on the number of workers and shards.
run 0 check --seed 5 --cases 400 --quiet --jobs 1 --json one.json
run 0 check --seed 5 --cases 400 --quiet --jobs 3 --json three.json
[ "$(without_time one.json)" = "$(without_time three.json)" ] || fail 'three workers give another result than one'
digest=$(grep -o '"digest":{"value":"[0-9a-f]*","cases":400' one.json)
[ -n "$digest" ] || fail 'the result has no digest of all its cases'
for i in 0 1 2; do run 0 check --seed 5 --cases 400 --quiet --shard $i/3 --json shard$i.json; done
run 0 merge shard2.json shard0.json shard1.json --json merged.json
says 'seed 5, 3 of 3 shards' out
for field in '"cases":400' '"verdict":"held"' "$digest"; do says "$field" merged.json; done
[ "$(without_time merged.json | grep -o '"answers":.*')" = "$(without_time one.json | grep -o '"answers":.*')" ] || fail 'shards do not add up to the whole'

complains 'only 2 of 3 shards are given: no verdict' merge shard0.json shard2.json --quiet

# The commands of the document, with fewer cases: those for GNU parallel, and the `run:` lines of the workflow.
# follow FOLDER COMMANDS: runs them where ./mayfly is the program, as a workflow does: up to the first that fails.
follow() {
  mkdir "$1" && ln -s "$sound" "$1/mayfly"
  (cd "$1" && bash -ec "$2" >../out 2>../err) || fail "the commands of CAMPAIGNS.md in $1 fail: $2: $(cat err)"
}
commands=$(grep -A1 '^    seq 0 3 | parallel' "$tests/../../CAMPAIGNS.md")
follow parallel "${commands//20000/400}"
says '4 of 4 shards' out
commands=$(sed -n 's/^ *- run: //p' "$tests/../../CAMPAIGNS.md")
export GITHUB_SHA=1c2d3e4f1c2d3e4f1c2d3e4f1c2d3e4f1c2d3e4f
follow workflow "${commands//--time 5m/--cases 300}"
says 'seed 2030347516510027343; repeat with: ./mayfly check --seed 2030347516510027343 --cases 300 --keep-going --corpus corpus' out
[ -d workflow/corpus ] && [ -s workflow/mayfly.xml ] || fail "the workflow leaves no corpus and no test cases: $(ls workflow)"
for path in corpus mayfly.xml; do
  grep -qE "with: .* path: $path[ ,]" "$tests/../../CAMPAIGNS.md" || fail "the workflow does not keep $path"
done

# Shards from the environment.
shard() { env "$@" "$mayfly" check --seed 5 --cases 40 --quiet >out 2>err || fail "$* fails: $(cat err)"; }
shard GTEST_SHARD_INDEX=1 GTEST_TOTAL_SHARDS=4
says '--shard 1/4' out
[ "$(head -n 1 out)" = 'shard 1/4, from GTEST_SHARD_INDEX and GTEST_TOTAL_SHARDS' ] || fail "the first line does not name the shard: $(head -n 1 out)"
shard SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=1
says '--shard 2/4' out
shard JOB_COMPLETION_INDEX=0 JOB_COMPLETIONS=2
says '--shard 0/2' out
run 3 check --seed 5 --cases 2 --shard 3/4 --quiet
says 'INCONCLUSIVE: 0 cases' out

# Bad input.
export JOB_COMPLETION_INDEX=0
complains 'JOB_COMPLETION_INDEX is set and JOB_COMPLETIONS is not: set both, or give --shard I/N' check --seed 5
run 0 check --seed 5 --cases 40 --shard 0/2 --quiet
unset JOB_COMPLETION_INDEX
complains 'shard 1/4 needs --seed' check --cases 40 --shard 1/4
GTEST_SHARD_INDEX=1 GTEST_TOTAL_SHARDS=4 complains 'shard 1/4 needs --seed' check --cases 40
complains '--shard must be I/N with I from 0 to N-1, got "3/3"' check --shard 3/3
complains '--shard must be I/N' check --shard one
complains '--jobs' check --jobs 0
complains 'shard0.json: shard 0/3 is there twice' merge shard0.json shard0.json
complains 'one.json: it is a shard of another campaign' merge shard0.json one.json
for settings in '--cases 401' '--cases 400 --ops 5' '--cases 400 --keep-going' '--cases 400 --time 1h'; do
  # shellcheck disable=SC2086 # options
  run 0 check --seed 5 $settings --quiet --shard 1/3 --json other.json
  complains 'other.json: it is a shard of another campaign' merge shard0.json other.json
done
complains 'other.json: it is a shard of another campaign: --seed 5 --cases 400 --time 3600s in 3 shards, not --seed 5 --cases 400 in 3 shards' merge shard0.json other.json
sed 's/"version":2,/"version":99,/' one.json >future.json
complains 'future.json: it is of version 99, not 2' merge future.json
echo '{' >broken.json
complains 'broken.json: is no result of mayfly check' merge broken.json
complains 'nowhere.json: cannot be read' merge nowhere.json

# A wrong answer: exit 1, a trace of at most six operations that replays, and the same one from any number of workers.
mayfly=$defective
run 1 check --seed 1 --jobs 1 --save one.jsonl --json one.json
says 'VIOLATION: the engine breaks' out
says '<-- differs' out
says 'visible at c0/p0/d0: reference nothing, engine {"value":"","_ts":0' out
says '    c0/p0/d0        W==========|r!!!!!' out
says '"gist":"At second 1 the engine still shows c0/p0/d0, which by the rules expired at second 1."' one.json
says 'replay one.jsonl' out
says 'times that each rule was exercised' out
says '"verdict":"violated"' one.json
says '"rules":["E' one.json
is_short one.jsonl
run 1 check --seed 1 --jobs 3 --save three.jsonl --quiet
cmp -s one.jsonl three.jsonl || fail 'three workers find another violation than one'
run 1 replay one.jsonl --html one.html
says '^ differs' out
says '"columns":[{"at":0,"step":0}' one.html
says 'VIOLATED: 1 file, 1 case, ' out
says 'steps, 1 wrong' out
# The command that it prints finds the same violation: with --time, with jobs, and of a shard.
# repeats ARGUMENT...
repeats() {
  run 1 check --seed 1 --save first.jsonl "$@"
  # shellcheck disable=SC2046 # words
  run 1 $(sed -n "s|^seed 1; repeat with: $mayfly ||p" out) --save again.jsonl
  cmp -s first.jsonl again.jsonl || fail "the command that repeats check $* finds another violation"
}
repeats --time 1m --quiet
repeats --jobs 3
repeats --ops 20 --shard 2/3
repeats --cases 60 --keep-going
MAYFLY_DEFECT=purge-skips-inheriting repeats --quiet
mayfly=$sound
run 0 replay one.jsonl

# The trace of merged results replays too.
mayfly=$defective
for i in 0 1; do run 1 check --seed 1 --cases 40 --quiet --shard $i/2 --json bad$i.json --save bad$i.jsonl; done
rm bad0.jsonl bad1.jsonl
run 1 merge bad0.json bad1.json --save merged.jsonl --html merged.html
says 'VIOLATION: the engine breaks' out
says 'saved as merged.jsonl; replay it with: ' out
says '"columns":[{"at":0,"step":0}' merged.html
run 1 replay merged.jsonl
mayfly=$sound

# A store that breaks a law though the rules allow every single answer.
mayfly=$defective
export MAYFLY_DEFECT=ttl-charged
run 1 check --seed 1 --save law.jsonl
says 'What the law compares' out
! grep -q 'visible at' out || fail 'documents are shown that do not differ'
run 1 replay law.jsonl
unset MAYFLY_DEFECT

# If the canary survives, the run is inconclusive, and so is the result that it is merged into.
MAYFLY_DEFECT=sound-canary run 3 check --seed 1 --cases 300 --json canary.json --junit canary.xml
says 'the canary survived: a store with a known defect' out
says 'INCONCLUSIVE: 300 cases' out
says '"verdict":"inconclusive"' canary.json
says '"canary":"survived"' canary.json
says '<error message="inconclusive: the canary survived' canary.xml
MAYFLY_DEFECT=sound-canary run 0 check --seed 1 --cases 300 --no-canary
run 3 merge canary.json --quiet
says 'the canary survived' out

# So is a run of too few cases, or whose cases do not exercise a rule.
MAYFLY_DEFECT=sound-canary run 3 check --seed 1 --cases 1000 --time 1ms --no-canary --json few.json
says ', and fewer than 100 prove nothing' out
says '"verdict":"inconclusive"' few.json
MAYFLY_DEFECT=sound-canary run 3 check --seed 1 --cases 300 --ops 1 --no-canary --quiet --junit rare.xml
says 'no case exercised ' out
says '<skipped message="not exercised"/>' rare.xml

# With --keep-going each defect is found once. The corpus keeps it, and the next run replays it first.
run 1 check --seed 1 --cases 20 --keep-going --corpus corpus
says 'found ' out
kept=$(find corpus -name '*.jsonl' | wc -l)
[ "$kept" -ge 1 ] && [ "$kept" -le 5 ] || fail "the corpus holds $kept traces"
run 1 check --seed 2 --cases 1 --corpus corpus
[ "$(find corpus -name '*.jsonl' | wc -l)" = "$kept" ] || fail 'the same defect is kept twice'
mayfly=$sound
run 0 check --seed 1 --cases 200 --corpus corpus --quiet
echo 'rubbish' >corpus/broken.jsonl
complains 'corpus/broken.jsonl:1: not JSON' check --cases 1 --corpus corpus
: >file
complains '--corpus: file is not a folder' check --cases 1 --corpus file
complains '--corpus: nowhere/corpus cannot be created' check --cases 1 --corpus nowhere/corpus
[ ! -e nowhere ] || fail 'the parent of the corpus was created'

# The expectations of a trace are checked too.
mkdir expecting
trace() {
  printf '%s\n' '{"op":"reset","now":0}' '{"op":"create_collection","collection":"c0","expect":{"status":201}}' \
    "{\"op\":\"read_collection\",\"collection\":\"c0\",\"expect\":{\"status\":$1}}" >expecting/trace.jsonl
}
trace 200
run 0 check --seed 1 --cases 200 --corpus expecting --quiet
trace 404
run 1 check --seed 1 --cases 10 --corpus expecting --quiet
says 'VIOLATION: the engine breaks "a trace of the corpus is answered as it expects"' out
says 'expecting/trace.jsonl:3: expected {"status":404}' out
run 1 check --seed 1 --cases 10 --corpus expecting --quiet
[ "$(grep -c VIOLATION out)" = 1 ] || fail 'the trace that was saved of it is another violation'

# A crash or a timeout is a violation like any other, shrunk and attributed.
mayfly=$defective
MAYFLY_DEFECT=abort run 1 check --seed 1 --save abort.jsonl
says 'aborted (signal 6)   <-- differs' out
MAYFLY_DEFECT=abort run 1 replay abort.jsonl
says 'aborted (signal 6)   <-- differs' out
is_short abort.jsonl
MAYFLY_DEFECT=hang run 1 check --seed 1 --timeout 3s --save hang.jsonl
says 'did not answer within 3 s   <-- differs' out
is_short hang.jsonl

# So is a store that exits in the middle of a case, with any status.
for status in 0 23; do
  MAYFLY_DEFECT=exit-$status run 1 check --seed 1 --cases 1000 --save exit.jsonl
  says "exited with status $status   <-- differs" out
  is_short exit.jsonl
  MAYFLY_DEFECT=exit-$status run 1 replay exit.jsonl
  says "exited with status $status   <-- differs" out
  MAYFLY_DEFECT=exit-$status run 1 explore --save exit.jsonl
  says "exited with status $status   <-- differs" out
  [ "$(grep -c 'operations: ' out)" = 1 ] || fail "what was printed is printed twice: $(cat out)"
done

# --time ends a case that is still running, which is then no violation.
MAYFLY_DEFECT=hang "$mayfly" check --seed 1 --time 1s --timeout 1h --quiet >out 2>err
[ $? != 1 ] && ! grep -q VIOLATION out || fail "a case that takes longer than the time left is blamed: $(cat out)"

# An interrupt works while each of many violations is shrunk, and while a store hangs.
"$mayfly" check --seed 1 --time 1s --keep-going --save many.jsonl >out 2>err &
checking=$!
until grep -q 'shrinking' err; do sleep 0.05; done
interrupt "$checking"
[ "$ended" = 1 ] || fail "an interrupted check does not show its violation: $(cat out err)"
MAYFLY_DEFECT=hang "$mayfly" check --seed 1 --timeout 1h --time 1h >out 2>err &
interrupt $!
[ "$ended" = 130 ] || fail "a check of a store that hangs ends with $ended: $(cat out err)"

# A search shows a shortest trace of each of them, which replays.
run 1 explore --save wrong.jsonl --json wrong.json
says 'no shorter trace shows one: 4 operations' out
says '<-- differs' out
says 'replay wrong.jsonl' out
says 'VIOLATED: ' out
says '"verdict":"violated"' wrong.json
run 1 replay wrong.jsonl
MAYFLY_DEFECT=abort-once run 1 check --seed 1 --cases 1000 --save once.jsonl
says 'aborted (signal 6), but not when it was run again' out
MAYFLY_DEFECT=abort run 1 explore --save abort.jsonl --json abort.json
says 'no shorter trace shows one: 4 operations' out
says 'aborted (signal 6)   <-- differs' out
says '"crash":"aborted (signal 6)"' abort.json
MAYFLY_DEFECT=abort run 1 replay abort.jsonl
MAYFLY_DEFECT=hang run 1 explore --timeout 2s --save hang.jsonl
says 'no shorter trace shows one: 3 operations' out
says 'did not answer within 2 s   <-- differs' out
[ "$(tail -n 1 hang.jsonl)" = '{"op":"delete","collection":"c0","partition":"p0","id":"d0"}' ] ||
  fail "the trace does not end with what hangs: $(cat hang.jsonl)"

finish 'campaigns work'
