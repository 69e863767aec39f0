#!/usr/bin/env bash
# Drives the program as a user would: command_line.sh PROGRAM
mayfly=$1
source=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/../../.." && pwd)
# shellcheck source=props/tests/cli/driving.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/driving.sh"

# check
run 0 check --seed 1 --cases 300
says 'held: 300 cases' out
says 'seed 1; repeat with: ' out
says ' check --seed 1 --cases 300' out
says 'create_collection' out
says 'times that each rule was exercised' out
[ ! -s err ] || fail "there is progress in a pipe: $(cat err)"
run 0 check --seed 1 --cases 300 --quiet --json a.json
[ "$(wc -l <out)" = 3 ] || fail "--quiet prints more than the verdict"
run 0 check --seed 1 --cases 300 --quiet --json b.json
[ "$(without_time a.json)" = "$(without_time b.json)" ] || fail 'the same seed gives another result'
says '"verdict":"held"' a.json
says '"canary":"caught"' a.json
run 0 check --seed 1 --cases 300 --quiet --no-canary --json c.json
says '"canary":"skipped"' c.json
run 0 check --seed 1 --cases 300 --quiet --html held.html
says '"verdict":"held","summary":"300 cases, ' held.html
run 0 merge a.json --quiet --html merged.html
says '"verdict":"held","summary":"300 cases, ' merged.html
run 0 check --seed 0123456789abcdef0123456789abcdef01234567 --cases 200 --quiet
says 'seed 81985529216486895' out
run 0 check --seed 0123abc --cases 200 --quiet
says 'seed 1194684' out
run 0 check --seed 1234567 --cases 200 --quiet
says 'seed 1234567;' out
for seed in 123abc 0123456789abcdef0123456789abcdef012345678 1234567g; do
  complains '--seed must be a number below 2^64 or a commit id, of 7 to 40 digits' check --seed $seed
done
run 0 check --seed 1 --cases 200 --time 1h --timeout 5s --quiet
says ' check --seed 1 --cases 200 --time 1h --timeout 5s' out
run 0 check --cases 200 --seed 1 --no-canary --quiet --json c.json --jobs 1 --corpus 'my corpus'
says "repeat with: $mayfly check --seed 1 --cases 200 --no-canary --jobs 1 --corpus 'my corpus'" out
[ "$(tail -c 2 out)" = "'" ] || fail 'the command that repeats it has options for output'
run 3 check --cases 10 --ops 5 --quiet
says '--ops 5' out
complains '--seed must be' check --seed twelve
complains '--seed must be' check --seed 99999999999999999999
run 3 check --seed 1 --cases 1 --quiet
says 'INCONCLUSIVE: 1 case, ' out
for cases in 0 many 1.5; do
  complains "--cases must be a whole number from 1 to 1000000000000, got \"$cases\"" check --cases $cases
done
for time in 3parsecs -1s; do
  complains "--time must be a time from 1ms to 2000h, such as 30s or 5m, got \"$time\"" check --time $time
done
complains '--ops must be' check --ops 0
for output in 'check --save' 'check --json' 'check --html' 'check --junit' 'conform --junit' 'explore --save' 'explore --json' \
  'merge a.json --html' 'replay a.json --html' 'defects --json'; do
  # shellcheck disable=SC2086 # words
  complains "${output##* }: /nowhere/x cannot be written" $output /nowhere/x
  # shellcheck disable=SC2086 # words
  complains "${output##* }: . is a directory" $output .
done
complains '--json and --save name the same file' check --cases 1 --json same --save same
complains '--json and --html name the same file' check --cases 1 --json same --html same
complains '--save:  cannot be written' check --cases 1 --save ''
[ ! -e x ] || fail 'a file was left behind'

"$mayfly" check --cases 1 >/dev/full 2>err
[ $? = 2 ] || fail 'a full disk goes unnoticed'
says 'standard output cannot be written' err

