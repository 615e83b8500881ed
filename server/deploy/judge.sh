#!/bin/sh
# Reads an evaluation from standard input and prints its judge: gsar evaluate … --output json | judge.sh
sed -n 's/.*"provenance":{"judges":\[{"judge":"\([^"]*\)".*/\1/p'
