#!/bin/sh
# Writes CycloneDX SBOMs for the server, the command line and gsar-calibrate: release/sbom.sh FOLDER
set -eu
cd "$(dirname "$0")/../../.."
mkdir -p "$1"
# cargo-cyclonedx writes its output next to the manifests, so it runs on a copy of the sources.
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z '*.toml' '*.rs' Cargo.lock | tar --create --null --files-from=- | tar --extract --directory="$copy"
(cd "$copy" && cargo cyclonedx --quiet --format json --spec-version 1.5 --target all --override-filename bom)
for package in gsar-server gsar-client gsar-calibration; do
    for architecture in x86_64 aarch64; do
        cargo tree --quiet --offline --locked --package "$package" --edges normal,build --target "$architecture-unknown-linux-gnu" \
            --prefix none --format '{p}'
    done >"$copy/tree"
    python3 server/deploy/release/sbom.py "$copy/${package#gsar-}/bom.json" "$copy" Cargo.lock "$copy/tree" >"$1/$package.cdx.json"
done
