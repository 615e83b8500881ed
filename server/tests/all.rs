//! Tests the real server and its ledger. All tests are in one binary, so that the server is linked only once.

#![expect(unreachable_pub, reason = "the test modules share items with each other")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests fail by panicking"
)]

mod attestation;
mod backup;
mod busy;
mod calls;
mod cases;
mod configuration;
mod console;
mod deploy;
mod disk_full;
mod driven_ladder;
mod dry_runs;
mod evaluate_stream;
mod evidence;
mod executed_checks;
mod export;
mod facts_judge;
mod gateway;
mod grades;
mod hiding;
mod hostile;
mod identity;
mod investigation_graphs;
mod investigations;
mod investigations_killed;
mod judges_that_fail;
mod judges_that_lie;
mod judges_that_obey;
mod laws;
mod ledger;
mod ledger_contract;
mod lies;
mod lifecycle;
mod local_judge;
mod logs;
mod looks_at_entities;
mod many_evaluations;
mod model_judge;
mod own_report;
mod panels;
mod policies;
mod providers_that_fail;
mod providers_that_hang;
mod recorded_answers;
mod redacted;
mod reports_that_hide;
mod rescore;
mod rules_over_facts;
mod schemas;
mod second_looks;
mod secrets;
mod select_best;
mod service_manager;
mod services;
mod shared_database;
mod shared_evidence;
mod starts;
mod support;
mod tls;
mod traces;
mod true_reports;
mod truths;
mod undecided;