# explore
run 0 explore
says '55 operations: 2 documents in 1 collection' out
says 'closed at depth ' out
[ ! -s err ] || fail "there is progress in a pipe: $(cat err)"
run 0 explore --documents 1 --ttls absent,1 --defaults off,1 --steps 1 --quiet --json c.json
[ "$(wc -l <out)" = 1 ] || fail "--quiet prints more than the verdict"
says '"verdict":"closed"' c.json
says '"scope":{"documents":1,"collections":1,"ttls":["absent","1"],"defaults":["off","1"],"steps":["1"],"lazy":false}' c.json
run 0 explore --collections 2 --lazy --depth 2
says 'not closed: stopped at depth 2 by --depth 2' out
run 0 explore --documents 8 --time 50ms --quiet
says 'by --time' out
run 0 explore --documents 8 --memory 20M --quiet --json c.json
says 'by --memory at 20 MiB' out
says '"verdict":"not closed"' c.json
"$mayfly" explore --documents 8 --quiet >out 2>err &
searching=$!
interrupt "$searching"
[ "$ended" = 130 ] || fail 'an interrupted search does not exit with 130'
says 'by an interrupt' out
complains '--documents' explore --documents 0
complains '--collections' explore --collections 9
complains '--ttls must list absent, -1 or 1 to 2147483647, got "soon"' explore --ttls absent,soon
complains '--ttls must list' explore --ttls 0
complains '--defaults must list off, -1 or 1 to 2147483647, got "absent"' explore --defaults absent
complains '--steps must list seconds from 1 to 1000000, got "0"' explore --steps 1,0
complains '--depth' explore --depth none
complains '--time' explore --time soon
for size in lots 5; do
  complains "--memory must be a size from 1M to 1024T, such as 500M or 2G, got \"$size\"" explore --memory $size
done

# replay
reset='{"op":"reset","now":1700000000}'
{
  echo "$reset"
  echo '{"op":"create_collection","collection":"c0","default_ttl":5,"expect":{"status":201}}'
  echo '{"op":"create","collection":"c0","partition":"p0","id":"d0","expect":{"status":201}}'
  echo '{"op":"advance","seconds":5}'
  echo '{"op":"read","collection":"c0","partition":"p0","id":"d0","expect":{"status":404}}'
} >good.jsonl
run 0 replay good.jsonl
says 'held: 1 file, 1 case, 4 steps, nothing wrong' out
says '[E1 X1 X2 P1 C2]' out
run 0 replay - <good.jsonl
says 'held: 1 file' out
complains '-:1: the trace is empty' replay - </dev/null
sed 's/404/200/' good.jsonl >wrong.jsonl
run 1 replay good.jsonl wrong.jsonl
says 'wrong.jsonl:5: expected {"status":200}' out
says 'VIOLATED: 2 files, 2 cases, 8 steps, 2 wrong' out
run 1 replay wrong.jsonl --html wrong.html
says '"verdict":"violated"' wrong.html
complains 'nowhere.jsonl: cannot be read' replay nowhere.jsonl
complains 'is a directory' replay .
run 0 replay /dev/stdin <good.jsonl
cat good.jsonl | "$mayfly" replay /dev/stdin >out 2>err || fail "a pipe cannot be replayed: $(cat err)"
mkfifo pipe.jsonl
for command in replay merge compare 'conform --expect'; do
  # shellcheck disable=SC2086 # words
  complains 'pipe.jsonl: is no regular file' $command pipe.jsonl
done
mkdir corpus && mkfifo corpus/pipe.jsonl
complains 'corpus/pipe.jsonl: is no regular file' check --cases 5 --corpus corpus
: >empty.jsonl
complains 'empty.jsonl:1: the trace is empty' replay empty.jsonl
printf '%s\n{"op":"create","collection":"\xff"}\n' "$reset" >bytes.jsonl
complains 'bytes.jsonl:2: not JSON' replay bytes.jsonl
{ echo "$reset" && head -c 40000000 /dev/zero | tr '\0' x; } >long.jsonl
complains 'long.jsonl:2: the line is longer than' replay long.jsonl
echo '{"op":"reset","now":-1}' >range.jsonl
complains 'range.jsonl:1: reset: "now" must be a whole number' replay range.jsonl
complains 'FILE' replay

