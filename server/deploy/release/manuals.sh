#!/bin/sh
# Generates the programs' man pages and shell completions: release/manuals.sh ARCHITECTURE BIN FOLDER
set -eu
architecture=$1 bin=$2 folder=$3
run() { sh "$(dirname "$0")/run.sh" "$architecture" "$@"; }
rm -rf "$folder/man" "$folder/completions"
mkdir -p "$folder/completions"
for program in gsar gsar-server gsar-calibrate; do
    run "$bin/$program" man "$folder/man" >/dev/null
    run "$bin/$program" completions bash >"$folder/completions/$program.bash"
    run "$bin/$program" completions zsh >"$folder/completions/_$program"
    run "$bin/$program" completions fish >"$folder/completions/$program.fish"
done
