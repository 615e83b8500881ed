//! Generates claims of absence. The evidence supports them, refutes them or leaves them undecided.

use super::scene::{Limits, Scene};
use super::shapes::Shape;
use super::{Evidence, Expected};
use crate::Random;

/// A form of evidence for a claim of absence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AbsenceForm {
    /// A complete list of a namespace without the name.
    CompleteList,
    /// A complete list of a namespace without the name, marked exhaustive.
    MarkedList,
    /// A complete list of a namespace that contains the name.
    Listed,
    /// A complete list of one namespace, while the claim is about all namespaces.
    WiderScope,
    /// A complete list of one namespace, while the claim is about another namespace.
    OtherScope,
    /// The first rows of a list, without the name.
    CutList,
    /// The first rows of a list, with the name.
    CutListed,
    /// An empty result.
    EmptyAnswer,
    /// A count of 0.
    ZeroCount,
    /// A count above 0.
    SomeCount,
    /// A complete log without the message.
    WholeLog,
    /// A complete log with the message.
    WholeLogWith,
    /// The last lines of a log, without the message.
    TailOfLog,
}

impl AbsenceForm {
    /// All forms.
    pub const ALL: [Self; 13] = [
        Self::CompleteList,
        Self::MarkedList,
        Self::Listed,
        Self::WiderScope,
        Self::OtherScope,
        Self::CutList,
        Self::CutListed,
        Self::EmptyAnswer,
        Self::ZeroCount,
        Self::SomeCount,
        Self::WholeLog,
        Self::WholeLogWith,
        Self::TailOfLog,
    ];

    /// Returns the form's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CompleteList => "complete list, not in it",
            Self::MarkedList => "complete list marked exhaustive, not in it",
            Self::Listed => "complete list, in it",
            Self::WiderScope => "complete list, claim of a wider scope",
            Self::OtherScope => "complete list, claim of another scope",
            Self::CutList => "first rows of a list, not in them",
            Self::CutListed => "first rows of a list, in them",
            Self::EmptyAnswer => "empty answer",
            Self::ZeroCount => "count of 0",
            Self::SomeCount => "count above 0",
            Self::WholeLog => "whole log, not in it",
            Self::WholeLogWith => "whole log, in it",
            Self::TailOfLog => "tail of a log, not in it",
        }
    }

    /// Returns the expected verdict.
    pub const fn expected(self) -> Expected {
        match self {
            Self::CompleteList
            | Self::MarkedList
            | Self::EmptyAnswer
            | Self::ZeroCount
            | Self::WholeLog => Expected::Shown,
            Self::Listed | Self::CutListed | Self::SomeCount | Self::WholeLogWith => {
                Expected::Refuted
            }
            Self::WiderScope | Self::OtherScope | Self::CutList | Self::TailOfLog => {
                Expected::Undecidable
            }
        }
    }
}

/// A claim that something is absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absence {
    /// The form of the evidence.
    pub form: AbsenceForm,
    /// The evidence.
    pub evidence: Evidence,
    /// The claim.
    pub claim: String,
}

/// Generates `count` claims, distributed evenly over the forms. The result is deterministic for a given seed.
pub fn absences(seed: u64, count: usize) -> Vec<Absence> {
    let mut random = Random::new(seed);
    let mut generate = |form| (0..MAX_DRAWS).find_map(|_| absence(form, &mut random));
    AbsenceForm::ALL.into_iter().cycle().take(count).filter_map(&mut generate).collect()
}

const MAX_DRAWS: usize = 100;

const NAMESPACES: [&str; 6] = ["shop", "payments", "logistics", "identity", "media", "reporting"];

const MESSAGES: [&str; 6] = [
    "OutOfMemoryError",
    "connection refused",
    "deadlock detected",
    "certificate has expired",
    "disk quota exceeded",
    "too many open files",
];

const OTHER_MESSAGES: [&str; 6] = [
    "INFO request served in 12 ms",
    "INFO cache warmed",
    "WARN slow request",
    "INFO worker idle",
    "DEBUG lease renewed",
    "INFO config reloaded",
];

