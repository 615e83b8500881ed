#!/usr/bin/env bash
# Measures every published figure, as ratios within one run. Takes about five minutes after the build.
# benches/README.md explains the tables. An argument selects one part: `core`, `locus`, `extraction`, `service` or `stream`.
# The other parts run only by name:
#   embedding      needs `make models onnxruntime`
#   cross-encoder  needs `make onnxruntime`
#   judges         installs RAGAS and locus-sdk
#   python         needs what `make python` fetches
#   spark          needs Java and what `make spark-test` fetches
#   calibration    installs numpy and scipy
#   embedded       needs `make onnxruntime`
#   capacity, shared, traces, record, growth
set -euo pipefail
cd "$(dirname "$0")/.."
part=${1:-all}
export CARGO_TERM_COLOR=never

# SIGTERM and SIGINT reach the Python programs, which stop the servers and remove their folder.
trap 'jobs -p | xargs -r kill 2>/dev/null || true; wait' EXIT
run() {
    "$@" &
    wait $!
}
selected() { [ "$part" = all ] || [ "$part" = "$1" ]; }

case "$part" in
core) packages=(-p gsar-benches --bin core_times) ;;
locus) packages=(-p gsar-benches --bin partitions --bin tiers --bin core_times) ;;
extraction) packages=(-p gsar-benches --bin extraction_times) ;;
embedding) packages=(-p gsar-embedding --example embedding_times) ;;
cross-encoder) packages=(-p gsar-cross-encoder --example score) ;;
judges)
    packages=(-p gsar-server -p gsar-benches -p gsar-answer --bin gsar-server --bin echo --bin load --bin messages
        --bin stub_provider --bin judging_times --example answer_times)
    ;;
python | spark) packages=(-p gsar-server) ;;
capacity) packages=(-p gsar-server -p gsar-client -p gsar-benches --bins) ;;
traces) packages=(-p gsar-server -p gsar-benches --bin gsar-server --bin load --bin messages --bin sink) ;;
shared) packages=(-p gsar-server -p gsar-benches --bin gsar-server --bin load --bin messages) ;;
embedded) packages=(-p gsar-server -p gsar-benches --bin gsar-server --bin load --bin messages) ;;
growth) packages=(-p gsar-server -p gsar-benches --bin gsar-server --bin load --bin messages --bin growth) ;;
record) packages=(-p gsar-server -p gsar-benches --bin gsar-server --bin record_times) ;;
calibration) packages=(-p gsar-calibration --example bootstrap_times) ;;
all | service | stream) packages=(-p gsar-server -p gsar-benches --bins) ;;
*)
    echo "usage: benches/run.sh [core|locus|extraction|service|stream|embedding|cross-encoder|judges|python|spark|calibration|capacity|shared|traces|record|growth|embedded]" >&2
    exit 2
    ;;
esac
if [ ${#packages[@]} -gt 0 ]; then
    echo "Building with the profile dist ..." >&2
    cargo build --quiet --profile dist "${packages[@]}"
fi

cores=$(nproc)
printf '# Figures\n\n%s, %s cores (%s), %s\n' "$(uname -sr)" "$cores" \
    "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)" "$(rustc --version)"
printf 'Load average before: %s\n' "$(cut -d' ' -f1-3 /proc/loadavg)"

if selected core; then
    printf '\n## Core: score and decision\n\n'
    run python3 benches/core/compare.py
fi
if selected locus; then
    printf '\n## Core against locus-sdk\n\n'
    run python3 benches/locus/compare.py
fi
if selected extraction; then
    printf '\n## Fact extraction and rules\n\n'
    run target/dist/extraction_times
fi
if [ "$part" = embedded ]; then
    printf '\n## Embedded judges\n\n'
    make --no-print-directory onnxruntime >/dev/null
    run python3 benches/service/embedded.py
fi
if [ "$part" = growth ]; then
    printf '\n## Growth of calls\n\n'
    run python3 benches/service/growth.py
    printf '\n## Growth of parsing\n\n'
    run target/dist/growth
fi
if [ "$part" = embedding ]; then
    printf '\n## Embedding against ONNX Runtime in Python\n\n'
    run python3 benches/embedding/compare.py
fi
if [ "$part" = cross-encoder ]; then
    printf '\n## The model of local/1 against ONNX Runtime in Python\n\n'
    run python3 benches/cross_encoder/compare.py
fi
if [ "$part" = judges ]; then
    printf '\n## Judging with a chat model\n\n'
    run python3 benches/judges/compare.py
fi
if [ "$part" = python ]; then
    printf '\n## The Python client against raw stubs\n\n'
    make --no-print-directory python >/dev/null
    target/python/venv/bin/pip install --quiet --force-reinstall --no-deps target/python/dist/gsar-*.whl
    run target/python/venv/bin/python benches/python/compare.py
fi
if [ "$part" = spark ]; then
    printf '\n## Spark over two sidecars against the plain client\n\n'
    make --no-print-directory python target/python/engines/locked >/dev/null
    target/python/engines/bin/pip install --quiet --force-reinstall --no-deps target/python/dist/gsar-*.whl
    run target/python/engines/bin/python benches/python/spark.py
fi
if [ "$part" = calibration ]; then
    printf '\n## The bootstrap of gsar-calibrate against numpy and scipy\n\n'
    run python3 benches/calibration/compare.py
fi
if [ "$part" = capacity ]; then
    printf '\n## Capacity\n\n'
    run python3 benches/service/capacity.py
fi
if selected service; then
    printf '\n## Service against a bare echo\n\n'
    run python3 benches/service/compare.py
fi
if selected stream; then
    printf '\n## Streams against calls\n\n'
    run python3 benches/service/streams.py
fi
if [ "$part" = shared ]; then
    printf '\n## Several servers on one PostgreSQL\n\n'
    make --no-print-directory postgres >/dev/null
    run python3 benches/service/shared.py
fi
if [ "$part" = record ]; then
    printf '\n## Reading the record\n\n'
    run python3 benches/service/record.py
fi
if [ "$part" = traces ]; then
    printf '\n## Export of traces\n\n'
    run python3 benches/service/traces.py
fi
