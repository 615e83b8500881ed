#!/bin/sh
# Generates the stubs and tests the example against a real server: check.sh FOLDER_WITH_BINARIES
# Uses Go, protoc, its plugins and grpc-go from Debian: golang-go golang-google-grpc-dev
# golang-github-golang-protobuf-1-5-dev protobuf-compiler protoc-gen-go-1-5 protoc-gen-go-grpc. If one of them is missing,
# nothing is checked.
set -eu
# Reports that something is skipped, or fails if GSAR_REQUIRE names what is missing.
skip() { # REQUIREMENT REASON
    case ",${GSAR_REQUIRE-}," in
        *",$1,"*) echo "error: GSAR_REQUIRE names $1, but $2" >&2; exit 1 ;;
    esac
    echo "skipped: $2"
}
for program in go protoc protoc-gen-go protoc-gen-go-grpc; do
    command -v "$program" >/dev/null || { skip go "$program is not installed"; exit 0; }
done
library=/usr/share/gocode
[ -d "$library/src/google.golang.org/grpc" ] || { skip go "golang-google-grpc-dev is not installed"; exit 0; }
# The alternative package 1.3 does not work with messages of the current protoc-gen-go.
[ -f "$library/src/github.com/golang/protobuf/proto/registry.go" ] ||
    { skip go "golang-github-golang-protobuf-1-5-dev is not installed"; exit 0; }
bin=$(cd "$1" && pwd)
cd "$(dirname "$0")"
sh generate.sh
unformatted=$(gofmt -l examples)
[ -z "$unformatted" ] || { echo "not formatted by gofmt: $unformatted" >&2; exit 1; }
path=$(mktemp -d)
trap 'rm -rf "$path"' EXIT
mkdir -p "$path/src/gsar.dev"
ln -s "$PWD" "$path/src/gsar.dev/go"
export GO111MODULE=off GOPATH="$path:$library" GOFLAGS= GSAR_SERVER="$bin/gsar-server"
cd "$path/src/gsar.dev/go"
go vet ./examples/...
go test -count=1 -v ./examples/...
