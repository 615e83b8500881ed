//! This module tests the rules of series and of changes.

use super::check;

const SERIES: &str = "time,node,connections
2026-01-01T12:00:00Z,db-1,40
2026-01-01T12:01:00Z,db-1,55
2026-01-01T12:02:00Z,db-1,90
2026-01-01T12:03:00Z,db-1,70
2026-01-01T12:00:00Z,db-2,70
2026-01-01T12:01:00Z,db-2,50
2026-01-01T12:02:00Z,db-2,40
2026-01-01T12:03:00Z,db-2,30
";

#[test]
fn the_greatest_and_the_least_are_of_all_samples() {
    check(
        SERIES,
        &[
            ("The connections of db-1 peaked at 90.", "+series"),
            ("The connections of db-1 peaked at 90, at 12:02.", "+series"),
            ("The lowest connections of db-2 were 30.", "+series"),
            ("The connections of db-1 peaked at 70.", "-series"),
            ("The lowest connections of db-2 were 40.", "-series"),
            ("The connections of db-1 peaked at 90, at 12:01.", ""),
        ],
    );
}

#[test]
fn one_sample_on_the_other_side_refutes_a_bound() {
    check(
        SERIES,
        &[
            ("The connections of db-1 stayed above 30.", "+series"),
            ("The connections of db-2 never exceeded 70.", "+series"),
            ("The connections of db-1 stayed above 60 from 12:02.", "+series"),
            ("The connections of db-1 stayed above 60.", "-series"),
            ("The connections of db-2 never exceeded 60.", "-series"),
            ("The connections of db-1 stayed above 80 from 12:02.", "-series"),
        ],
    );
}

#[test]
fn steadily_is_in_every_step() {
    check(
        SERIES,
        &[
            ("The connections of db-2 fell in every sample.", "+series"),
            ("The connections of db-2 fell steadily.", "+series"),
            ("The connections of db-1 rose in every sample.", "-series"),
            ("The connections of db-2 rose steadily.", "-series"),
            ("The connections of db-3 rose steadily.", ""),
        ],
    );
}

#[test]
fn a_change_may_say_how_long_it_took_or_only_where_it_led() {
    check(
        SERIES,
        &[
            ("The connections of db-1 rose from 40 to 90 within two minutes.", "+change"),
            ("The connections of db-2 fell to 30.", "+change"),
            ("The connections of db-1 rose to 90 at 12:02.", "+change"),
            ("The connections of db-1 rose from 40 to 90 within one minute.", ""),
            ("The connections of db-2 fell to 10.", "-change"),
            ("The connections of db-1 rose to 90 at 12:01.", "-change"),
        ],
    );
}
