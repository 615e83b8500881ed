#!/bin/sh
# Builds all files of a release in target/gsar-VERSION: `make release`. PROFILE (default: dist) and TARGETS (default:
# x86_64 aarch64) can be set. Exits with status 3 if it could not build for one of the architectures.
# Zig compiles and links C and C++, so one machine can build for both architectures, against glibc 2.31.
set -eu
profile=${PROFILE:-dist} architectures=${TARGETS:-x86_64 aarch64}
cd "$(dirname "$0")/../../.."
version=$(cargo pkgid --offline -p gsar-server | sed 's/.*[#@]//')
out=target/gsar-$version tools=target/release-tools
for architecture in $architectures; do
    sh server/deploy/release/run.sh "$architecture"
done
rm -rf "$out"
mkdir -p "$out"

if [ ! -x "$tools/bin/cargo-zigbuild" ]; then
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check --requirement server/deploy/release/requirements.txt
fi
PATH=$PWD/$tools/bin:$PATH
sh server/deploy/release/tools.sh

echo "SBOMs"
sh server/deploy/release/sbom.sh target/package
cp target/package/*.cdx.json "$out"

for architecture in $architectures; do
    target=$architecture-unknown-linux-gnu
    rustup --quiet target add "$target" 2>/dev/null || {
        missing="${missing:-} $architecture"
        continue
    }
    echo "programs for $architecture"
    cargo zigbuild --quiet --locked --profile "$profile" --target "$target.2.31" -p gsar-server -p gsar-client -p gsar-calibration --bins
    built=target/$target/$([ "$profile" = dev ] && echo debug || echo "$profile")
    # Programs for another architecture are run in qemu-user.
    for program in gsar gsar-server gsar-calibrate; do
        reported=$(sh server/deploy/release/run.sh "$architecture" "$built/$program" -V) || {
            echo "$built/$program does not run" >&2
            exit 1
        }
        [ "$reported" = "$program $version" ] || { echo "$built/$program -V printed: $reported; expected: $program $version" >&2; exit 1; }
    done
    name=gsar-$version-$architecture-linux
    sh server/deploy/release/tree.sh "$architecture" "$built" "target/package/$name" gsar-server gsar gsar-calibrate
    cp CHANGELOG.md "$out"/*.cdx.json "target/package/$name/share/doc/gsar"
    sh server/deploy/release/archive.sh "$out/$name.tar.gz" target/package "$name"
    sh server/deploy/release/manuals.sh "$architecture" "$built" target/package
    sh server/deploy/deb/package.sh "$profile" "$out" "" "$target"
    sh server/deploy/wheel/wheel.sh "$architecture" "$built" "$out" "$out"
done

echo "man pages, completions, chart, Python package"
sh server/deploy/release/archive.sh "$out/gsar-$version-manuals.tar.gz" target/package man completions
sh server/deploy/release/archive.sh "$out/gsar-$version-chart.tgz" server/deploy/helm gsar
${MAKE:-make} --no-print-directory python
cp target/python/dist/*.whl "$out"

(cd "$out" && sha256sum -- * >SHA256SUMS)
ls -l "$out"
[ -z "${missing:-}" ] || {
    echo "not built:$missing; rustup cannot download the standard library for these targets (set TARGETS to the architectures to build for)" >&2
    exit 3
}
