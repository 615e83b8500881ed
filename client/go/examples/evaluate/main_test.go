// Tests the example against a real server, whose path is in GSAR_SERVER.

package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	gsar "gsar.dev/go/gsar/v1"
)

// start runs the server at GSAR_SERVER until the test ends. It returns the endpoints of its Unix socket and TCP address.
func start(t *testing.T) (socket, address string) {
	t.Helper()
	binary := os.Getenv("GSAR_SERVER")
	if binary == "" {
		t.Fatal("GSAR_SERVER is not set to the path of a server")
	}
	folder, err := os.MkdirTemp("", "gsar-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	probe, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	socket = "unix://" + filepath.Join(folder, "gsar.sock")
	address = "grpc://" + probe.Addr().String()
	probe.Close()
	command := exec.Command(binary, "--judge", "rules/2", "--listen", socket, "--listen", address, "--data-dir", filepath.Join(folder, "data"))
	// The environment is empty, because variables with the prefix GSAR_ would configure the server.
	command.Env = []string{}
	stderr, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		command.Process.Kill()
		command.Wait()
	})
	lines := bufio.NewScanner(stderr)
	var log []string
	for lines.Scan() {
		log = append(log, lines.Text())
		if strings.Contains(lines.Text(), `"message":"ready"`) {
			go func() {
				for lines.Scan() {
				}
			}()
			return socket, address
		}
	}
	t.Fatalf("%s exited\n%s", binary, strings.Join(log, "\n"))
	return "", ""
}

func TestReportDoesNotProceedOverUnixAndTCP(t *testing.T) {
	socket, address := start(t)
	for _, endpoint := range []string{socket, address} {
		answer, err := evaluate(context.Background(), endpoint, request())
		if err != nil {
			t.Fatalf("%s: %v", endpoint, err)
		}
		if answer.Decision.Tier != gsar.Tier_TIER_REPLAN {
			t.Errorf("%s: %v", endpoint, answer.Decision)
		}
		if texts := faultyClaims(answer); !reflect.DeepEqual(texts, []string{"The memory limit of checkout-7b84 is 1 GiB"}) {
			t.Errorf("%s: %q", endpoint, texts)
		}
	}
}

func TestErrorsHaveReasons(t *testing.T) {
	socket, _ := start(t)
	unknown := request()
	unknown.Policy = "night-shift"
	_, err := evaluate(context.Background(), socket, unknown)
	if code := status.Code(err); code != codes.NotFound {
		t.Errorf("%v", err)
	}
	if why, _ := reason(err); why != "UNKNOWN_RESOURCE" {
		t.Errorf("reason %q for %v", why, err)
	}
	duplicate := request()
	duplicate.Evidence[1].Id = "log"
	_, err = evaluate(context.Background(), socket, duplicate)
	why, fields := reason(err)
	if why != "INVALID_FIELDS" || len(fields) != 1 || !strings.HasPrefix(fields[0], "evidence[1].id: ") {
		t.Errorf("reason %q with fields %q for %v", why, fields, err)
	}
}

func TestUnreachableServerHasNoReason(t *testing.T) {
	_, err := evaluate(context.Background(), fmt.Sprintf("unix://%s/gsar.sock", t.TempDir()), request())
	if code := status.Code(err); code != codes.Unavailable {
		t.Errorf("%v", err)
	}
	if why, _ := reason(err); why != "" {
		t.Errorf("unexpected reason %q", why)
	}
	if _, err := evaluate(context.Background(), "http://localhost:1", request()); err == nil || !strings.Contains(err.Error(), "invalid endpoint") {
		t.Errorf("%v", err)
	}
}
