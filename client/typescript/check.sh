#!/bin/sh
# Builds the TypeScript package, checks its types, and tests it against real servers: check.sh FOLDER_WITH_BINARIES
set -eu
bin=$(cd "$1" && pwd)
cd "$(dirname "$0")"
npm ci --silent --no-audit --no-fund
npm run --silent build
npm run --silent check
GSAR_SERVER="$bin/gsar-server" npm run --silent test
