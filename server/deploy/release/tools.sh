#!/bin/sh
# Installs the release tools that are missing. They are built without optimisation.
set -eu
for tool in cargo-deb@3.8.0 cargo-cyclonedx@0.5.9; do
    command -v "${tool%@*}" >/dev/null || cargo install --quiet --locked --debug "$tool"
done
