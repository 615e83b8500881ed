//! Compares the tiny model's scores with PyTorch's for single pairs, in batches, and for concurrent
//! callers.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use gsar_core::Class;
use gsar_cross_encoder::{CrossEncoder, Model, Options, Pair, ScoreError};

use crate::support::{copy_into, difference, fixture, options, references, runtime, start_encoder};

fn pairs() -> Vec<Pair> {
    references().into_iter().map(|reference| reference.pair).collect()
}

#[tokio::test]
async fn logits_match_pytorch_alone_and_in_batches() {
    let Some(runtime) = runtime() else { return };
    let encoder = start_encoder(&runtime, &fixture());
    let batched = encoder.logits(pairs()).await.unwrap();
    for (reference, batched) in references().into_iter().zip(&batched) {
        let single = encoder.logits(vec![reference.pair.clone()]).await.unwrap();
        assert!(difference(&single[0], &reference.logits) < 1e-4, "{:?}", reference.pair);
        assert!(difference(&single[0], batched) < 1e-4, "{:?}", reference.pair);
    }
}

/// Encoders such as MPNet have no token types, and derive positions from the tokens that are not padding.
#[tokio::test]
async fn padding_does_not_change_scores_of_encoders_without_token_types() {
    let Some(runtime) = runtime() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/without_types");
    let encoder = start_encoder(&runtime, &folder);
    let batched = encoder.logits(pairs()).await.unwrap();
    for (pair, batched) in pairs().into_iter().zip(&batched) {
        let single = encoder.logits(vec![pair.clone()]).await.unwrap();
        assert!(difference(&single[0], batched) < 1e-4, "{pair:?}");
    }
    let distinct: BTreeSet<String> = batched.iter().map(|logits| format!("{logits:?}")).collect();
    assert!(distinct.len() > 30, "{}", distinct.len());
}

#[tokio::test]
async fn batch_scaled_graphs_run_each_pair_alone() {
    let Some(runtime) = runtime() else { return };
    let folder = tempfile::tempdir().unwrap();
    let copy = copy_into(folder.path());
    fs::copy(fixture().join("model.int8.onnx"), copy.join("model.onnx")).unwrap();
    let encoder = start_encoder(&runtime, &copy);
    let batched = encoder.logits(pairs()).await.unwrap();
    let mut equal_count = 0;
    for (reference, batched) in references().into_iter().zip(&batched) {
        let single = encoder.logits(vec![reference.pair.clone()]).await.unwrap();
        assert_eq!(&single[0], batched, "{:?}", reference.pair);
        // Integer multiplication varies by processor, so only the most likely class is stable.
        let likeliest_column =
            |logits: &[f32]| (0..4).max_by(|a, b| logits[*a].total_cmp(&logits[*b]));
        equal_count +=
            usize::from(likeliest_column(&single[0]) == likeliest_column(&reference.logits));
    }
    assert!(equal_count * 10 >= pairs().len() * 9, "{equal_count} of {}", pairs().len());
}

