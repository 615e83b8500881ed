#!/bin/sh
# Looks for planted secrets in the output of tests, whatever printed them:
#
#     cargo nextest run -p gsar-server --no-capture 2>&1 | sh server/tests/support/leaks.sh
#
# Every secret of the tests begins with `planted-secret-`, `secret-of-` or is the key of the provider on loopback. Ends with
# 1 where one is found, with its line; the output goes on to standard output.
set -eu
output=$(mktemp)
trap 'rm -f "$output"' EXIT
tee "$output"
if grep -n -E 'planted-secret-|secret-of-(ada|ben|the-auditor|a-reader|a-caller)|wire-key-[0-9a-f]{16}|BEGIN [A-Z ]*PRIVATE KEY' "$output" >&2; then
    echo "leaks.sh: a secret is in this output" >&2
    exit 1
fi
echo "leaks.sh: no secret in $(wc -l <"$output") lines" >&2
