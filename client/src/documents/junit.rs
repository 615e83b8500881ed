//! Writes JUnit XML: a suite per report, with a test per claim and one for the decision.

use std::borrow::Cow;
use std::io;

use quick_xml::events::{BytesDecl, BytesText, Event};
use quick_xml::writer::ElementWriter;

use super::suite::{Fault, Suite, Test, TestResult, suite};
use super::{ReportResult, names};
use crate::human::View;

const NAME: &str = "gsar evaluate";

/// Writes reports as JUnit XML. With `strict`, ungrounded claims fail even if the report may proceed.
pub(crate) fn junit(evaluated: &[ReportResult], view: &View, strict: bool) -> io::Result<String> {
    let named_results = names(evaluated).into_iter().zip(evaluated);
    let suites: Vec<Suite> =
        named_results.map(|(name, result)| suite(name, result, view, strict)).collect();
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    element(&mut writer, "testsuites", &count_attributes(NAME, suites.iter()))
        .write_inner_content(|writer| {
            suites.iter().try_for_each(|suite| write_suite(writer, suite))
        })?;
    let mut text = String::from_utf8(writer.into_inner()).map_err(io::Error::other)?;
    text.push('\n');
    Ok(text)
}

type Writer = quick_xml::Writer<Vec<u8>>;
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

fn write_suite(writer: &mut Writer, suite: &Suite) -> io::Result<()> {
    let counts = count_attributes(&suite.name, std::iter::once(suite));
    element(writer, "testsuite", &counts).write_inner_content(|writer| {
        if !suite.properties.is_empty() {
            writer.create_element("properties").write_inner_content(|writer| {
                for (name, value) in &suite.properties {
                    let attributes = [("name", (*name).to_owned()), ("value", value.clone())];
                    element(writer, "property", &attributes).write_empty()?;
                }
                Ok(())
            })?;
        }
        suite.tests.iter().try_for_each(|test| write_test(writer, &suite.name, test))
    })?;
    Ok(())
}

fn write_test(writer: &mut Writer, suite: &str, test: &Test) -> io::Result<()> {
    let attributes = [("classname", suite.to_owned()), ("name", test.name.clone())];
    let element = element(writer, "testcase", &attributes);
    match &test.result {
        TestResult::Passed(text) if text.is_empty() => element.write_empty()?,
        result => element.write_inner_content(|writer| write_result(writer, result))?,
    };
    Ok(())
}

fn write_result(writer: &mut Writer, result: &TestResult) -> io::Result<()> {
    match result {
        TestResult::Passed(text) => write_text(writer.create_element("system-out"), text),
        TestResult::Failed(fault) => write_fault(writer, "failure", fault),
        TestResult::Skipped(reason) => {
            element(writer, "skipped", &[("message", reason.clone())]).write_empty().map(drop)
        }
        TestResult::Error(fault) => write_fault(writer, "error", fault),
    }
}

fn write_fault(writer: &mut Writer, name: &str, fault: &Fault) -> io::Result<()> {
    let attributes = [("type", fault.kind.clone()), ("message", fault.message.clone())];
    write_text(element(writer, name, &attributes), &fault.details)
}

fn write_text(element: ElementWriter<'_, Vec<u8>>, text: &str) -> io::Result<()> {
    element.write_text_content(BytesText::new(&replace_forbidden(text))).map(drop)
}

fn element<'w>(
    writer: &'w mut Writer,
    name: &'w str,
    attributes: &[(&str, String)],
) -> ElementWriter<'w, Vec<u8>> {
    let allowed =
        attributes.iter().map(|(name, value)| (*name, Cow::Owned(replace_forbidden(value))));
    writer.create_element(name).with_attributes(allowed)
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
