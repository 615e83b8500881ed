#!/bin/sh
# Builds the image's root file system: container/rootfs.sh BIN FOLDER. It contains the programs with their libraries, CA
# certificates and a user. FOLDER must not exist yet. Runs on Debian; needs the libraries and ca-certificates installed.
set -eu
bin=$1 rootfs=$2
here=$(dirname "$0")
authorities=/etc/ssl/certs/ca-certificates.crt
[ ! -e "$rootfs" ] || { echo "rootfs.sh: $rootfs exists; expected a new folder" >&2; exit 1; }
[ -s "$authorities" ] || { echo "rootfs.sh: $authorities is missing (apt-get install ca-certificates)" >&2; exit 1; }
mkdir -p "$rootfs"
sh "$here/../release/tree.sh" "$(uname -m)" "$bin" "$rootfs/usr" gsar-server gsar

# Copies shared libraries to the paths where the loader finds them, and the copyright files of their packages.
libraries=$(
    for file in "$rootfs"/usr/bin/* "$rootfs"/usr/lib/gsar/onnxruntime/*.so; do
        ldd "$file"
    done | sed -n 's/.*not found/missing &/p; s/^[^/]*\(\/[^ ]*\) (0x.*/\1/p' | sort -u
)
case $libraries in *missing*) echo "rootfs.sh: $libraries" >&2 && exit 1 ;; esac
for library in $libraries; do
    mkdir -p "$rootfs${library%/*}"
    cp --dereference "$library" "$rootfs$library"
    # The package may list the path with or without /usr.
    package=$(dpkg-query --search "$library" "/usr$library" "${library#/usr}" 2>/dev/null | sed 's/[:,].*//' | head -n 1)
    [ -n "$package" ] || { echo "rootfs.sh: no package contains $library, so its licence is unknown" >&2; exit 1; }
    mkdir -p "$rootfs/usr/share/doc/$package" "$rootfs/var/lib/dpkg/status.d"
    cp --dereference "/usr/share/doc/$package/copyright" "$rootfs/usr/share/doc/$package"
    # Image scanners read the package versions from here.
    dpkg-query --status "$package" >"$rootfs/var/lib/dpkg/status.d/$package"
done

mkdir -p "$rootfs${authorities%/*}" "$rootfs/proc" "$rootfs/run"
cp --dereference "$authorities" "$rootfs$authorities"
cat >"$rootfs/etc/passwd" <<'END'
root:x:0:0:root:/root:/nonexistent
gsar:x:65532:65532:GSAR sidecar:/var/lib/gsar:/nonexistent
END
cat >"$rootfs/etc/group" <<'END'
root:x:0:
gsar:x:65532:
END
echo 'hosts: files dns' >"$rootfs/etc/nsswitch.conf"
install -d -m 1777 "$rootfs/tmp"