const PROGRAMS: [&str; 5] = ["checkout", "billing", "mailer", "gateway", "indexer"];

const IN_NAMESPACE: [&str; 5] = [
    "There is no {noun} {name} in namespace {scope}.",
    "No {noun} named {name} is listed in namespace {scope}.",
    "Namespace {scope} has no {noun} {name}.",
    "In namespace {scope} {noun} {name} does not exist.",
    "Namespace {scope} is without a {noun} named {name}.",
];

const ANYWHERE: [&str; 4] = [
    "There is no {noun} {name} in any namespace.",
    "No {noun} named {name} exists in the whole cluster.",
    "No namespace has a {noun} {name}.",
    "Nowhere in the cluster is there a {noun} {name}.",
];

const NONE_AT_ALL: [&str; 4] = [
    "There are no {plural} in namespace {scope}.",
    "Namespace {scope} has no {plural}.",
    "No {noun} exists in namespace {scope}.",
    "No {plural} were found in namespace {scope}.",
];

const IN_LOG: [&str; 4] = [
    "The log of {name} has no line with \"{message}\".",
    "\"{message}\" never occurs in the log of {name}.",
    "There is no \"{message}\" in the log of {name}.",
    "The log of {name} does not mention \"{message}\".",
];

#[derive(Clone, Copy)]
struct List {
    is_cut: bool,
    has_name: bool,
    is_other_scope: bool,
    wordings: &'static [&'static str],
}

impl List {
    const COMPLETE: Self =
        Self { is_cut: false, has_name: false, is_other_scope: false, wordings: &IN_NAMESPACE };
}

fn absence(form: AbsenceForm, random: &mut Random) -> Option<Absence> {
    use AbsenceForm as Form;
    let complete = List::COMPLETE;
    let (evidence, claim) = match form {
        Form::CompleteList => list_evidence(complete, random)?,
        Form::MarkedList => {
            let (evidence, claim) = list_evidence(complete, random)?;
            (Evidence { exhaustive: true, ..evidence }, claim)
        }
        Form::Listed => list_evidence(List { has_name: true, ..complete }, random)?,
        Form::WiderScope => list_evidence(List { wordings: &ANYWHERE, ..complete }, random)?,
        Form::OtherScope => list_evidence(List { is_other_scope: true, ..complete }, random)?,
        Form::CutList => list_evidence(List { is_cut: true, ..complete }, random)?,
        Form::CutListed => {
            list_evidence(List { is_cut: true, has_name: true, ..complete }, random)?
        }
        Form::EmptyAnswer => empty_answer(random)?,
        Form::ZeroCount => count_evidence(0, random),
        Form::SomeCount => {
            let count = random.between(2, 90);
            count_evidence(count, random)
        }
        Form::WholeLog => log_evidence(false, false, random),
        Form::WholeLogWith => log_evidence(false, true, random),
        Form::TailOfLog => log_evidence(true, false, random),
    };
    Some(Absence { form, evidence, claim })
}

