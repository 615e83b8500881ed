//! This module tests words that say no more than what stands beside them.

use super::check;

#[test]
fn how_often_is_the_count() {
    check(
        "NAME      STATUS    RESTARTS\ncart-1    Running   4\nstock-1   Running   9\n",
        &[
            ("cart-1 has restarted four times.", "+value"),
            ("stock-1 has been restarted 9 times.", "+value"),
            ("cart-1 has restarted 4 times as often as stock-1.", ""),
            ("cart-1 has restarted nine times.", "-value"),
        ],
    );
}

#[test]
fn a_status_says_whether_it_failed() {
    let trace = "2021-07-08 10:00:01.125 | TRACE | webservice1 --> loginservice1 | db_login | 500\n2021-07-08 10:00:02.250 | TRACE | webservice1 --> stock-1 | /stock | 200\n";
    check(
        trace,
        &[
            ("A call from webservice1 to loginservice1 failed with a 500.", "+value"),
            ("The trace shows 500 errors from webservice1 to loginservice1.", "+value"),
            ("A call from loginservice1 to webservice1 failed with a 500.", ""),
            ("A call from webservice1 to stock-1 failed with a 500.", ""),
        ],
    );
}

#[test]
fn fields_between_bars_have_no_order() {
    let alerts = "2021-07-08 10:00:01.125 | METRIC | redis-1 | docker_memory_usage_pct | up\n2021-07-08 10:00:01.125 | METRIC | redis-2 | docker_cpu_usage_pct | down\n";
    check(
        alerts,
        &[
            ("docker_memory_usage_pct of redis-1 is up.", "+value"),
            ("The memory usage of redis-1 went up.", "+value"),
            ("The CPU usage of redis-2 is down.", "+value"),
        ],
    );
}

#[test]
fn a_bare_value_is_that_of_what_is_named_beside_it() {
    let variables = r#"{"env": [{"name": "TOKEN_EXPIRY", "value": "60"}, {"name": "POOL_SIZE", "value": "10"}]}"#;
    check(
        variables,
        &[
            ("TOKEN_EXPIRY is 60.", "+value"),
            ("POOL_SIZE is 10.", "+value"),
            ("POOL_SIZE is 60.", ""),
        ],
    );
}
