//! Every shape, read: what becomes a field of which name, who bears names, which series there are.

use gsar_core::evidence::EvidenceItem;
use proptest::prelude::*;

use crate::evidence::observations::{Corpus, NONE};
use crate::tests::{json, text};

/// Fields as `heading>heading|key=value`, then series as `~ heading: count`, then names as `@ name`.
pub(crate) fn dump(evidence: &[EvidenceItem]) -> Vec<String> {
    let corpus = Corpus::read(evidence);
    let path = |object: u32| {
        let mut path: Vec<&str> = corpus
            .around(object)
            .filter(|(_, object)| object.parent != NONE)
            .map(|(_, object)| corpus.heading(object))
            .filter(|heading| !heading.is_empty())
            .collect();
        path.reverse();
        path.join(">")
    };
    let mut lines: Vec<String> = (0..corpus.fields.len())
        .map(|number| {
            let number = u32::try_from(number).unwrap();
            let field = corpus.field(number).unwrap();
            let at = field.micros.map_or(String::new(), |micros| format!(" at {micros}"));
            let unit = corpus.unit(number).map_or(String::new(), |unit| format!(" in {unit:?}"));
            format!(
                "{}|{}={}{at}{unit} #{}",
                path(field.object),
                corpus.name(number),
                corpus.value(number),
                corpus.record(field.object)
            )
        })
        .collect();
    lines.extend(corpus.series.iter().map(|series| {
        format!("~ {}: {}", path(series.object), series.samples.1 - series.samples.0)
    }));
    lines.extend(
        corpus.names.iter().map(|name| format!("@ {} #{}", corpus.value(name.field), name.object)),
    );
    lines
}

fn has(lines: &[String], wanted: &[&str]) {
    for wanted in wanted {
        assert!(lines.iter().any(|line| line.contains(wanted)), "{wanted} in {lines:#?}");
    }
}

#[test]
#[ignore = "prints"]
fn print() {
    let path = std::env::var("SHAPE").unwrap();
    let content = std::fs::read_to_string(&path).unwrap();
    let item = if path.ends_with(".json") {
        json("e", "tool", &content)
    } else {
        text("e", "tool", &content)
    };
    for line in dump(&[item]) {
        println!("{line}");
    }
}

#[test]
fn attributes_are_fields_of_their_name() {
    let lines = dump(&[json(
        "trace",
        "curl tempo",
        r#"{"batches":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"pay"}}]},
        "spans":[{"name":"POST /pay","startTimeUnixNano":"1775655060108912128",
        "attributes":[{"key":"http.response.status_code","value":{"intValue":"201"}}]}]}]}"#,
    )]);
    has(
        &lines,
        &["|http.response.status_code=201", "|service.name=pay", "@ pay", "at 1775655060108912"],
    );
}

#[test]
fn a_span_says_its_unit_by_its_start() {
    let lines = dump(&[json(
        "trace",
        "curl jaeger",
        r#"{"spans":[{"operationName":"GET","startTime":1781203632204318,"duration":874,
        "tags":[{"key":"cache.hit","type":"string","value":"false"}]}]}"#,
    )]);
    has(&lines, &["|duration=874 in ", "|cache.hit=false"]);
}

#[test]
fn two_arrays_side_by_side_are_a_series() {
    let lines = dump(&[json(
        "cw",
        "aws cloudwatch",
        r#"{"MetricDataResults":[{"Label":"a Cpu","Timestamps":["2026-06-11T18:34:00Z","2026-06-11T18:35:00Z"],"Values":[31.78,35.5]},
        {"Label":"b","Timestamps":["2026-06-11T18:34:00Z"],"Values":[1,2]}]}"#,
    )]);
    has(&lines, &["Values: 2"]);
    assert_eq!(lines.iter().filter(|line| line.starts_with('~')).count(), 1);
}

#[test]
fn documents_on_lines_are_records() {
    let lines =
        dump(&[text("tf", "log", "{\"type\":\"a\",\"n\":1}\n{\"type\":\"b\",\"n\":2}\ndone\n")]);
    has(&lines, &["type=a #1", "type=b #3", "=done #0"]);
}

#[test]
fn a_csv_has_rows_and_series() {
    let lines = dump(&[text(
        "edge",
        "duckdb -csv",
        "minute,total,bot\n2026-06-11T18:28:00Z,47,\"1\"\n2026-06-11T18:29:00Z,48,2\n2026-06-11T18:30:00Z,49,3\n",
    )]);
    has(&lines, &["|total=47 #1", "|bot=3 #3", "~ total: 3", "~ bot: 3"]);
    assert!(!lines.iter().any(|line| line.contains("=minute,total")));
}

#[test]
fn prose_with_commas_is_no_csv() {
    let lines = dump(&[text("note", "cat", "First, then, later\nOne 1, two 2, three 3\n")]);
    has(&lines, &["=First, then, later"]);
}

#[test]
fn rows_of_a_csv_bear_names() {
    let lines = dump(&[text(
        "lb",
        "show stat",
        "# pxname,svname,status\nweb,web1,UP\nweb,web2,MAINT (a)\n",
    )]);
    has(&lines, &["@ web1 #1", "|status=MAINT (a) #2"]);
}

