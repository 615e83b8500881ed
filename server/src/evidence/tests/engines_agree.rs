//! Tests that both engines find the same passages in the same order.

use super::*;

/// Generates log lines from a seed.
fn lines(seed: u64, count: u32) -> String {
    const SERVICES: [&str; 5] = ["cart", "checkout", "payments-db", "search", "edge"];
    const MESSAGES: [&str; 6] = [
        "connection to payments-db refused",
        "GET /api/v1/items took {} ms",
        "restarted with exit code {}",
        "queue depth is {}",
        "OOMKilled, limit {}Mi",
        "retry {} of 5",
    ];
    let mut random = fastrand::Rng::with_seed(seed);
    (0..count)
        .map(|line| {
            let message = MESSAGES[random.usize(..MESSAGES.len())]
                .replace("{}", &random.u32(..500).to_string());
            let service = SERVICES[random.usize(..SERVICES.len())];
            format!(
                "2026-03-12T14:{:02}:{:02}Z {service}-{} {message}\n",
                line / 60 % 60,
                line % 60,
                random.u32(..9)
            )
        })
        .collect()
}

#[test]
fn both_engines_rank_lexical_search_results_alike() {
    let Some(engine) = Engine::postgres(Kind::System).or_else(|| Engine::postgres(Kind::Pgvector))
    else {
        return;
    };
    let (sqlite, postgres) = (Engine::Sqlite.fixture(), engine.fixture());
    let (sqlite, postgres) = (sqlite.open(), postgres.open());
    for seed in 0..3 {
        let items =
            || (0..4).map(|item| text(&format!("log-{item}"), &lines(seed * 10 + item, 300)));
        put(&sqlite, "c", items().collect());
        put(&postgres, "c", items().collect());
        for query in [
            "payments-db refused connections of cart-3",
            "checkout was OOMKilled with limit 256Mi",
            "queue depth of search rose to 412",
            "retry 3 of 5",
            "exit code 137",
            "no passage mentions a zebra",
            "GET /api/v1/items took 87 ms on edge-7",
        ] {
            let (sqlite, postgres) = (labels(&sqlite, "c", query), labels(&postgres, "c", query));
            assert_eq!(sqlite, postgres, "{query}");
        }
        let all_items = |evidence: &Evidence| evidence.items(&name("c")).unwrap();
        assert_eq!(all_items(&sqlite), all_items(&postgres));
    }
}
