#!/bin/sh
# Generates the stubs, checks the types, and runs the example against a real server: check.sh FOLDER_WITH_BINARIES
set -eu
bin=$(cd "$1" && pwd)
cd "$(dirname "$0")"
npm install --silent --no-audit --no-fund --no-package-lock
npm run --silent generate
npm run --silent check
said=$(sh ../with_server.sh "$bin" npm run --silent evaluate -- http://ADDRESS)
echo "$said"
test "$(echo "$said" | head -1)" = REPLAN
