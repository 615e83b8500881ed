#!/usr/bin/env bash
# Every published figure, as ratios within one run. About five minutes after the build; benches/README.md
# says how to read the tables. `benches/run.sh core`, `locus`, `extraction`, `service` or `stream` takes one part only;
# `embedding`, `cross-encoder`, `judges`, `python`, `spark`, `calibration`, `capacity`, `shared` and `traces` are taken only by their names: the
# first needs `make models onnxruntime`, the second `make onnxruntime`, the third much Python, the fourth what `make python` fetches, the
# fifth Java and what `make spark-test` fetches, the sixth scipy.
set -euo pipefail
cd "$(dirname "$0")/.."
part=${1:-all}
export CARGO_TERM_COLOR=never

# SIGTERM and SIGINT reach the Python programs, which stop the servers and remove their folder.
trap 'jobs -p | xargs -r kill 2>/dev/null || true; wait' EXIT
in_turn() {
    "$@" &
    wait $!
}
wanted() { [ "$part" = all ] || [ "$part" = "$1" ]; }

case "$part" in
core) needed=(-p gsar-benches --bin core_times) ;;
locus) needed=(-p gsar-benches --bin partitions --bin tiers --bin core_times) ;;
extraction) needed=(-p gsar-benches --bin extraction_times) ;;
embedding) needed=(-p gsar-embedding --example embedding_times) ;;
cross-encoder) needed=(-p gsar-cross-encoder --example score) ;;
judges)
    needed=(-p gsar-server -p gsar-benches -p gsar-answer --bin gsar-server --bin echo --bin load --bin messages
        --bin stub_provider --bin judging_times --example answer_times)
    ;;
python | spark) needed=(-p gsar-server) ;;
capacity) needed=(-p gsar-server -p gsar-client -p gsar-benches --bins) ;;
traces) needed=(-p gsar-server -p gsar-benches --bin gsar-server --bin load --bin messages --bin sink) ;;
shared) needed=(-p gsar-server -p gsar-benches --bin gsar-server --bin load --bin messages) ;;
record) needed=(-p gsar-server -p gsar-benches --bin gsar-server --bin record_times) ;;
calibration) needed=(-p gsar-calibration --example bootstrap_times) ;;
all | service | stream) needed=(-p gsar-server -p gsar-benches --bins) ;;
*)
    echo "usage: benches/run.sh [core|locus|extraction|service|stream|embedding|cross-encoder|judges|python|spark|calibration|capacity|shared|traces|record]" >&2
    exit 2
    ;;
esac
if [ ${#needed[@]} -gt 0 ]; then
    echo "Building what is measured (profile dist) ..." >&2
    cargo build --quiet --profile dist "${needed[@]}"
fi

cores=$(nproc)
printf '# Figures\n\n%s, %s cores (%s), %s\n' "$(uname -sr)" "$cores" \
    "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)" "$(rustc --version)"
printf 'Load average before: %s\n' "$(cut -d' ' -f1-3 /proc/loadavg)"

if wanted core; then
    printf '\n## Core: score and decision\n\n'
    in_turn python3 benches/core/compare.py
fi
if wanted locus; then
    printf '\n## Core against locus-sdk\n\n'
    in_turn python3 benches/locus/compare.py
fi
if wanted extraction; then
    printf '\n## Reading evidence into facts, and rules over them\n\n'
    in_turn target/dist/extraction_times
fi
if [ "$part" = embedding ]; then
    printf '\n## Embedding against ONNX Runtime under Python\n\n'
    in_turn python3 benches/embedding/compare.py
fi
if [ "$part" = cross-encoder ]; then
    printf '\n## The model of local/1 against ONNX Runtime under Python\n\n'
    in_turn python3 benches/cross_encoder/compare.py
fi
if [ "$part" = judges ]; then
    printf '\n## Judging by a chat model\n\n'
    in_turn python3 benches/judges/compare.py
fi
if [ "$part" = python ]; then
    printf '\n## The Python client against raw stubs\n\n'
    make --no-print-directory python >/dev/null
    target/python/venv/bin/pip install --quiet --force-reinstall --no-deps target/python/dist/gsar-*.whl
    in_turn target/python/venv/bin/python benches/python/compare.py
fi
if [ "$part" = spark ]; then
    printf '\n## Spark over two sidecars against the plain client\n\n'
    make --no-print-directory python target/python/engines/locked >/dev/null
    target/python/engines/bin/pip install --quiet --force-reinstall --no-deps target/python/dist/gsar-*.whl
    in_turn target/python/engines/bin/python benches/python/spark.py
fi
if [ "$part" = calibration ]; then
    printf '\n## The bootstrap of gsar-calibrate against numpy and scipy\n\n'
    in_turn python3 benches/calibration/compare.py
fi
if [ "$part" = capacity ]; then
    printf '\n## What to plan with\n\n'
    in_turn python3 benches/service/capacity.py
fi
if wanted service; then
    printf '\n## Service against a bare echo\n\n'
    in_turn python3 benches/service/compare.py
fi
if wanted stream; then
    printf '\n## Streams against calls\n\n'
    in_turn python3 benches/service/streams.py
fi
if [ "$part" = shared ]; then
    printf '\n## Several servers on one PostgreSQL\n\n'
    make --no-print-directory postgres >/dev/null
    in_turn python3 benches/service/shared.py
fi
if [ "$part" = record ]; then
    printf '\n## Reading the record\n\n'
    in_turn python3 benches/service/record.py
fi
if [ "$part" = traces ]; then
    printf '\n## Export of traces\n\n'
    in_turn python3 benches/service/traces.py
fi
