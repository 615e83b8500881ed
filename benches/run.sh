#!/usr/bin/env bash
# Measures all published figures, as ratios of measurements from the same run. Takes about five minutes after the build.
# benches/README.md explains the tables. An argument selects one part: `core`, `locus`, `extraction`, `service` or `stream`.
# The other parts run only if they are named:
#   embedding      needs `make models onnxruntime`
#   cross-encoder  needs `make onnxruntime`
#   judges         installs RAGAS and locus-sdk
#   python         needs the packages that `make python` downloads
#   spark          needs Java and the packages that `make spark-test` downloads
#   calibration    installs numpy and scipy
#   embedded       needs `make onnxruntime`
#   capacity, shared, traces, record, growth
set -euo pipefail
cd "$(dirname "$0")/.."
part=${1:-all}
parts=$part
[ "$part" != all ] || parts="core locus extraction service stream"
export CARGO_TERM_COLOR=never

# When the script exits, also after SIGTERM or SIGINT, it terminates the Python programs. They stop their servers and
# remove their folders.
trap 'jobs -p | xargs -r kill 2>/dev/null || true; wait' EXIT
run() {
    "$@" &
    wait $!
}
# Prints a title and runs a command, if the given part is selected.
section() {
    [[ " $parts " == *" $1 "* ]] || return 0
    printf '\n## %s\n\n' "$2"
    run "${@:3}"
}

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
    echo "Building with the dist profile ..." >&2
    cargo build --quiet --profile dist "${packages[@]}"
fi

cores=$(nproc)
printf '# Figures\n\n%s, %s cores (%s), %s\n' "$(uname -sr)" "$cores" \
    "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)" "$(rustc --version)"
printf 'Load average before: %s\n' "$(cut -d' ' -f1-3 /proc/loadavg)"

case "$part" in
embedded) make --no-print-directory onnxruntime ;;
shared) make --no-print-directory postgres ;;
python)
    make --no-print-directory python
    target/python/venv/bin/pip install --quiet --force-reinstall --no-deps target/python/dist/gsar-*.whl
    ;;
spark)
    make --no-print-directory python target/python/engines/locked
    target/python/engines/bin/pip install --quiet --force-reinstall --no-deps target/python/dist/gsar-*.whl
    ;;
esac >/dev/null

section core 'Core: score and decision' python3 benches/core/compare.py
section locus 'Core against locus-sdk' python3 benches/locus/compare.py
section extraction 'Fact extraction and rules' target/dist/extraction_times
section embedded 'Embedded judges' python3 benches/service/embedded.py
section growth 'Growth of calls' python3 benches/service/growth.py
section growth 'Growth of parsing' target/dist/growth
section embedding 'Embedding against ONNX Runtime in Python' python3 benches/embedding/compare.py
section cross-encoder 'The model of local/1 against ONNX Runtime in Python' python3 benches/cross_encoder/compare.py
section judges 'Judging with a chat model' python3 benches/judges/compare.py
section python 'The Python client against raw stubs' target/python/venv/bin/python benches/python/compare.py
section spark 'Spark over two sidecars against the plain client' target/python/engines/bin/python benches/python/spark.py
section calibration 'The bootstrap of gsar-calibrate against numpy and scipy' python3 benches/calibration/compare.py
section capacity 'Capacity' python3 benches/service/capacity.py
section service 'Service against a bare echo' python3 benches/service/compare.py
section stream 'Streams against calls' python3 benches/service/streams.py
section shared 'Several servers on one PostgreSQL' python3 benches/service/shared.py
section record 'Reading the record' python3 benches/service/record.py
section traces 'Export of traces' python3 benches/service/traces.py