/// Draws a list and a claim that a name is not in it.
fn list_evidence(list: List, random: &mut Random) -> Option<(Evidence, String)> {
    let limits = Limits { entities: 5, columns: 2, gauges: false, hosts: false };
    let scene = Scene::draw(limits, random)?;
    let mut scopes = NAMESPACES;
    random.shuffle(&mut scopes);
    let [scope, another, ..] = scopes;
    let evidence = print_scene(&scene, scope, list.is_cut, random)?;
    let denied_names: Vec<&str> = if list.has_name {
        scene.names.clone()
    } else {
        let contains_scene_names =
            |names: &&&[&'static str]| scene.names.iter().all(|name| names.contains(name));
        let name_list = scene.kind.names.iter().find(contains_scene_names)?;
        name_list.iter().copied().filter(|name| !scene.names.contains(name)).collect()
    };
    let claim = random
        .word(list.wordings)
        .replace("{noun}", scene.kind.noun)
        .replace("{name}", random.pick(&denied_names)?)
        .replace("{scope}", if list.is_other_scope { another } else { scope });
    Some((evidence, claim))
}

fn print_scene(scene: &Scene, scope: &str, is_cut: bool, random: &mut Random) -> Option<Evidence> {
    let shapes = [Shape::KubectlTable, Shape::PsqlTable, Shape::Csv, Shape::JsonArray];
    let shape = *random.pick(&shapes)?;
    let evidence = shape.print(scene, random);
    let (plural, rows) = (scene.kind.plural, scene.names.len());
    let limit = |limit: String| if is_cut { limit } else { String::new() };
    let tool = match shape {
        Shape::PsqlTable => {
            let limit = limit(format!(" limit {rows}"));
            format!("psql -c \"select * from {plural} where namespace = '{scope}'{limit}\"")
        }
        Shape::JsonArray => {
            let limit = limit(format!("&limit={rows}"));
            format!("curl -s 'http://inventory/v1/{plural}?namespace={scope}{limit}'")
        }
        Shape::Csv => {
            let limit = limit(format!(" --limit {rows}"));
            format!("invctl export {plural} -n {scope}{limit}")
        }
        _ => {
            let head = limit(format!(" | head -n {}", rows + 1));
            format!("kubectl get {plural} -n {scope}{head}")
        }
    };
    let mut content = evidence.content;
    if is_cut && shape == Shape::Csv {
        content = format!("{content}\nshowing {rows} of {}", rows * random.between(20, 90));
    }
    Some(Evidence { tool, content, ..evidence })
}

fn empty_answer(random: &mut Random) -> Option<(Evidence, String)> {
    let kind = random.pick(&super::kinds::KINDS)?;
    let (noun, plural, scope) = (kind.noun, kind.plural, random.word(&NAMESPACES));
    let (tool, content, json) = match random.below(3) {
        0 => (
            format!("kubectl get {plural} -n {scope}"),
            format!("No resources found in {scope} namespace."),
            false,
        ),
        1 => (
            format!("psql -c \"select name, owner from {plural} where namespace = '{scope}'\""),
            " name | owner\n------+-------\n(0 rows)".to_owned(),
            false,
        ),
        _ => (
            format!("curl -s 'http://inventory/v1/{plural}?namespace={scope}'"),
            "[]".to_owned(),
            true,
        ),
    };
    let claim = random
        .word(&NONE_AT_ALL)
        .replace("{plural}", plural)
        .replace("{noun}", noun)
        .replace("{scope}", scope);
    Some((Evidence { tool, json, ..Evidence::state(content) }, claim))
}

fn in_log(name: &str, message: &str, random: &mut Random) -> String {
    random.word(&IN_LOG).replace("{name}", name).replace("{message}", message)
}

fn count_evidence(count: usize, random: &mut Random) -> (Evidence, String) {
    let (name, message) = (random.word(&PROGRAMS), random.word(&MESSAGES));
    let tool = format!("grep -c '{message}' /var/log/{name}/app.log");
    let evidence = Evidence { tool, ..Evidence::log(count.to_string()) };
    (evidence, in_log(name, message, random))
}

/// Builds a complete log or its tail, and a claim that a message is not in it.
fn log_evidence(is_tail: bool, has_message: bool, random: &mut Random) -> (Evidence, String) {
    let (name, message) = (random.word(&PROGRAMS), random.word(&MESSAGES));
    let count = random.between(6, 14);
    let message_line = random.below(count);
    let lines = (0..count).map(|line| {
        let text = if has_message && line == message_line {
            format!("ERROR {message}")
        } else {
            random.word(&OTHER_MESSAGES).to_owned()
        };
        format!("2026-03-12T21:{:02}:{:02}Z {text}", 4 * line, random.below(60))
    });
    let content = lines.collect::<Vec<_>>().join("\n");
    let command = if is_tail { format!("tail -n {count}") } else { "cat".to_owned() };
    let tool = format!("{command} /var/log/{name}/app.log");
    (Evidence { tool, ..Evidence::log(content) }, in_log(name, message, random))
}

#[cfg(test)]
mod tests;
