#!/bin/sh
# Runs a program, in qemu-user if it is for another architecture: release/run.sh ARCHITECTURE PROGRAM [ARGUMENT...]
set -eu
architecture=$1
shift
[ "$architecture" = "$(uname -m)" ] && exec "$@"
libraries=/usr/$architecture-linux-gnu
for emulator in "qemu-$architecture-static" "qemu-$architecture"; do
    if command -v "$emulator" >/dev/null && [ -d "$libraries" ]; then
        exec "$emulator" -L "$libraries" "$@"
    fi
done
echo "qemu-$architecture or $libraries is not installed (apt-get install qemu-user libc6-arm64-cross libstdc++6-arm64-cross)" >&2
exit 1
