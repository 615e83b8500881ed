//! What is a stated cause, and what only happened together.

use gsar_core::Class::{Contradicted, Grounded, Ungrounded};

use crate::tests::{expect, json, text};

const DESCRIBED: &str = "\
Name:             ledger-7d9f8c4b-xk2p9
Namespace:        pay
Status:           Pending
Containers:
  ledger:
    Image:         registry.example.net/pay/ledger:4.2.0
Events:
  Type     Reason            Age   From               Message
  ----     ------            ----  ----               -------
  Warning  FailedScheduling  38s   default-scheduler  0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint {dedicated: batch}.
";

#[test]
fn a_scheduler_says_why_nothing_was_scheduled() {
    expect(
        &[text("pod", "kubectl describe pod ledger-7d9f8c4b-xk2p9", DESCRIBED)],
        &[
            (
                "ledger-7d9f8c4b-xk2p9 cannot be scheduled because there is too little CPU.",
                Grounded,
            ),
            (
                "ledger-7d9f8c4b-xk2p9 is Pending because the CPU of the nodes is not enough.",
                Grounded,
            ),
            (
                "ledger-7d9f8c4b-xk2p9 cannot be scheduled because there is too little memory.",
                Contradicted,
            ),
            ("ledger-7d9f8c4b-xk2p9 is Pending because its volume claim is unbound.", Ungrounded),
            (
                "search-7d9f8c4b-xk2p9 cannot be scheduled because there is too little CPU.",
                Ungrounded,
            ),
            ("There is too little CPU because ledger-7d9f8c4b-xk2p9 is Pending.", Ungrounded),
            (
                "ledger-7d9f8c4b-xk2p9 is probably Pending because there is too little CPU.",
                Ungrounded,
            ),
        ],
    );
}

const EVENTS: &str = r#"{"events":[
        {"reason":"Failed","object":"Pod/search-0","message":"Failed to pull image \"reg.example.net/search:1.2\": failed to do request: dial tcp: lookup reg.example.net on 10.0.0.10:53: no such host"},
        {"reason":"Sync","object":"Job/backup","message":"backup run aborted: could not write chunk 18: no space left on device"}]}"#;

#[test]
fn a_chain_of_errors_names_the_cause_behind_the_effect() {
    expect(
        &[json("events", "kubectl get events -o json", EVENTS)],
        &[
            (
                "The search image could not be pulled because reg.example.net refused the connection.",
                Contradicted,
            ),
            (
                "The search image could not be pulled because reg.example.net was switched off.",
                Ungrounded,
            ),
            ("The backup run was aborted because the disk was full.", Grounded),
            ("The backup run was aborted due to a timeout.", Contradicted),
            ("The disk was full because the backup run was aborted.", Ungrounded),
            ("The backup run was aborted because reg.example.net does not resolve.", Ungrounded),
        ],
    );
}
