//! Writes JUnit XML: a suite per report, with a test per claim and one for the decision.

use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

use super::suite::{Fault, Suite, TestResult, suite};
use super::{ReportResult, names};
use crate::human::View;

const NAME: &str = "gsar evaluate";

/// Writes reports as JUnit XML. With `strict`, ungrounded claims fail even if the report may proceed.
pub(crate) fn junit(evaluated: &[ReportResult], view: &View, strict: bool) -> io::Result<String> {
    let named = names(evaluated).into_iter().zip(evaluated);
    let suites: Vec<Suite> = named.map(|(name, one)| suite(name, one, view, strict)).collect();
    let mut document = Document { writer: Writer::new_with_indent(Vec::new(), b' ', 2) };
    document.event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    document.open("testsuites", &count_attributes(NAME, suites.iter()))?;
    for suite in &suites {
        document.suite(suite)?;
    }
    document.close("testsuites")?;
    let mut text = String::from_utf8(document.writer.into_inner()).map_err(io::Error::other)?;
    text.push('\n');
    Ok(text)
}

type Attributes = Vec<(&'static str, String)>;

/// Returns the name of a suite and the number of its tests, by result.
fn count_attributes<'s>(name: &str, suites: impl Iterator<Item = &'s Suite>) -> Attributes {
    let (mut tests, mut failures, mut errors, mut skipped) = (0_u64, 0_u64, 0_u64, 0_u64);
    for test in suites.flat_map(|suite| &suite.tests) {
        tests += 1;
        match test.result {
            TestResult::Passed(_) => {}
            TestResult::Failed(_) => failures += 1,
            TestResult::Skipped(_) => skipped += 1,
            TestResult::Error(_) => errors += 1,
        }
    }
    vec![
        ("name", name.to_owned()),
        ("tests", tests.to_string()),
        ("failures", failures.to_string()),
        ("errors", errors.to_string()),
        ("skipped", skipped.to_string()),
    ]
}

struct Document {
    writer: Writer<Vec<u8>>,
}

impl Document {
    fn event(&mut self, event: Event<'_>) -> io::Result<()> {
        self.writer.write_event(event)
    }

    fn open(&mut self, name: &str, attributes: &[(&str, String)]) -> io::Result<()> {
        self.event(Event::Start(element(name, attributes)))
    }

    fn close(&mut self, name: &str) -> io::Result<()> {
        self.event(Event::End(BytesEnd::new(name)))
    }

    fn empty(&mut self, name: &str, attributes: &[(&str, String)]) -> io::Result<()> {
        self.event(Event::Empty(element(name, attributes)))
    }

    fn with_text(
        &mut self,
        name: &str,
        attributes: &[(&str, String)],
        text: &str,
    ) -> io::Result<()> {
        self.open(name, attributes)?;
        self.event(Event::Text(BytesText::new(&replace_forbidden(text))))?;
        self.close(name)
    }

    fn suite(&mut self, suite: &Suite) -> io::Result<()> {
        self.open("testsuite", &count_attributes(&suite.name, std::iter::once(suite)))?;
        if !suite.properties.is_empty() {
            self.open("properties", &[])?;
            for (name, value) in &suite.properties {
                let attributes = [("name", (*name).to_owned()), ("value", value.clone())];
                self.empty("property", &attributes)?;
            }
            self.close("properties")?;
        }
        for test in &suite.tests {
            let attributes = [("classname", suite.name.clone()), ("name", test.name.clone())];
            match &test.result {
                TestResult::Passed(text) if text.is_empty() => {
                    self.empty("testcase", &attributes)?;
                }
                result => {
                    self.open("testcase", &attributes)?;
                    match result {
                        TestResult::Passed(text) => self.with_text("system-out", &[], text)?,
                        TestResult::Failed(fault) => self.fault("failure", fault)?,
                        TestResult::Skipped(reason) => {
                            self.empty("skipped", &[("message", reason.clone())])?;
                        }
                        TestResult::Error(fault) => self.fault("error", fault)?,
                    }
                    self.close("testcase")?;
                }
            }
        }
        self.close("testsuite")
    }

    fn fault(&mut self, name: &str, fault: &Fault) -> io::Result<()> {
        let attributes = [("type", fault.kind.clone()), ("message", fault.message.clone())];
        self.with_text(name, &attributes, &fault.details)
    }
}

fn element<'n>(name: &'n str, attributes: &[(&str, String)]) -> BytesStart<'n> {
    let mut element = BytesStart::new(name);
    for (name, value) in attributes {
        element.push_attribute((*name, replace_forbidden(value).as_str()));
    }
    element
}

/// Replaces the characters that XML 1.0 excludes even in escaped form.
fn replace_forbidden(text: &str) -> String {
    let is_allowed = |character: char| matches!(character, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    text.chars()
        .map(
            |character| {
                if is_allowed(character) { character } else { char::REPLACEMENT_CHARACTER }
            },
        )
        .collect()
}
