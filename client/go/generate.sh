#!/bin/sh
# Generates the contract's stubs in gsar/v1, with protoc, protoc-gen-go and protoc-gen-go-grpc.
set -eu
cd "$(dirname "$0")"
proto=../../proto
module=gsar.dev/go
set --
for file in "$proto"/gsar/v1/*.proto; do
    name=gsar/v1/$(basename "$file")
    set -- "$@" "--go_opt=M$name=$module/gsar/v1" "--go-grpc_opt=M$name=$module/gsar/v1"
done
rm -rf gsar
protoc -I "$proto" "$@" --go_out=. "--go_opt=module=$module" --go-grpc_out=. "--go-grpc_opt=module=$module" "$proto"/gsar/v1/*.proto