#[tokio::test]
async fn probabilities_follow_labels_and_temperature() {
    let Some(runtime) = runtime() else { return };
    let probabilities = start_encoder(&runtime, &fixture()).score(pairs()).await.unwrap();
    for (reference, probabilities) in references().iter().zip(&probabilities) {
        let exponents: Vec<f64> =
            reference.logits.iter().map(|logit| (f64::from(*logit) / 1.5).exp()).collect();
        let sum: f64 = exponents.iter().sum();
        for (class, exponent) in Class::ALL.into_iter().zip(&exponents) {
            assert!((probabilities.of(class).to_f64() - exponent / sum).abs() < 1e-4);
        }
        let sum: u32 = Class::ALL.iter().map(|class| probabilities.of(*class).get()).sum();
        assert_eq!(sum, 1_000_000);
    }
    for class in Class::ALL {
        assert!(
            probabilities.iter().any(|probabilities| probabilities.likeliest() == class),
            "{class:?}"
        );
    }
    let folder = tempfile::tempdir().unwrap();
    let copy = copy_into(folder.path());
    fs::remove_file(copy.join("examples.jsonl")).unwrap();
    let names = r#"{"id2label": {"3": "SUPPORTS", "0": "Refutes", "1": "complementary", "2": "neutral"},
        "gsar": {"temperature": 1.5, "max_tokens": 64}}"#;
    fs::write(copy.join("config.json"), names).unwrap();
    let renamed = start_encoder(&runtime, &copy).score(pairs()).await.unwrap();
    for (probabilities, renamed) in probabilities.iter().zip(&renamed) {
        assert_eq!(probabilities.grounded, renamed.contradicted);
        assert_eq!(probabilities.ungrounded, renamed.complementary);
        assert_eq!(probabilities.contradicted, renamed.ungrounded);
        assert_eq!(probabilities.complementary, renamed.grounded);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_callers_share_computations() {
    let Some(runtime) = runtime() else { return };
    let model = Model::open(&fixture()).unwrap();
    let encoder = CrossEncoder::start(&runtime, &model, &options(2)).unwrap();
    let pairs = pairs();
    let callers: Vec<_> = (0..16)
        .map(|caller| {
            // Each caller uses a different order and repeats some pairs.
            let order: Vec<usize> = (0..pairs.len() + 5)
                .map(|index| (index * (caller * 2 + 1) + caller) % pairs.len())
                .collect();
            let requested = order.iter().map(|index| pairs[*index].clone()).collect();
            let encoder = encoder.clone();
            tokio::spawn(async move { (order, encoder.logits(requested).await.unwrap()) })
        })
        .collect();
    let references = references();
    for caller in callers {
        let (order, answers) = caller.await.unwrap();
        assert_eq!(order.len(), answers.len());
        for (index, answer) in order.iter().zip(&answers) {
            assert!(difference(answer, &references[*index].logits) < 1e-4);
        }
    }
    let statistics = encoder.statistics();
    assert!(statistics.computed <= pairs.len() as u64, "{statistics:?}");
    assert_eq!((statistics.failed, statistics.waiting), (0, 0));
    assert!(encoder.score(Vec::new()).await.unwrap().is_empty());
}

#[tokio::test]
async fn counts_tokens_like_the_model() {
    let Some(runtime) = runtime() else { return };
    let encoder = start_encoder(&runtime, &fixture());
    for reference in references() {
        let Pair { claim, premise } = &reference.pair;
        let room = encoder.room_beside(claim).unwrap();
        let total = encoder.tokens(claim) + encoder.tokens(premise).min(room) + 3;
        assert_eq!(total, reference.tokens, "{:?}", reference.pair);
    }
}

#[tokio::test]
async fn truncates_premises_but_not_claims() {
    let Some(runtime) = runtime() else { return };
    let encoder = start_encoder(&runtime, &fixture());
    let claim = "the pool";
    let room = encoder.room_beside(claim).unwrap();
    let pair_with_words = |words: usize| Pair::new(claim, "a ".repeat(words));
    let lengths = [room - 1, room, room + 1, 1_000_000];
    let scored = encoder.score(lengths.map(pair_with_words).into()).await.unwrap();
    assert_ne!(scored[0], scored[1]);
    assert_eq!((scored[1], scored[1]), (scored[2], scored[3]));

    let max_tokens = 48;
    let longest = Pair::new("a ".repeat(max_tokens), "b ".repeat(100));
    encoder.score(vec![longest]).await.unwrap();
    for words in [max_tokens + 1, 1_000_000] {
        let claim = "a ".repeat(words);
        assert_eq!(encoder.room_beside(&claim), None);
        let pairs = vec![Pair::new("fine", "b"), Pair::new(claim.as_str(), "b")];
        let error = encoder.score(pairs).await.unwrap_err();
        let expected = ScoreError::ClaimTooLong { at: 1, bytes: claim.len(), max_tokens };
        assert_eq!(error, expected);
    }
}

#[tokio::test]
async fn scores_unusual_texts() {
    let Some(runtime) = runtime() else { return };
    let model = Model::open(&fixture()).unwrap();
    let encoder = CrossEncoder::start(&runtime, &model, &Options::default()).unwrap();
    let texts = [
        String::new(),
        "\0".to_owned(),
        "[CLS] [SEP] [MASK] [PAD] [UNK]".to_owned(),
        "\u{1f525}\u{200d}\u{fe0f}".repeat(1_000),
        "e\u{301}".repeat(10_000),
        "x".repeat(500_000),
        " ".repeat(500_000),
        "\u{202e}\u{feff}\u{fffd}\u{10ffff}".to_owned(),
    ];
    let pairs: Vec<Pair> = texts.iter().map(|text| Pair::new("the pool", text.as_str())).collect();
    let probabilities = encoder.score(pairs.clone()).await.unwrap();
    assert_eq!(encoder.score(pairs).await.unwrap(), probabilities);
    let special_pairs =
        [Pair::new("a [SEP] b", "c"), Pair::new("a", "b [SEP] c"), Pair::new("a", "b")];
    for pair in &special_pairs[..2] {
        let token_count = encoder.tokens(&pair.claim) + encoder.tokens(&pair.premise);
        assert!(token_count >= 6, "{token_count}");
    }
    let [first, second, third] = encoder.score(special_pairs.into()).await.unwrap()[..] else {
        panic!()
    };
    assert!(first != second && second != third);
}
