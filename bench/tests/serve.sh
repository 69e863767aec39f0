#!/usr/bin/env bash
# Drives the benchmark of the server as a user would: serve.sh PROGRAM
mayfly=$1
# shellcheck source=props/tests/cli/driving.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../../props/tests/cli/driving.sh"

run 0 --seconds 0.05 --items 100 --connections 4
for text in 'processor ' 'commit ' 'load ' 'reads  closed loop' 'writes at 20,000 a second' ' of 6 bars met, ' \
  'Other processes used'; do says "$text" out; done

# An interrupt keeps what was measured: here the first figure, when there is one.
mkfifo figures
"$mayfly" --seconds 1 --items 100 --connections 4 >figures 2>err &
while read -r line; do
  case $line in *'reads  closed loop'*) kill -INT $! ;; esac
  echo "$line"
done <figures >out
wait $!
[ $? = 130 ] || fail "an interrupted run exits with $?: $(cat err)"
says 'Interrupted: ' out
says ' of 1 bar met, ' out
! grep -q writes out || fail "it went on: $(cat out)"

complains '--peer must be a numeric address' --peer localhost
finish 'the benchmark of the server prints and stops as documented'
