# Sourced, after driving.sh, by the tests of endpoints: starts servers, and proxies before them.
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
# between MODE PORT: starts a proxy that alters answers, and leaves its URL in $changed.
between() {
  mkfifo "started.${#servers[@]}"
  python3 "$props/tests/cli/cosmos_proxy.py" "$1" "$2" >"started.${#servers[@]}" &
  exec 4<"started.${#servers[@]}"
  servers+=($!)
  read -r proxy_port <&4
  changed=http://127.0.0.1:$proxy_port/
}
