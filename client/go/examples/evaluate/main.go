// Evaluate checks whether a report may be sent: go run ./examples/evaluate unix:///run/gsar/gsar.sock
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	gsar "gsar.dev/go/gsar/v1"
)

const (
	report = "Pod checkout-7b84 was OOMKilled with exit code 137. The memory limit of checkout-7b84 is 1 GiB."
	log    = "14:01:40 pod checkout-7b84 was OOMKilled with exit code 137"
	pod    = `{"name": "checkout-7b84", "memory_limit": "512Mi"}`
)

// dial connects to unix:///path or grpc://host:port.
func dial(endpoint string) (*grpc.ClientConn, error) {
	if strings.HasPrefix(endpoint, "unix:///") {
		// By default, grpc-go sends the socket path as the authority, which HTTP/2 servers reject.
		return grpc.Dial(endpoint, grpc.WithInsecure(), grpc.WithAuthority("localhost"))
	}
	if strings.HasPrefix(endpoint, "grpc://") {
		return grpc.Dial(strings.TrimPrefix(endpoint, "grpc://"), grpc.WithInsecure())
	}
	return nil, fmt.Errorf("invalid endpoint %q: expected unix:///path/to/socket or grpc://host:port", endpoint)
}

// request builds the request for the report.
func request() *gsar.EvaluateRequest {
	return &gsar.EvaluateRequest{
		Report: &gsar.Report{Synthesis: report},
		// The server infers Kind and Lane if they are omitted.
		Evidence: []*gsar.EvidenceItem{
			{Id: "log", Content: &gsar.EvidenceItem_Text{Text: log}},
			{Id: "pod", Content: &gsar.EvidenceItem_Json{Json: pod}},
		},
	}
}

func evaluate(ctx context.Context, endpoint string, request *gsar.EvaluateRequest) (*gsar.EvaluateResponse, error) {
	connection, err := dial(endpoint)
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	return gsar.NewGroundingServiceClient(connection).Evaluate(ctx, request)
}

// faultyClaims returns the texts of the claims to correct or drop.
func faultyClaims(answer *gsar.EvaluateResponse) (texts []string) {
	for _, claim := range answer.Claims {
		isUngrounded := claim.Class == gsar.ClaimClass_CLAIM_CLASS_UNGROUNDED
		isContradicted := claim.Class == gsar.ClaimClass_CLAIM_CLASS_CONTRADICTED
		if claim.Undecided == nil && (isUngrounded || isContradicted) {
			texts = append(texts, claim.Text)
		}
	}
	return texts
}

// reason returns the stable reason of an error, such as UNKNOWN_RESOURCE, and the invalid fields. The reason is empty if
// the error is not from a GSAR server.
func reason(err error) (reason string, fields []string) {
	for _, detail := range status.Convert(err).Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			reason = detail.Reason
		case *errdetails.BadRequest:
			for _, violation := range detail.FieldViolations {
				fields = append(fields, violation.Field+": "+violation.Description)
			}
		}
	}
	return reason, fields
}

func run(endpoint string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	answer, err := evaluate(ctx, endpoint, request())
	if err != nil {
		why, fields := reason(err)
		return errors.New(strings.TrimSpace(strings.Join(append([]string{err.Error(), why}, fields...), "\n  ")))
	}
	fmt.Println(answer.Decision.Tier)
	for _, reason := range answer.Decision.Reasons {
		fmt.Printf("%s: %s\n", reason.Code, reason.Sentence)
	}
	for _, text := range faultyClaims(answer) {
		fmt.Println("correct or drop:", text)
	}
	return nil
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: evaluate ENDPOINT (unix:///path/to/socket or grpc://host:port)")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
