#!/bin/sh
# Searches the output of the tests for planted secrets:
#
#     cargo nextest run -p gsar-server --no-capture 2>&1 | sh server/tests/support/leaks.sh
#
# Every secret in the tests begins with `planted-secret-` or `secret-of-`, or is the key of the fake provider. If the
# output contains a secret, the script prints the line to standard error and exits with status 1. The input is copied
# to standard output.
set -eu
output=$(mktemp)
trap 'rm -f "$output"' EXIT
tee "$output"
if grep -n -E 'planted-secret-|secret-of-(ada|ben|the-auditor|a-reader|a-caller)|wire-key-[0-9a-f]{16}|BEGIN [A-Z ]*PRIVATE KEY' "$output" >&2; then
    echo "leaks.sh: the output contains a secret" >&2
    exit 1
fi
echo "leaks.sh: found no secret in $(wc -l <"$output") lines" >&2
