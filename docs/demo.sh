#!/bin/sh
# Starts a server on a socket in a temporary directory, evaluates three reports of one incident, stops it.
set -eu
bin=$1
here=$(dirname "$0")/../datasets/incidents/checkout-oom
work=$(mktemp -d)
trap 'kill "$server" 2>/dev/null || :; wait "$server" 2>/dev/null || :; rm -rf "$work"' EXIT

GSAR_POLICIES__DEFAULT=local "$bin/gsar-server" --listen "unix://$work/gsar.sock" --data-dir "$work/data" 2>"$work/log" &
server=$!
for _ in $(seq 200); do
    [ -S "$work/gsar.sock" ] && grep -q '"message":"ready"' "$work/log" && break
    sleep 0.05
done

evaluate() {
    report=$1
    shift
    printf '\n$ gsar evaluate %s.md --evidence evidence %s\n' "$report" "$*"
    status=0
    "$bin/gsar" evaluate "$here/reports/$report.md" "$@" --evidence "$here/evidence" --endpoint "unix://$work/gsar.sock" || status=$?
    # 0 proceed, 10 regenerate, 11 replan, 12 abstain; anything else is a failure of the demo.
    case $status in 0 | 10 | 11 | 12) ;; *) cat "$work/log" >&2; exit "$status" ;; esac
}

evaluate faithful
evaluate overreaching --only contradicted,ungrounded
evaluate contradicted --only contradicted,ungrounded

printf '\nYour own: %s/gsar evaluate REPORT.md --evidence DIRECTORY\n' "$bin"
