#!/bin/sh
# Prints the tag or commit of the last release before HEAD, or nothing if there is none.
git describe --tags --abbrev=0 --match 'v[0-9]*' HEAD~1 2>/dev/null || git log -1 --format=%H --grep='^Release [0-9]' HEAD~1
