#!/bin/sh
# Lints the contract and checks it for breaking changes since the last release, using buf from the npm registry.
set -eu
cd "$(dirname "$0")"
tools=../target/buf
if [ ! -x "$tools/node_modules/.bin/buf" ]; then
    npm install --silent --no-audit --no-fund --prefix "$tools" @bufbuild/buf@1.75.0
fi
buf="$tools/node_modules/.bin/buf"
"$buf" lint
"$buf" format --diff --exit-code
# The contract of the last release, written by `buf build -o released.binpb`.
if [ -f released.binpb ]; then "$buf" breaking --against released.binpb; fi
echo "proto: lint and formatting are clean"
