#!/bin/sh
# Runs a program of another architecture by qemu-user, one of this by itself: release/run.sh ARCHITECTURE PROGRAM [ARGUMENT...]
set -eu
architecture=$1
shift
if [ "$architecture" = "$(uname -m)" ]; then
    exec "$@"
elif command -v "qemu-$architecture-static" >/dev/null; then
    exec "qemu-$architecture-static" -L "/usr/$architecture-linux-gnu" "$@"
fi
echo "no qemu-$architecture-static here (apt-get install qemu-user-static)" >&2
exit 1
