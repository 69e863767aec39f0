# Sourced by the tests of the program. Requires $mayfly, and works in a folder of its own.
set -u
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here" || exit 1
failures=0

fail() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}
# is_short FILE [LINES]: the trace has at most LINES lines (7), unless `out` says that shrinking ran out of time.
is_short() {
  grep -q ', stopped early' out || [ "$(wc -l <"$1")" -le "${2-7}" ] || fail "the trace is long: $(cat "$1")"
}
# run EXIT_CODE ARGUMENT...: runs the program and keeps its output in out and err. A target has all the time that a busy
# machine may take, unless the arguments set a timeout.
run() {
  local wanted=$1 patience=()
  shift
  [[ " $* " != *" --target "* || " $* " == *" --timeout "* ]] || patience=(--timeout 10m)
  : >out || exit 1 # or a missing folder would pass for an exit code of 1
  "$mayfly" "$@" "${patience[@]}" >out 2>err
  local got=$?
  [ "$got" = "$wanted" ] || fail "mayfly $* exits with $got, not $wanted: $(cat err)"
}
says() { grep -qF -- "$1" "$2" || fail "'$1' is not in $2: $(head -c 500 "$2")"; }
# complains TEXT ARGUMENT...: exit 2, and exactly one line of message.
complains() {
  local text=$1
  shift
  run 2 "$@"
  says "$text" err
  [ "$(wc -l <err)" = 1 ] || fail "mayfly $* says more than one line: $(cat err)"
  [ ! -s out ] || fail "mayfly $* prints on standard output: $(cat out)"
}
# interrupt PROCESS [SIGNAL]: sends the signal until the program, started in the background, ends, because the program may
# not handle it yet. Its exit code is in $ended. Until the program runs, the process is a copy of this shell, which would
# clean up.
interrupt() {
  until [ "/proc/$1/exe" -ef "$mayfly" ] || ! kill -0 "$1" 2>/dev/null; do sleep 0.05; done
  while kill -"${2-INT}" "$1" 2>/dev/null; do sleep 0.1; done
  wait "$1"
  ended=$?
}
# without_time FILE: a result without its times, which differ from run to run.
without_time() { sed 's/"seconds":[^,]*,//g' "$1"; }
finish() {
  if [ "$failures" = 0 ]; then echo "$1"; fi
  exit "$failures"
}
