//! This module tests the rule of sets.

use super::check;

const PODS: &str = "$ kubectl get pods -n shop
NAME      READY   STATUS             RESTARTS   AGE
cart-1    1/1     Running            0          3d
cart-2    0/1     CrashLoopBackOff   7          3d
stock-1   1/1     Running            0          9d
stock-2   1/1     Running            2          9d
auth-1    0/1     Pending            0          1h
";

#[test]
fn so_many_are_counted() {
    check(
        PODS,
        &[
            ("Three pods are Running.", "+sets"),
            ("Three of the five pods are Running.", "+sets"),
            ("Only one pod is in CrashLoopBackOff.", "+sets"),
            ("Two pods are Running.", "-sets"),
            ("Three of the six pods are Running.", "-sets"),
            ("Two pods are Pending.", "-sets"),
            ("Three nodes are Running.", ""),
            ("Three pods are healthy.", ""),
        ],
    );
}

#[test]
fn all_and_both_are_held_against_each() {
    check(
        PODS,
        &[
            ("All stock pods are Running.", "+sets"),
            ("Both stock pods are Running.", "+sets"),
            ("All five pods are either Running, Pending or CrashLoopBackOff.", ""),
            ("All pods are Running.", "-sets"),
            ("Both cart pods are Running.", "-sets"),
            ("Every pod is Pending.", "-sets"),
        ],
    );
}

#[test]
fn none_and_neither_are_held_against_each() {
    check(
        PODS,
        &[
            ("None of the stock pods is Pending.", "+sets"),
            ("Neither of the stock pods is Pending.", "+sets"),
            ("No cart pod is Pending.", "+sets"),
            ("None of the stock pods has been restarted.", "-sets"),
            ("No cart pod is Running.", "-sets"),
            ("Neither of the cart pods is Running.", "-sets"),
        ],
    );
}

#[test]
fn only_these_are_held_against_the_others() {
    check(
        PODS,
        &[
            ("auth-1 is the only pod that is Pending.", "+sets"),
            ("cart-2 is the only pod in CrashLoopBackOff.", "+sets"),
            ("stock-1 is the only pod that is Running.", "-sets"),
            ("cart-1 is the only pod that is Pending.", "-sets"),
        ],
    );
}

#[test]
fn names_that_a_complete_list_lacks_are_denied() {
    let events =
        r#"{"events": [{"reason": "BackOff", "count": 8}, {"reason": "FailedMount", "count": 2}]}"#;
    check(
        events,
        &[
            ("There is no FailedScheduling event.", "+sets"),
            ("No ImagePullBackOff events were recorded.", "+sets"),
            ("There is no FailedMount event.", ""),
        ],
    );
}

#[test]
fn a_question_is_no_line_of_the_answer() {
    let log = "User question: logs of user-api with ERROR\nuser-api started\nuser-api ready\n";
    check(log, &[("No line of user-api contains ERROR.", ""), ("One line has ERROR.", "")]);
}
