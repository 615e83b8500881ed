#!/bin/sh
# Prints the judge of an evaluation given as JSON on standard input: gsar evaluate … --output json | judge.sh
sed -n 's/.*"provenance":{"judges":\[{"judge":"\([^"]*\)".*/\1/p'
