# Sourced, after driving.sh, by the tests of endpoints.

servers=()
trap 'kill "${servers[@]}" 2>/dev/null; rm -rf "$here"' EXIT

# serve ARGUMENT...: starts a server, and leaves its URL in $url and its port in $port.
serve() {
  mkfifo "started.${#servers[@]}"
  "$mayfly" serve --port 0 "$@" >"started.${#servers[@]}" &
  exec 4<"started.${#servers[@]}"
  servers+=($!)
  read -r line <&4
  url=${line#mayfly serves } && url=${url%% *}
  port=${url##*:} && port=${port%/}
}
# proxy MODE PORT: starts a proxy for this server, and leaves its URL in $changed.
proxy() {
  mkfifo "started.${#servers[@]}"
  python3 "$props/tests/cli/cosmos_proxy.py" "$1" "$2" >"started.${#servers[@]}" &
  exec 4<"started.${#servers[@]}"
  servers+=($!)
  read -r proxy_port <&4
  changed=http://127.0.0.1:$proxy_port/
}
