#!/bin/sh
# Runs a program, in qemu-user if it is for another architecture: release/run.sh ARCHITECTURE PROGRAM [ARGUMENT...]
# Without a program, checks whether programs for the architecture can run.
set -eu
architecture=$1
shift
if [ "$architecture" = "$(uname -m)" ]; then
    [ $# = 0 ] || exec "$@"
    exit
fi
libraries=/usr/$architecture-linux-gnu
for emulator in "qemu-$architecture-static" "qemu-$architecture"; do
    if command -v "$emulator" >/dev/null && [ -d "$libraries" ]; then
        [ $# = 0 ] || exec "$emulator" -L "$libraries" "$@"
        exit
    fi
done
echo "qemu-$architecture or $libraries is not installed (apt-get install qemu-user libc6-arm64-cross libstdc++6-arm64-cross)" >&2
exit 1
