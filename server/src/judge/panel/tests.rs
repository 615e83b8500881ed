use futures_util::FutureExt as _;
use gsar_core::{ClaimId, Class, EvidenceType, JudgedClaim};

use super::*;

/// A judge with a name and one scripted answer per sample. The last answer is repeated for all further samples.
struct ScriptedJudge(&'static str, Vec<ScriptedAnswer>);

#[derive(Clone, Copy)]
enum ScriptedAnswer {
    Class(Class),
    Nothing,
    Abstains,
    Fails(&'static str),
    Late,
}

use ScriptedAnswer::{Abstains, Fails, Late, Nothing};

const G: ScriptedAnswer = ScriptedAnswer::Class(Class::Grounded);
const U: ScriptedAnswer = ScriptedAnswer::Class(Class::Ungrounded);
const X: ScriptedAnswer = ScriptedAnswer::Class(Class::Contradicted);

#[async_trait]
impl Judge for ScriptedJudge {
    fn name(&self) -> &str {
        self.0
    }

    fn is_local(&self) -> bool {
        self.0 == "local"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            classes: vec![Class::Grounded],
            languages: vec!["en", self.0],
            max_evidence_bytes: Some(self.0.len()),
        }
    }

    async fn judge(&self, question: &Question) -> Result<Judgement, JudgeError> {
        let last = self.1.len() - 1;
        let scripted = self.1[last.min(question.sample as usize)];
        let calls = vec![ModelCall { purpose: "judge", ..ModelCall::default() }];
        let judgement = |class: Option<Class>| Judgement {
            judged: class.map(|class| verdict(class, self.0)).into_iter().collect(),
            explanation: "explained".to_owned(),
            gaps: vec!["a gap".to_owned()],
            calls: calls.clone(),
            ..Judgement::default()
        };
        match scripted {
            ScriptedAnswer::Class(class) => Ok(judgement(Some(class))),
            Nothing => Ok(judgement(None)),
            Abstains => Ok(Judgement { abstained: Some("cannot".to_owned()), ..judgement(None) }),
            Fails(code) => {
                let (judge, reason) = (self.0.to_owned(), "broken".to_owned());
                Err(JudgeError::Failed { judge, code, reason, calls: calls.clone() })
            }
            Late => Err(JudgeError::DeadlinePassed { judged: 0, claims: 1, calls: Vec::new() }),
        }
    }
}

fn claim() -> Claim {
    Claim::new(ClaimId::new("c1").unwrap(), "x")
}

fn verdict(class: Class, note: &str) -> JudgedClaim {
    let note = note.to_owned();
    JudgedClaim { note, ..JudgedClaim::new(claim(), class, EvidenceType::ToolMatch) }
}

fn member(name: &'static str, weight: u32, answers: &[ScriptedAnswer]) -> Member {
    let judge: Arc<dyn Judge> = Arc::new(ScriptedJudge(name, answers.to_vec()));
    let samples = u32::try_from(answers.len()).unwrap();
    Member { judge, weight, samples, refutes: false }
}

fn question(samples: u32) -> Question {
    Question {
        claims: [claim()].into(),
        samples: std::num::NonZero::new(samples),
        ..Question::default()
    }
}

fn judge_with(members: Vec<Member>, samples: u32) -> Result<Judgement, JudgeError> {
    let panel = Panel::new("panel:p".to_owned(), members);
    panel.judge(&question(samples)).now_or_never().expect("the judges answer at once")
}

fn class(members: Vec<Member>) -> Option<Class> {
    judge_with(members, 0).unwrap().judged.first().map(|judged| judged.class)
}

#[test]
fn a_single_answer_is_not_a_vote() {
    let judgement = judge_with(vec![member("a", 1, &[G])], 0).unwrap();
    assert!(judgement.votes.is_empty());
    assert_eq!(judgement.explanation, "explained");
    assert_eq!((judgement.calls[0].judge.as_str(), judgement.calls[0].sample), ("a", 0));
    let failed = judge_with(vec![member("a", 1, &[Fails("BROKEN")])], 0).unwrap_err();
    let JudgeError::Failed { code, reason, calls, .. } = failed else { panic!("{failed}") };
    assert_eq!((code, reason.as_str(), calls[0].judge.as_str()), ("BROKEN", "broken", "a"));
}

#[test]
fn each_sample_of_a_judge_votes() {
    let judgement = judge_with(vec![member("a", 1, &[G, X, G])], 0).unwrap();
    assert_eq!(judgement.judged[0].class, Class::Grounded);
    let votes = &judgement.votes[0];
    let samples: Vec<u32> = votes.votes.iter().map(|vote| vote.sample).collect();
    assert_eq!((samples, votes.agreement()), (vec![0, 1, 2], (1_680, 2_520)));
    assert_eq!(judgement.notices[0].code, "JUDGES_DISAGREE");
    assert_eq!(judgement.notices[0].sentence, "the votes differ on c1 (66 % for grounded)");
    assert_eq!((judgement.explanation.as_str(), judgement.gaps.len()), ("explained", 1));
    assert_eq!(judgement.calls.iter().map(|call| call.sample).collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn a_question_can_set_the_number_of_samples() {
    let votes = |samples| {
        let members = vec![member("a", 1, &[G]), member("local", 1, &[G])];
        judge_with(members, samples).unwrap().votes[0].votes.len()
    };
    assert_eq!((votes(0), votes(3), votes(1_000)), (2, 4, 11));
}

#[test]
fn samples_share_the_weight_of_their_judge() {
    assert_eq!(
        class(vec![member("a", 1, &[G, G, G]), member("b", 1, &[X])]),
        Some(Class::Contradicted)
    );
    assert_eq!(
        class(vec![member("a", 2, &[G, G, G]), member("b", 1, &[X])]),
        Some(Class::Grounded)
    );
    assert_eq!(class(vec![member("a", 1, &[G]), member("b", 1, &[Nothing])]), None);
}

#[test]
fn members_with_more_than_half_of_the_weight_must_judge() {
    let judge_answers = |answers: &[ScriptedAnswer]| {
        let members = answers.iter().zip(["a", "b", "c", "d"]);
        judge_with(members.map(|(answer, name)| member(name, 1, &[*answer])).collect(), 0)
    };
    let judgement = judge_answers(&[G, G, Fails("BROKEN")]).unwrap();
    assert_eq!(judgement.votes[0].votes.len(), 2);
    assert_eq!(judgement.notices[0].code, "VOTE_MISSING");
    assert_eq!(judgement.notices[0].sentence, "c gave no answer and has no vote (BROKEN)");
    assert_eq!(judge_answers(&[G, U, Abstains]).unwrap().judged[0].class, Class::Ungrounded);

    let outcome = |answers: &[ScriptedAnswer]| match judge_answers(answers) {
        Err(JudgeError::Failed { code, .. }) => code,
        Err(JudgeError::DeadlinePassed { .. }) => "late",
        Ok(judgement) if judgement.abstained.is_some() => "abstained",
        Ok(_) => "judged",
    };
    assert_eq!(outcome(&[G, Fails("BROKEN")]), "BROKEN");
    assert_eq!(outcome(&[G, Fails("BROKEN"), Fails("BROKEN")]), "BROKEN");
    assert_eq!(outcome(&[G, Fails("BROKEN"), Fails("OTHER")]), "PANEL_INCOMPLETE");
    assert_eq!(outcome(&[G, Abstains]), "abstained");
    assert_eq!(outcome(&[G, G, Abstains, Fails("BROKEN")]), "abstained");
    assert_eq!(outcome(&[G, Abstains, Fails("BROKEN"), Fails("BROKEN")]), "BROKEN");
    assert_eq!(outcome(&[G, Late]), "late");
    assert_eq!(outcome(&[G, G, Late]), "judged");
}

#[test]
fn abstentions_and_explanations_name_their_judge() {
    let abstained = judge_with(vec![member("a", 1, &[Abstains]), member("b", 1, &[Abstains])], 0);
    assert_eq!(abstained.unwrap().abstained.unwrap(), "a: cannot; b: cannot");
    let judged = judge_with(vec![member("a", 1, &[G]), member("b", 1, &[G])], 0).unwrap();
    assert_eq!(judged.explanation, "a: explained\nb: explained");
}

#[test]
fn a_panel_combines_the_capabilities_of_its_members() {
    let panel =
        Panel::new("panel:p".to_owned(), vec![member("abc", 1, &[G]), member("ab", 1, &[G])]);
    let capabilities = panel.capabilities();
    assert_eq!(capabilities.classes, [Class::Grounded]);
    assert_eq!((capabilities.languages, capabilities.max_evidence_bytes), (vec!["en"], Some(2)));
}
