#!/bin/sh
# Builds the Debian package: deb/package.sh PROFILE FOLDER [VERSION [TARGET]]. PROFILE is dev, release or dist. Needs
# the built programs, and their man pages, completions and SBOMs in target/package.
set -eu
profile=$1 folder=$2 version=${3:-} target=${4:-}
cd "$(dirname "$0")/../../.."
number=$(cargo pkgid --offline -p gsar-server | sed 's/.*[#@]//')
machine=${target%%-*}
machine=${machine:-$(uname -m)}
mkdir -p "$folder"
python3 server/embedding/fetch.py onnxruntime "$machine" "target/package/onnxruntime-$machine"
rm -rf target/package/onnxruntime
cp -R "target/package/onnxruntime-$machine" target/package/onnxruntime
cat >target/package/changelog <<END
gsar (${version:-$number-1}) stable; urgency=medium

  * Release $number: see CHANGELOG.md.

 -- GSAR <gsar@localhost>  $(date -R -u -d "@$(git log -1 --format=%ct)")
END
# Packages for tests need not be small.
[ "$profile" = dev ] && how="--strip --fast --compress-type gz" || how=
# shellcheck disable=SC2086
cargo deb --quiet --offline --locked --no-build -p gsar-server --profile "$profile" $how --compress-system \
    ${version:+--deb-version "$version"} ${target:+--target "$target"} --output "$folder"
