#!/bin/sh
# Generates the stubs and tests the example against a real server: check.sh FOLDER_WITH_BINARIES
# Takes Go, protoc, its plugins and grpc-go as Debian packages them: golang-go golang-google-grpc-dev
# golang-github-golang-protobuf-1-5-dev protobuf-compiler protoc-gen-go-1-5 protoc-gen-go-grpc. Where one of them is
# missing, nothing is checked.
set -eu
# Reports that something is skipped, or fails if GSAR_REQUIRE names what is missing.
skip() { # REQUIREMENT REASON
    case ",${GSAR_REQUIRE-}," in
        *",$1,"*) echo "error: GSAR_REQUIRE names $1, but $2" >&2; exit 1 ;;
    esac
    echo "skipped: $2"
}
for program in go protoc protoc-gen-go protoc-gen-go-grpc; do
    command -v "$program" >/dev/null || { skip go "there is no $program"; exit 0; }
done
library=/usr/share/gocode
[ -d "$library/src/google.golang.org/grpc" ] || { skip go "golang-google-grpc-dev is not installed"; exit 0; }
# The other package that grpc-go may be installed with, 1.3, cannot write messages of today's protoc-gen-go.
[ -f "$library/src/github.com/golang/protobuf/proto/registry.go" ] ||
    { skip go "golang-github-golang-protobuf-1-5-dev is not installed"; exit 0; }
bin=$(cd "$1" && pwd)
cd "$(dirname "$0")"
sh generate.sh
unformatted=$(gofmt -l examples)
[ -z "$unformatted" ] || { echo "not as gofmt writes it: $unformatted" >&2; exit 1; }
path=$(mktemp -d)
trap 'rm -rf "$path"' EXIT
mkdir -p "$path/src/gsar.dev"
ln -s "$PWD" "$path/src/gsar.dev/go"
export GO111MODULE=off GOPATH="$path:$library" GOFLAGS= GSAR_SERVER="$bin/gsar-server"
cd "$path/src/gsar.dev/go"
go vet ./examples/...
go test -count=1 -v ./examples/...
