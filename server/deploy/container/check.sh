#!/bin/sh
# Tests the image without a daemon: container/check.sh BIN, or `make image-check`. Assembles the image's root file
# system from built programs and runs a server in it (read-only, as the image's user, with only /proc from the host).
# Then builds the image with buildah. Exits with status 3 if some checks could not run.
set -eu
bin=$1
cd "$(dirname "$0")/../../.."
here=server/deploy/container work=$PWD/target/image
not_checked() {
    echo "not checked: $*" >&2
    exit 3
}
failed() {
    echo "failed: $*" >&2
    [ ! -s "$work/log" ] || tail -n 20 "$work/log" >&2
    exit 1
}
[ "$(id -u)" = 0 ] || not_checked "entering the image's root file system requires root"
for program in unshare nsenter ip; do
    command -v "$program" >/dev/null || not_checked "$program is not installed (apt-get install util-linux iproute2)"
done
unshare --mount --pid --net --fork true 2>/dev/null || not_checked "namespaces cannot be created here"

rm -rf "$work"
mkdir -p "$work"
sh "$here/rootfs.sh" "$bin" "$work/rootfs"
install -d -m 0700 "$work/state/gsar"
programs=$(find "$work/rootfs" -type f -perm /111 -path '*/bin/*' -printf '%f\n' | sort | xargs)
[ "$programs" = "gsar gsar-server" ] || failed "unexpected programs: $programs"

# Starts the server as a container engine would, with the image's variables and user, a volume, and /tmp in memory.
eval "set -- $(sed -n '/^ENV /,/[^\\]$/p' "$here/Containerfile" | sed 's/^ENV //; s/\\$//' | tr '\n' ' ')"
install -d -o 65532 -g 65532 -m 0700 "$work/volume"
cp -R datasets/incidents/checkout-oom "$work/volume/incident"
mkdir -p "$work/rootfs/var/lib/gsar"
# shellcheck disable=SC2016
unshare --mount --net sh -c '
    rootfs=$1 volume=$2
    shift 2
    ip link set lo up
    mount --bind "$rootfs" "$rootfs"
    mount --options remount,bind,ro "$rootfs"
    mount --bind "$volume" "$rootfs/var/lib/gsar"
    mount --types tmpfs --options mode=1777 tmpfs "$rootfs/tmp"
    exec env -i "$@" unshare --pid --fork --kill-child=TERM --root="$rootfs" --wd=/ --mount-proc=/proc \
        --setuid 65532 --setgid 65532 /usr/bin/gsar-server
' sh "$work/rootfs" "$work/volume" "$@" >"$work/log" 2>&1 &
started=$!
stop() {
    [ -z "${server:-}" ] || kill "$server" 2>/dev/null || :
    wait "$started" 2>/dev/null || :
}
trap stop EXIT
tries=0
until server=$(pgrep --parent "$started" --full gsar-server) && grep -q '"message":"ready"' "$work/log"; do
    kill -0 "$started" 2>/dev/null || failed "the server did not start"
    [ $((tries += 1)) -lt 300 ] || failed "the server was not ready within 30 seconds"
    sleep 0.1
done
inside() {
    env -i PATH=/usr/bin GSAR_ENDPOINT=grpc://127.0.0.1:4317 "$(command -v nsenter)" --target "$server" --mount --pid --net --root --wd=/ \
        --setuid 65532 --setgid 65532 "$@"
}
eval "set -- $(sed -n 's/^HEALTHCHECK.* CMD \[\(.*\)\]$/\1/p' "$here/Containerfile" | tr -d ,)"
inside "$@" || failed "the health check failed"
status=0
inside gsar evaluate /var/lib/gsar/incident/reports/overreaching.md --evidence /var/lib/gsar/incident/evidence --output json \
    >"$work/evaluation.json" || status=$?
judge=$(sh server/deploy/judge.sh <"$work/evaluation.json")
[ "$judge" = local/1 ] || failed "gsar evaluate exited with $status, judge: ${judge:-none}"
[ "$(stat --format=%u "$work/volume/ledger.sqlite3")" = 65532 ] || failed "the ledger does not belong to the image's user"
inside gsar health --endpoint grpcs://127.0.0.1:1 2>&1 | grep -q "Connection refused" || failed "CA certificates are missing"
kill "$server"
status=0
wait "$started" || status=$?
trap - EXIT
[ "$status" = 0 ] || failed "the server exited with $status after SIGTERM"
rmdir "$work/rootfs/var/lib/gsar"
echo "the root file system, $(du --summarize --apparent-size --block-size=M "$work/rootfs" | cut -f 1): judged by $judge"

command -v buildah >/dev/null || not_checked "building the image; buildah is not installed (apt-get install buildah)"
image() { buildah --root "$work/store" --runroot "$work/run" --storage-driver vfs "$@"; }
# Builds only the last stage, with the root file system tested above.
sed -n '/^FROM scratch/,$p' "$here/Containerfile" >"$work/Containerfile"
image build --quiet --isolation chroot --format docker --build-context "build=$work" --file "$work/Containerfile" --tag gsar "$work" >/dev/null
container=$(image from gsar)
mounted=$(image mount "$container")
found=$(stat --format='%u:%g %a' "$mounted/var/lib/gsar" "$mounted/tmp" "$mounted/usr/bin/gsar-server" | xargs)
[ "$found" = "65532:65532 700 0:0 1777 0:0 755" ] || failed "the state folder, /tmp and the server have the wrong owners or modes: $found"
echo "the image: $(image images --format '{{.Size}}' gsar)"
image rm "$container" >/dev/null
rm -rf "$work/store"
