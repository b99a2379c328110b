#!/bin/bash
# An MCP server that is not JavaScript. Its tool does one deed, and returns what came of it.
[ -n "$1" ] && : >"$1"
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
value() { [[ $line =~ \"$1\":\"([^\"]*)\" ]] && printf '%s' "${BASH_REMATCH[1]}"; }
through_proxy() {
  local user=${http_proxy#http://}
  user=${user%@*}
  local auth
  auth=$(printf '%b' "${user//%/\\x}" | base64 -w0)
  # The sandbox starts the way to its proxy beside this program.
  for _ in {1..100}; do
    (exec 3<>/dev/tcp/localhost/3128) 2>/dev/null && break
    sleep 0.1
  done
  exec 3<>/dev/tcp/localhost/3128 || return
  printf 'GET http://%s/ HTTP/1.1\r\nHost: %s\r\nProxy-Authorization: Basic %s\r\nConnection: close\r\n\r\n' \
    "$1" "$1" "$auth" >&3
  timeout 5 cat <&3
}
deed() {
  case $1 in
    read) cat "$2" ;;
    list) ls -A "$2" ;;
    write) echo written >"$2" && echo written ;;
    variables) env ;;
    connect) (exec 3<>"/dev/tcp/${2%:*}/${2#*:}") && echo connected ;;
    proxy) through_proxy "$2" ;;
    end) kill -9 -1 ;;
  esac 2>&1
}
while IFS= read -r line; do
  [[ $line =~ \"id\":([0-9]+|\"[^\"]*\") ]] || continue
  id=${BASH_REMATCH[1]}
  case $line in
    *'"method":"initialize"'*)
      answer '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"shell","version":"1"}}'
      ;;
    *'"method":"tools/list"'*)
      answer '{"tools":[{"name":"deed","inputSchema":{"type":"object"}}]}'
      ;;
    *'"method":"tools/call"'*)
      text=$(deed "$(value what)" "$(value on)" | base64 -w0)
      answer "{\"content\":[{\"type\":\"text\",\"text\":\"$text\"}]}"
      ;;
    *) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id" ;;
  esac
done
