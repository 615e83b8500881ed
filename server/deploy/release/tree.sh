#!/bin/sh
# Copies built programs, ONNX Runtime and all licences to PREFIX: release/tree.sh ARCHITECTURE BIN PREFIX PROGRAM...
# The archive, the wheel and the image are built from such a tree.
set -eu
architecture=$1 bin=$2 prefix=$3
shift 3
root=$(dirname "$0")/../../..
rm -rf "$prefix"
mkdir -p "$prefix/bin" "$prefix/lib/gsar/onnxruntime" "$prefix/share/doc/gsar"
for program in "$@"; do
    install "$bin/$program" "$prefix/bin"
done
python3 "$root/server/embedding/fetch.py" onnxruntime "$architecture" "$root/target/package/onnxruntime-$architecture" >&2
cp "$root/target/package/onnxruntime-$architecture"/* "$prefix/lib/gsar/onnxruntime"
cp "$root/LICENSE" "$root/server/deploy/deb/copyright" "$prefix/share/doc/gsar"
cp "$root/server/cross-encoder/model/MODEL_CARD.md" "$prefix/share/doc/gsar"
