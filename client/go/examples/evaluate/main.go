// Evaluate asks whether a report may go out: go run ./examples/evaluate unix:///run/gsar/gsar.sock
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
		// Without an authority the path of the socket would be sent as one, which HTTP/2 servers refuse.
		return grpc.Dial(endpoint, grpc.WithInsecure(), grpc.WithAuthority("localhost"))
	}
	if strings.HasPrefix(endpoint, "grpc://") {
		return grpc.Dial(strings.TrimPrefix(endpoint, "grpc://"), grpc.WithInsecure())
	}
	return nil, fmt.Errorf("%q is no endpoint: write unix:///path/to/socket or grpc://host:port", endpoint)
}

// request asks whether the report may go out.
func request() *gsar.EvaluateRequest {
	return &gsar.EvaluateRequest{
		Report: &gsar.Report{Synthesis: report},
		// Kind and Lane say what an item is and where it comes from; left out, the server recognises both.
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

// atFault are the claims to correct or to drop.
func atFault(answer *gsar.EvaluateResponse) (texts []string) {
	for _, claim := range answer.Claims {
		isUngrounded := claim.Class == gsar.ClaimClass_CLAIM_CLASS_UNGROUNDED
		isContradicted := claim.Class == gsar.ClaimClass_CLAIM_CLASS_CONTRADICTED
		if claim.Undecided == nil && (isUngrounded || isContradicted) {
			texts = append(texts, claim.Text)
		}
	}
	return texts
}

// reason is the stable reason of an error, such as UNKNOWN_RESOURCE, and what is wrong with each field. It is empty
// where the error is not of a GSAR server.
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
	for _, text := range atFault(answer) {
		fmt.Println("correct or drop:", text)
	}
	return nil
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "give the endpoint of the server: unix:///path/to/socket or grpc://host:port")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
