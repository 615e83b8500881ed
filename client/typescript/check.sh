#!/bin/sh
# Generates the stubs, checks the types, and runs the example against a real server: check.sh TARGET_FOLDER_WITH_BINARIES
set -eu
bin=$(cd "$1" && pwd)
cd "$(dirname "$0")"
npm ci --no-audit --no-fund --silent
npm run --silent generate
npm run --silent check
folder=$(mktemp -d)
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$bin/gsar-server" --listen "grpc://127.0.0.1:$port" --data-dir "$folder/data" >"$folder/log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true; wait $server 2>/dev/null || true; rm -rf "$folder"' EXIT
until "$bin/gsar" doctor --endpoint "grpc://127.0.0.1:$port" >/dev/null 2>&1; do
    kill -0 $server || { cat "$folder/log" >&2; exit 1; }
done
said=$(npm run --silent evaluate -- "http://127.0.0.1:$port")
echo "$said"
test "$(echo "$said" | head -1)" = PROCEED
