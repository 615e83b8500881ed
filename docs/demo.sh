#!/bin/sh
# Evaluates three reports on one incident against a temporary server, then evaluates one of them without a chat model.
set -eu
bin=$1
datasets=$(dirname "$0")/../datasets
incident=$datasets/incidents/checkout-oom
work=$(mktemp -d)
: >"$work/log"
server= model=
trap 'kill $server $model 2>/dev/null || :; wait $server $model 2>/dev/null || :; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT PIPE TERM

until_true() {
    for _ in $(seq 200); do
        "$@" && return
        sleep 0.05
    done
    cat "$work/log" >&2
    exit 1
}

python3 -B "$datasets/recorded_model.py" "$work/model" &
model=$!
until_true [ -s "$work/model" ]
cat >"$work/gsar.toml" <<EOF
[judges]
chain = ["openai-compatible:recorded"]

[judges.models."openai-compatible:recorded"]
base_url = "$(cat "$work/model")"
# There are no recorded answers for canary statements.
canary = false
EOF
"$bin/gsar-server" --config "$work/gsar.toml" --listen "unix://$work/gsar.sock" --data-dir "$work/data" 2>"$work/log" &
server=$!
until_true grep -q '"message":"ready"' "$work/log"

evaluate() {
    report=$1
    shift
    status=0
    "$bin/gsar" evaluate "$incident/reports/$report.md" --evidence "$incident/evidence" "$@" || status=$?
    # 0 proceed, 10 regenerate, 11 replan, 12 abstain; any other status means that the demo failed.
    case $status in 0 | 10 | 11 | 12) ;; *) cat "$work/log" >&2; exit "$status" ;; esac
}

echo "The judge and the second look use a chat model whose answers were recorded (datasets/answers)."
for report in faithful overreaching contradicted; do
    printf '\n$ gsar evaluate %s.md --evidence evidence\n' "$report"
    evaluate "$report" --endpoint "unix://$work/gsar.sock"
done

printf '\nWithout a chat model, the embedded judge finds these claims unsupported:\n'
printf '\n$ gsar evaluate overreaching.md --evidence evidence --only ungrounded\n'
GSAR_JUDGES__CHAIN='["embedded"]' evaluate overreaching --data-dir "$work/embedded" --only ungrounded

printf '\nTo evaluate your own report with your own model:\n'
printf '  %s/gsar evaluate REPORT.md --evidence DIRECTORY --judge ollama:qwen3:8b\n' "$bin"
