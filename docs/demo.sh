#!/bin/sh
# Starts a server on a socket in a temporary directory, evaluates three reports of one incident, stops it.
set -eu
bin=$1
here=$(dirname "$0")/../datasets/incidents/checkout-oom
work=$(mktemp -d)
trap 'kill "$server" 2>/dev/null || :; wait "$server" 2>/dev/null || :; rm -rf "$work"' EXIT

"$bin/gsar-server" --listen "unix://$work/gsar.sock" --data-dir "$work/data" 2>"$work/log" &
server=$!

for report in faithful overreaching contradicted; do
    printf '\n$ gsar evaluate %s.md --evidence evidence\n' "$report"
    status=0
    "$bin/gsar" --endpoint "unix://$work/gsar.sock" evaluate "$here/reports/$report.md" --evidence "$here/evidence" || status=$?
    case $status in 0 | 10 | 11 | 12) ;; *) cat "$work/log" >&2; exit "$status" ;; esac
done

printf '\nYour own: %s/gsar evaluate REPORT.md --evidence DIRECTORY\n' "$bin"