#[test]
fn df_and_prompts() {
    let lines = dump(&[text(
        "df",
        "ssh",
        "$ df -h\nFilesystem      Size  Used Avail Use% Mounted on\n/dev/sda1        30G   11G   19G  38% /data\n\
         $ lsblk -o A\nNAME SIZE TYPE MOUNTPOINTS\nsda   30G disk /data\n",
    )]);
    has(&lines, &["|Use%=38% #1", "|Mounted on=/data #1", "@ /data #1", "$ lsblk -o A|TYPE=disk"]);
}

#[test]
fn a_log_of_commits_keeps_its_commits_apart() {
    let log = "commit 0123456789abcdef0123456789abcdef01234567\nCommitDate: 2026-04-08T13:05:10+00:00\n\n    a: one\n\n\
        diff --git a/x.yaml b/x.yaml\n@@ -1,1 +1,1 @@ env:\n-  WAIT_MS: \"6000\"\n+  WAIT_MS: \"2500\"\n\n\
        commit 1123456789abcdef0123456789abcdef01234567\nCommitDate: 2026-04-08T14:05:10+00:00\n";
    let lines = dump(&[text("git", "git log -p", log)]);
    has(&lines, &["|WAIT_MS=2500 #1", "|CommitDate=2026-04-08T14:05:10+00:00 #"]);
    let second = lines.iter().find(|line| line.contains("CommitDate=2026-04-08T14")).unwrap();
    assert!(!second.ends_with("#1"), "{second}");
}

#[test]
fn a_plan_states_both_values() {
    let plan = "2026-02-24T13:19:46.9930115Z Terraform will perform the following actions:\n\
        2026-02-24T13:19:46.9930115Z   # kubernetes_quota.this will be updated in-place\n\
        2026-02-24T13:19:46.9930115Z   ~ resource \"kubernetes_quota\" \"this\" {\n\
        2026-02-24T13:19:46.9930115Z       ~ hard = {\n\
        2026-02-24T13:19:46.9930115Z           ~ \"requests.cpu\" = \"40\" -> \"28\"\n";
    let evidence = [text("tf", "terraform plan", plan)];
    has(&dump(&evidence), &["|requests.cpu=40 at", "|requests.cpu=28 at"]);
    crate::tests::expect(
        &evidence,
        &[
            ("requests.cpu of the quota was lowered from 40 to 28", gsar_core::Class::Grounded),
            ("requests.cpu of the quota was raised from 28 to 40", gsar_core::Class::Contradicted),
            ("requests.cpu of the quota was lowered from 40 to 30", gsar_core::Class::Contradicted),
        ],
    );
}

#[test]
fn an_exposition_names_its_metrics() {
    let lines = dump(&[text(
        "m",
        "curl metrics",
        "# api-7f9c-x2x1z\n# HELP pool_active Active\npool_active{pool=\"a\",app=\"api\"} 5.0\nnode_wait_seconds_total 2914.4\n",
    )]);
    has(
        &lines,
        &[
            "# api-7f9c-x2x1z|pool_active=5.0",
            "|pool=a",
            "@ api",
            "|node_wait_seconds_total=2914.4 in",
        ],
    );
}

#[test]
fn headers_stand_below_their_host() {
    let lines = dump(&[text(
        "h",
        "curl -sI",
        "auth-1 2026-06-11T03:38:12Z\nHTTP/2 200\ndate: Thu\n\nauth-2 x\nHTTP/2 503\n",
    )]);
    has(&lines, &["auth-1 2026-06-11T03:38:12Z|date=Thu", "auth-2 x|=HTTP/2 503"]);
}

proptest! {
    /// No text makes the reader stumble, and every quote is a stretch of it.
    #[test]
    fn any_text_is_read(
        pieces in proptest::collection::vec(
            prop_oneof![
                Just("a,b,c\n".to_owned()), Just("1,\"x,y\",3\n".to_owned()), Just("$ df\n".to_owned()),
                Just("Filesystem Size Used Mounted on\n".to_owned()), Just("== h ==\n".to_owned()),
                Just("commit 0123456789\n".to_owned()), Just("~ k = \"1\" -> 2\n".to_owned()),
                Just("m_x{a=\"b\"} 1\n".to_owned()), Just("2026-02-24T13:19:46.9930115Z é = {\n".to_owned()),
                Just("Terraform will perform\n".to_owned()), Just("{\"Timestamps\":[1771939132],\"Values\":[1]}\n".to_owned()),
                "[ -~é\t\n|,\"={}:]{0,20}",
            ],
            0..12,
        )
    ) {
        let content = pieces.concat();
        let evidence = [text("e", "tool", &content), json("j", "tool", &content)];
        let corpus = Corpus::read(&evidence);
        for field in &corpus.fields {
            for span in [field.name, field.quote, field.value] {
                prop_assert!(content.get(span.0 as usize..span.1 as usize).is_some());
            }
        }
        for sample in &corpus.samples {
            prop_assert!(content.get(sample.quote.0 as usize..sample.quote.1 as usize).is_some());
        }
    }
}
