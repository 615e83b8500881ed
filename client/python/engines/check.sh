#!/bin/sh
# Installs the Python package and checks gsar.spark and gsar.dask: `make spark-test`, or engines/check.sh BIN DIST. BIN
# is the folder of an interpreter that has engines/requirements.lock installed. DIST is the folder that contains the
# wheel. Needs Java 17 or later.
set -eu
bin=$(cd "$1" && pwd)
dist=$(cd "$2" && pwd)
root=$(cd "$(dirname "$0")/../../.." && pwd)
server=${GSAR_SERVER:-$root/target/debug/gsar-server}
if [ ! -x "$server" ]; then
    echo "no server at $server; run make build, or set GSAR_SERVER" >&2
    exit 1
fi
if ! command -v java >/dev/null && [ ! -x "${JAVA_HOME:-}/bin/java" ]; then
    echo "Spark needs Java; install Java 17 or later, or set JAVA_HOME" >&2
    exit 1
fi
GSAR_SERVER=$(cd "$(dirname "$server")" && pwd)/$(basename "$server")
export GSAR_SERVER PYTHONDONTWRITEBYTECODE=1
export PYRIGHT_PYTHON_CACHE_DIR="$root/target/python/pyright" PYRIGHT_PYTHON_IGNORE_WARNINGS=1
cd "$root/client/python/engines"

"$bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$dist"/gsar-*.whl
"$bin/pyright" --pythonpath "$bin/python"
# Each engine is tested in its own process, because Spark cannot start Java in a process that has run the Dask tests.
for engine in spark dask; do
    "$bin/python" -m pytest -o cache_dir="$root/target/python/pytest-engines" "test_$engine.py"
done
