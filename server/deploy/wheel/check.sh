#!/bin/sh
# Installs the wheel into a new environment and evaluates a report: wheel/check.sh WHEEL [CLIENT]. CLIENT is the wheel
# of the Python client. If it is given, the client is tested too.
set -eu
here=$(dirname "$0")
incident=$here/../../../datasets/incidents/checkout-oom
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check "$@"
# Runs a command without the user's cache and variables.
isolated() { env -i HOME="$work" PATH="$work/venv/bin" "$@"; }
status=0
isolated gsar evaluate "$incident/reports/overreaching.md" --evidence "$incident/evidence" --output json >"$work/evaluation.json" || status=$?
judge=$(sh "$here/../judge.sh" <"$work/evaluation.json")
[ "$judge" = local/1 ] || { echo "failed: gsar evaluate exited with $status, judge: ${judge:-none}" >&2; exit 1; }
if [ $# -gt 1 ]; then
    # The client must find the installed server.
    judge=$(isolated python "$here/evaluate.py" "$incident")
    [ "$judge" = local/1 ] || { echo "failed: the client's server used the judge ${judge:-none}" >&2; exit 1; }
fi
echo "$(basename "$1"), $(du --apparent-size --block-size=M "$1" | cut -f 1): judged by $judge"