# --world
run 0 check --seed 1 --cases 300 --world names --verbose
grep -qE '^rule .* names' out || fail 'there are no rules by world'
grep -qE '^names +300 ' out || fail 'a pinned world does not have every case'
run 2 check --world smal
says 'mayfly: unknown world smal; did you mean small?' err

# defects
run 0 defects expires-late saturates --seeds 3 --json defects.json
[ "$(grep -cE ' 3/3 ' out)" = 2 ] || fail 'defects expires-late saturates lists others'
says '"format":"mayfly-defects","version":1' defects.json
says '"id":"saturates","rule":"X5","clause":"X5.saturates"' defects.json
grep -qE '^saturates +X5\.saturates +3/3 ' out || fail 'the clause does not stand beside the defect'
run 0 defects expires-late --quiet
[ "$(wc -l <out)" = 2 ] || fail 'defects --quiet prints more than the verdict'
run 0 defects --list
listed=$(grep -cE '^[A-Z][0-9]\.[a-z0-9-]+  [a-z0-9-]+: ' out)
[ "$listed" -gt 0 ] && [ "$listed" = "$(grep -cv '^ ' out)" ] || fail "the list of defects is no list: $(cat out)"
run 0 defects --list X5 saturates
[ "$(grep -cE '^X5\.(wraps|saturates)  ' out)" = 5 ] && [ "$(grep -cv '^ ' out)" = 5 ] || fail "X5 has other defects: $(cat out)"
run 0 defects x5 --seeds 1 --quiet
says 'caught: 5 of 5 defects' out
run 0 defects X5.wraps --seeds 1 --quiet
says 'caught: 4 of 4 defects' out
"$mayfly" defects --seeds 1000 --json defects.json >out 2>err &
searching=$!
interrupt "$searching"
[ "$ended" = 130 ] || fail 'an interrupted search does not exit with 130'
says 'interrupted after ' out
says '"interrupted":true' defects.json
complains '--seeds' defects --seeds 0

# rules: one line each, or in full
run 0 rules --quiet
rules=$(wc -l <out)
[ "$rules" = "$(grep -cE '^\| [A-Z][0-9] \|' "$source/model/RULES.md")" ] || fail 'the rules are not those of RULES.md'
# shellcheck disable=SC2046 # words
run 0 rules $("$mayfly" rules --quiet)
[ "$(grep -cE '^[A-Z][0-9]        (stated|decided): [A-Z_]' out)" = "$rules" ] || fail 'not every rule is shown in full'
while read -r _ scenario; do
  [ -s "$source/$scenario" ] || fail "there is no file $scenario"
done < <(grep '^scenario ' out | tee scenarios)
[ "$(wc -l <scenarios)" = "$rules" ] || fail 'not every rule has a scenario'
clauses=$(grep -cE '^\| [A-Z][0-9]\.' "$source/model/RULES.md")
[ "$(grep -c '^clause ' out)" = "$clauses" ] || fail "not $clauses clauses are shown: $(grep -c '^clause ' out)"
[ "$(grep -c '^  defect ' out)" = "$("$mayfly" defects --list | grep -c '^[A-Z]')" ] || fail 'not every defect is shown'
run 0 rules
[ "$(grep -cE '^[A-Z][0-9]  [SD]  [A-Z]' out)" = "$rules" ] && [ "$(wc -l <out)" = "$rules" ] || fail 'rules is not one line a rule'
run 0 rules x4.off --quiet
says X4 out
run 0 rules x4
for line in 'X4        decided: Expiry is final: no later change of the settings brings an' \
  'clause    X4.off: Off does not bring it back.' '  defect  revived-by-off: switching TTL off' \
  'property  a document that is not seen is never seen again until it is written' \
  'scenario  props/scenarios/X4-expiry-is-final.jsonl' "search    $mayfly defects X4" 'would bring documents back. Under a default of 5'; do
  says "$line" out
