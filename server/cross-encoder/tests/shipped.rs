//! Tests that the built-in model starts, passes its examples, and is deterministic.

use gsar_core::Class;
use gsar_cross_encoder::{CrossEncoder, Model, Options, Pair, Probabilities};

use crate::support::runtime;

const PODS: &str = "[kubectl get pods]\n\
                    NAME cart-1; READY 1/1; STATUS Running; RESTARTS 0\n\
                    NAME cart-2; READY 0/1; STATUS CrashLoopBackOff; RESTARTS 7\n";

async fn score_claims(claims: &[&str]) -> Option<Vec<Probabilities>> {
    let runtime = runtime()?;
    let model = Model::shipped().unwrap();
    let encoder = CrossEncoder::start(&runtime, &model, &Options::default()).unwrap();
    let pairs = claims.iter().map(|claim| Pair::new(*claim, PODS)).collect();
    Some(encoder.score(pairs).await.unwrap())
}

#[tokio::test]
async fn distinguishes_grounded_claims() {
    let claims = [
        "Pod cart-2 is in CrashLoopBackOff.",
        "The deploy of Tuesday caused the crashes of cart-2.",
        "An alert on restarts would shorten the time that such a crash stays hidden.",
    ];
    let Some(found) = score_claims(&claims).await else { return };
    let likeliest: Vec<Class> = found.iter().map(Probabilities::likeliest).collect();
    assert_eq!(likeliest, [Class::Grounded, Class::Ungrounded, Class::Complementary]);
}

#[tokio::test]
async fn scores_are_the_same_after_a_restart() {
    let claims = ["Pod cart-2 restarted 7 times.", "Pod cart-1 is not ready."];
    assert_eq!(score_claims(&claims).await, score_claims(&claims).await);
}
