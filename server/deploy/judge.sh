#!/bin/sh
# Prints the judge of an evaluation from standard input: gsar evaluate … --output json | judge.sh
sed -n 's/.*"provenance":{"judges":\[{"judge":"\([^"]*\)".*/\1/p'
