#!/bin/sh
# Builds a reproducible archive, with links replaced by their targets: release/archive.sh ARCHIVE FOLDER NAME...
set -eu
archive=$1 folder=$2
shift 2
tar --create --dereference --directory="$folder" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git log -1 --format=%ct)" "$@" |
    gzip --no-name --best >"$archive"
