#!/bin/sh
# Builds the gsar-server wheel from built programs: wheel/wheel.sh ARCHITECTURE BIN FOLDER [SBOMS]. SBOMS is the
# folder with the SBOMs to include. auditwheel adds the minimum glibc version to the file name.
set -eu
architecture=$1 bin=$2 folder=$3 sboms=${4:-}
cd "$(dirname "$0")/../../.."
tools=target/wheel-tools work=target/package/wheel-$architecture
if ! cmp --quiet server/deploy/wheel/requirements.txt "$tools/locked" 2>/dev/null; then
    python3 -m venv --clear "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check --requirement server/deploy/wheel/requirements.txt
    cp server/deploy/wheel/requirements.txt "$tools/locked"
fi
rm -rf "$work"
mkdir -p "$work" "$folder"
sh server/deploy/release/tree.sh "$architecture" "$bin" "$work/tree" gsar-server gsar
[ -z "$sboms" ] || cp "$sboms/gsar-server.cdx.json" "$sboms/gsar-client.cdx.json" "$work/tree/share/doc/gsar"
cp server/deploy/wheel/pyproject.toml server/deploy/wheel/hatch_build.py server/deploy/wheel/README.md "$work"
cargo pkgid --offline -p gsar-server | sed 's/.*[#@]//' >"$work/VERSION"
# Makes the wheel reproducible.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }; }
export GSAR_WHEEL_MACHINE="$architecture" PATH="$PWD/$tools/bin:$PATH"
quietly python -m build --wheel --no-isolation --outdir "$work" "$work"
quietly auditwheel repair --wheel-dir "$folder" "$work"/gsar_server-*.whl
