#!/bin/sh
# Everything of a release, into target/gsar-VERSION: `make release`. PROFILE (dist) and TARGETS (x86_64 aarch64) can be set.
# Zig compiles and links C and C++, so that one machine builds for both and the programs run from glibc 2.31 on.
set -eu
profile=${PROFILE:-dist} architectures=${TARGETS:-x86_64 aarch64}
cd "$(dirname "$0")/../../.."
version=$(cargo pkgid --offline -p gsar-server | sed 's/.*[#@]//')
out=target/gsar-$version tools=target/release-tools
rm -rf "$out"
mkdir -p "$out"

if [ ! -x "$tools/bin/cargo-zigbuild" ]; then
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check --requirement server/deploy/release/requirements.txt
fi
PATH=$PWD/$tools/bin:$PATH
sh server/deploy/release/tools.sh

echo "bills of materials"
sh server/deploy/release/sbom.sh target/package
cp target/package/*.cdx.json "$out"

for architecture in $architectures; do
    target=$architecture-unknown-linux-gnu
    rustup --quiet target add "$target" 2>/dev/null || {
        echo "skipped: $architecture, whose standard library rustup cannot fetch here" >&2
        continue
    }
    echo "programs for $architecture"
    cargo zigbuild --quiet --locked --profile "$profile" --target "$target.2.31" -p gsar-server -p gsar-client --bins
    built=target/$target/$([ "$profile" = dev ] && echo debug || echo "$profile")
    # Those of another architecture are run by qemu-user.
    for program in gsar gsar-server; do
        said=$(sh server/deploy/release/run.sh "$architecture" "$built/$program" --version) || {
            echo "$built/$program does not run" >&2
            exit 1
        }
        [ "$said" = "$program $version" ] || { echo "$built/$program says $said" >&2; exit 1; }
    done
    name=gsar-$version-$architecture-linux
    rm -rf "target/package/$name"
    mkdir -p "target/package/$name"
    cp "$built/gsar" "$built/gsar-server" "target/package/$name"
    cp LICENSE CHANGELOG.md "target/package/$name"
    sh server/deploy/release/archive.sh "$out/$name.tar.gz" target/package "$name"
    sh server/deploy/release/manuals.sh "$architecture" "$built" target/package
    sh server/deploy/deb/package.sh "$profile" "$out" "" "$target"
done

echo "man pages, completions, chart, Python package"
sh server/deploy/release/archive.sh "$out/gsar-$version-manuals.tar.gz" target/package man completions
sh server/deploy/release/archive.sh "$out/gsar-$version-chart.tgz" server/deploy/helm gsar
${MAKE:-make} --no-print-directory python
cp target/python/dist/*.whl "$out"

(cd "$out" && sha256sum -- * >SHA256SUMS)
ls -l "$out"
