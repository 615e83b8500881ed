#!/bin/sh
# Installs the Python package and checks it: `make python-test`, or check.sh BIN DIST. BIN is the folder of an
# interpreter that has requirements.lock installed. DIST is the folder that contains the wheel.
set -eu
bin=$(cd "$1" && pwd)
dist=$(cd "$2" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
server=${GSAR_SERVER:-$root/target/debug/gsar-server}
if [ ! -x "$server" ]; then
    echo "no server at $server; run make build, or set GSAR_SERVER" >&2
    exit 1
fi
GSAR_SERVER=$(cd "$(dirname "$server")" && pwd)/$(basename "$server")
export GSAR_SERVER PYTHONDONTWRITEBYTECODE=1
cd "$root/client/python"
export RUFF_CACHE_DIR="$root/target/python/ruff" PYRIGHT_PYTHON_CACHE_DIR="$root/target/python/pyright"
export PYRIGHT_PYTHON_IGNORE_WARNINGS=1

"$bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$dist"/gsar-*.whl
"$bin/ruff" format --check --quiet .
"$bin/ruff" check --quiet .
"$bin/pyright" --pythonpath "$bin/python"
"$bin/python" -m pytest -o cache_dir="$root/target/python/pytest"
