#!/bin/sh
# Runs a program of another architecture by qemu-user, one of this by itself: release/run.sh ARCHITECTURE PROGRAM [ARGUMENT...]
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
echo "no qemu-$architecture here, or no $libraries (apt-get install qemu-user libc6-arm64-cross libstdc++6-arm64-cross)" >&2
exit 1