done
run 0 rules T2
says 'clause    T2.fraction, decided: A fraction is rejected.' out
! grep -q '^argument' out || fail 'T2 has an argument'

# tab completion
# offers WORD...: what the tab key offers for the last word
offers() {
  bash -c 'source <("$0" completion) && COMP_WORDS=("$@") && COMP_CWORD=$(($# - 1)) && _mayfly && echo "${COMPREPLY[@]}"' "$mayfly" "$@"
}
[ "$(offers ./mayfly con)" = conform ] || fail "for con the tab key offers $(offers ./mayfly con)"
[ "$(offers mayfly check --ca)" = --cases ] || fail "for check --ca the tab key offers $(offers mayfly check --ca)"
[ -z "$(offers mayfly check my)" ] || fail "in place of a file the tab key offers $(offers mayfly check my)"
"$mayfly" options | sed -n '/^## mayfly serve/,/^## /s/^| `\(--[a-z-]*\).*/\1/p' >options
[ "$(offers mayfly serve --)" = "$(echo --help $(cat options))" ] || fail "for serve -- the tab key offers $(offers mayfly serve --)"
bash -c 'source <("$0" completion) && complete -p mayfly' "$mayfly" >out || fail 'bash does not complete mayfly'

# what was most likely meant
complains 'unknown option --bogus; mayfly --help lists' --bogus
complains 'unknown option --case; did you mean --cases?' check --case 5
complains 'unknown option --tmie; did you mean --time?' check --cases 1 --tmie=5s
complains 'unknown option --nonsense; mayfly check --help lists the options' check --nonsense
complains 'unknown command chekc; did you mean check?' chekc
complains 'unknown command frobnicate; mayfly --help lists the commands' frobnicate
complains 'unknown rule x9; did you mean X1?' rules x9
complains 'unknown rule Z9; mayfly rules lists them' rules Z9
complains 'unknown defect, clause or rule expires-lat; did you mean expires-late?' defects expires-lat
complains 'unknown defect, clause or rule nonsense; mayfly defects --list lists them' defects expires-late nonsense
complains "so the command needs quotes: --target 'python3 x.py'" check --target python3 x.py
complains "so the command needs quotes: --target 'python3 -u x.py --late'" smoke --target python3 -u x.py --late --timeout 1s
complains "so the command needs quotes: --clock-command './move it'" check --clock-command ./move it
complains 'check does not take the argument foo' check foo
complains '--seed needs a value' check --seed
complains '--seed can be given only once' check --seed 1 --seed 2

run 0 --help
commands=$(sed -n '/^Subcommands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p' out)

# tables fit the terminal, but for a sentence or a command at the end
# fits LINES [COLUMNS]: all lines but the last ones are no longer.
fits() { [ -z "$(head -n "-$1" out | awk -v most="${2-80}" 'length > most' | tee wide)" ] || fail "lines are wide: $(cat wide)"; }
run 0 check --seed 1 --cases 5000
fits 1
run 0 explore --time 100ms --documents 8 --ttls absent,-1,1,2,1000000000,2000000000
fits 0
run 0 defects default-reaches-other-collections X5 --seeds 2
fits 2
pages=(rules 'rules I3 X4' 'defects --list' --help)
for command in $commands; do pages+=("$command --help"); done
for columns in 60 80 160; do
  export COLUMNS=$columns
  run 0 smoke --target "$mayfly model-server"
  fits 1 $columns
  run 0 defects default-reaches-other-collections --seeds 1
  fits 2 $columns
  for page in "${pages[@]}"; do
    # shellcheck disable=SC2086 # words
    run 0 $page
    sed -i '/^scenario  props/d; /^search  /d' out # a path cannot be folded
    fits 0 $columns
  done
done
unset COLUMNS

# the program
run 0 --help
says './mayfly test' out
run 0
says 'check' out
run 0 --version
mv out version
run 0 -v
cmp -s version out || fail '-v does not print the version'

finish "the command line works"
