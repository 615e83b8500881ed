/** The messages, enums and services in the contract, generated from `proto/gsar/v1`. */
export * from "./gen/gsar/v1/check_pb.js";
export * from "./gen/gsar/v1/common_pb.js";
export * from "./gen/gsar/v1/error_reason_pb.js";
export * from "./gen/gsar/v1/evidence_service_pb.js";
export * from "./gen/gsar/v1/gate_service_pb.js";
export * from "./gen/gsar/v1/graph_pb.js";
export * from "./gen/gsar/v1/grounding_service_pb.js";
export * from "./gen/gsar/v1/instruction_pb.js";
export * from "./gen/gsar/v1/investigation_service_pb.js";
export * from "./gen/gsar/v1/ledger_service_pb.js";
export * from "./gen/gsar/v1/policy_service_pb.js";
