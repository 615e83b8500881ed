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
    let named_results = names(evaluated).into_iter().zip(evaluated);
    let suites: Vec<Suite> =
        named_results.map(|(name, result)| suite(name, result, view, strict)).collect();
    let mut document = Document { writer: Writer::new_with_indent(Vec::new(), b' ', 2) };
    document.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    document.write_start("testsuites", &count_attributes(NAME, suites.iter()))?;
    for suite in &suites {
        document.write_suite(suite)?;
    }
    document.write_end("testsuites")?;
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
    fn write_event(&mut self, event: Event<'_>) -> io::Result<()> {
        self.writer.write_event(event)
    }

    fn write_start(&mut self, name: &str, attributes: &[(&str, String)]) -> io::Result<()> {
        self.write_event(Event::Start(element(name, attributes)))
    }

    fn write_end(&mut self, name: &str) -> io::Result<()> {
        self.write_event(Event::End(BytesEnd::new(name)))
    }

    fn write_empty(&mut self, name: &str, attributes: &[(&str, String)]) -> io::Result<()> {
        self.write_event(Event::Empty(element(name, attributes)))
    }

    fn write_text_element(
        &mut self,
        name: &str,
        attributes: &[(&str, String)],
        text: &str,
    ) -> io::Result<()> {
        self.write_start(name, attributes)?;
        self.write_event(Event::Text(BytesText::new(&replace_forbidden(text))))?;
        self.write_end(name)
    }

    fn write_suite(&mut self, suite: &Suite) -> io::Result<()> {
        self.write_start("testsuite", &count_attributes(&suite.name, std::iter::once(suite)))?;
        if !suite.properties.is_empty() {
            self.write_start("properties", &[])?;
            for (name, value) in &suite.properties {
                let attributes = [("name", (*name).to_owned()), ("value", value.clone())];
                self.write_empty("property", &attributes)?;
            }
            self.write_end("properties")?;
        }
        for test in &suite.tests {
            let attributes = [("classname", suite.name.clone()), ("name", test.name.clone())];
            match &test.result {
                TestResult::Passed(text) if text.is_empty() => {
                    self.write_empty("testcase", &attributes)?;
                }
                result => {
                    self.write_start("testcase", &attributes)?;
                    match result {
                        TestResult::Passed(text) => {
                            self.write_text_element("system-out", &[], text)?
                        }
                        TestResult::Failed(fault) => self.write_fault("failure", fault)?,
                        TestResult::Skipped(reason) => {
                            self.write_empty("skipped", &[("message", reason.clone())])?;
                        }
                        TestResult::Error(fault) => self.write_fault("error", fault)?,
                    }
                    self.write_end("testcase")?;
                }
            }
        }
        self.write_end("testsuite")
    }

    fn write_fault(&mut self, name: &str, fault: &Fault) -> io::Result<()> {
        let attributes = [("type", fault.kind.clone()), ("message", fault.message.clone())];
        self.write_text_element(name, &attributes, &fault.details)
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
