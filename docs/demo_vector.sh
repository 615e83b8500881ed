#!/bin/sh
# Starts a temporary server, stores the evidence of sixteen incidents in one corpus, and searches the corpus by terms
# and by vectors. Then evaluates a report against the corpus of one incident. Needs an embedding model:
# make models onnxruntime.
set -eu
bin=$1
incidents=$(dirname "$0")/../datasets/incidents
work=$(mktemp -d)
trap 'kill "$server" 2>/dev/null || :; wait "$server" 2>/dev/null || :; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT PIPE TERM

"$bin/gsar-server" --listen "unix://$work/gsar.sock" --data-dir "$work/data" 2>"$work/log" &
server=$!
until [ -S "$work/gsar.sock" ] && grep -q '"message":"ready"' "$work/log"; do
    kill -0 "$server" || { cat "$work/log" >&2; exit 1; }
    sleep 0.05
done
gsar() { "$bin/gsar" "$@" --endpoint "unix://$work/gsar.sock"; }

for incident in "$incidents"/*/; do
    mkdir -p "$work/week/$(basename "$incident")"
    cp "$incident"/evidence/* "$work/week/$(basename "$incident")"
done
rm -f "$work"/week/*/evidence.toml

printf '$ gsar evidence put week week/\n'
gsar evidence put week "$work/week" | tail -3
printf '\nVectors are computed in the background; searching by terms works immediately ...\n'
until gsar evidence list --output json | grep -q '"embedded":true'; do
    if gsar evidence list --output json | grep -q '"degraded":"[^"]'; then
        gsar doctor | grep -i search >&2 || :
        exit 1
    fi
    sleep 0.5
done
for method in lexical vector hybrid; do
    printf '\n$ gsar search week "the disk had no room left" --method %s --most 1\n' "$method"
    gsar search week "the disk had no room left" --method "$method" --most 1
done
printf '\n$ gsar evidence put checkout-oom checkout-oom/evidence\n'
gsar evidence put checkout-oom "$incidents/checkout-oom/evidence" | tail -3
printf '\n$ gsar evaluate checkout-oom/reports/faithful.md --corpus checkout-oom --only contradicted,ungrounded\n'
status=0
gsar evaluate "$incidents/checkout-oom/reports/faithful.md" --corpus checkout-oom --only contradicted,ungrounded || status=$?
# 0 proceed, 10 regenerate, 11 replan, 12 abstain; any other status means that the demo failed.
case $status in 0 | 10 | 11 | 12) ;; *) cat "$work/log" >&2; exit "$status" ;; esac
