#!/bin/sh
# Names the judge of an evaluation that comes as JSON on standard input: gsar evaluate … --output json | judge.sh
sed -n 's/.*"provenance":{"judges":\[{"judge":"\([^"]*\)".*/\1/p'
