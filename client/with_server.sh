#!/bin/sh
# Starts a server and runs a command against it: with_server.sh FOLDER_WITH_BINARIES COMMAND ARGUMENT...
# In the arguments, ENDPOINT is replaced with the server's endpoint, and ADDRESS with its host:port.
set -eu
bin=$(cd "$1" && pwd)
shift
folder=$(mktemp -d)
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$bin/gsar-server" --judge rules/2 --listen "grpc://127.0.0.1:$port" --data-dir "$folder/data" >"$folder/log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true; wait $server 2>/dev/null || true; rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT PIPE TERM
until "$bin/gsar" doctor --endpoint "grpc://127.0.0.1:$port" >/dev/null 2>&1; do
    kill -0 $server || { cat "$folder/log" >&2; exit 1; }
done
command=""
for argument in "$@"; do
    argument=$(printf '%s' "$argument" | sed "s|ENDPOINT|grpc://127.0.0.1:$port|; s|ADDRESS|127.0.0.1:$port|; s|'|'\\\\''|g")
    command="$command '$argument'"
done
eval "$command"
