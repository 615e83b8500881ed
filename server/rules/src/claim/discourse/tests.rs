use super::*;
use crate::evidence::observations::Corpus;
use crate::tests::text;

/// The completions of the last of some statements.
fn completed(statements: &[&str]) -> Vec<String> {
    let evidence = [text(
        "pods",
        "kubectl get pods -o wide",
        "NAME                        READY   STATUS    NODE\nseat-api-5d4c8b7f69-jt2wn   1/1     Running   wk-4\nfare-api-7b4c8b7f69-pp2wn   1/1     Running   wk-5\n",
    )];
    let corpus = Corpus::read(&evidence);
    let mut discourse = Discourse::default();
    let mut last = Vec::new();
    for statement in statements {
        let reading = Reading::of(statement, &corpus);
        let found: Vec<String> =
            discourse.complete(&reading).into_iter().map(|completed| completed.text).collect();
        let told = found.first().cloned().unwrap_or_else(|| (*statement).to_owned());
        discourse.tell(&Reading::of(&told, &corpus));
        last = found;
    }
    last
}

#[test]
fn what_points_back_gives_way_to_what_was_told() {
    let pod = "Pod seat-api-5d4c8b7f69-jt2wn ran on node wk-4";
    for (statements, expected) in [
        (
            &[pod, "its p99 peaked at 4.6 s"][..],
            "the p99 of Pod seat-api-5d4c8b7f69-jt2wn peaked at 4.6 s",
        ),
        (&[pod, "it restarted twice"], "Pod seat-api-5d4c8b7f69-jt2wn restarted twice"),
        (&[pod, "which was at 99 % CPU"], ""),
        (&[pod, "the node was at 99 % CPU"], "node wk-4 was at 99 % CPU"),
        (&[pod, "The node pool was at 99 % CPU"], ""),
        (
            &["its p99 rose", pod, "its p99 peaked at 4.6 s at 10:44", "stayed above 2 s"],
            "the p99 of Pod seat-api-5d4c8b7f69-jt2wn stayed above 2 s",
        ),
        (
            &["seat-api-5d4c8b7f69-jt2wn's p99 was 2 s"],
            "the p99 of seat-api-5d4c8b7f69-jt2wn was 2 s",
        ),
    ] {
        let found = completed(statements);
        assert_eq!(found.first().map_or("", String::as_str), expected, "{statements:?}");
    }
}

#[test]
fn lengths_are_measured_from_what_was_told() {
    for (statements, expected) in [
        (
            &["18:42:01 UTC: redis-b lost its master", "71 seconds after the sync had begun"][..],
            &[
                "redis-b lost its master 71 seconds after the sync had begun",
                "18:42:01 UTC 71 seconds after the sync had begun",
            ][..],
        ),
        (
            &[
                "At 01:44:30 UTC the log files were deleted",
                "the database was up again two minutes after that",
            ],
            &[
                "the database was up again two minutes after 01:44:30 UTC",
                "the database was up again two minutes after the log files were deleted",
            ],
        ),
        (
            &[
                "CPU of node wk-4 stayed above 97 % from 18:43 to 18:55",
                "its load was at 12 the whole time",
            ],
            &["the load of node wk-4 was at 12 from 18:43 to 18:55"],
        ),
    ] {
        assert_eq!(completed(statements), expected, "{statements:?}");
    }
}
