//! This module takes a text apart into its sections and hands each to the module of its shape. It reads no shape
//! itself.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::builder::Builder;
use super::json;
use super::lines;
use super::model::{Form, GroupId, RecordId};
use super::prompt::{Opening, is_cut, opening, says_cut};
use super::text::{Frame, Text};
use crate::text::{byte_at, part};

/// Reads a text below what its frame says.
pub(super) fn read<'a>(out: &mut Builder<'a>, frame: &Frame<'a>, text: Text<'_, 'a>) {
    let cut = frame.cut || says_cut(text.read);
    let mut document = Document {
        out,
        text,
        frame: Frame { cut, ..frame.clone() },
        outer: frame.scope.len(),
        cut,
        titled: false,
        lines: None,
        last: None,
    };
    let mut at = 0;
    while at < text.len() {
        at = document.section(at).max(at + 1);
    }
}

/// A text that is being taken apart.
struct Document<'w, 't, 'a> {
    out: &'w mut Builder<'a>,
    text: Text<'t, 'a>,
    frame: Frame<'a>,
    /// How much of the scope stands above the text.
    outer: usize,
    /// Whether something is left out of the text as a whole.
    cut: bool,
    /// Whether the last title of the scope came from a comment.
    titled: bool,
    /// The group of the lines that are being read.
    lines: Option<GroupId>,
    /// The line that an indented one continues.
    last: Option<RecordId>,
}

impl<'a> Document<'_, '_, 'a> {
    /// Reads what starts at an offset, the start of a line, and says where it ends.
    fn section(&mut self, at: usize) -> usize {
        let end = self.end_of_line(at);
        let line = part(self.text.read, at..end);
        if line.trim().is_empty() {
            self.last = None;
            return end;
        }
        if let Some(opening) = opening(line) {
            return self.open(at, end, &opening);
        }
        let first = byte_at(line.trim_start(), 0);
        if matches!(first, b'{' | b'[')
            && let Some(end) = json::values(self.out, &self.frame, self.text, at)
        {
            self.interrupt();
            return end;
        }
        self.line(at, end);
        end
    }

    /// A command or title: the scope of what follows.
    fn open(&mut self, at: usize, end: usize, opening: &Opening) -> usize {
        self.interrupt();
        let (end, written) = match opening {
            Opening::Command(start) => {
                let end = self.end_of_command(at, end);
                self.frame.scope.truncate(self.outer);
                self.titled = false;
                self.frame.cut = self.cut || is_cut(part(self.text.read, at..end));
                (end, at + start..end)
            }
            Opening::Title(start) => {
                if self.titled {
                    self.frame.scope.pop();
                }
                self.titled = true;
                (end, at + start..end)
            }
        };
        let written = self.text.trimmed(written);
        let name = self.text.name(written);
        self.frame.scope.push(name);
        if matches!(opening, Opening::Title(_)) {
            self.line(at, end);
            self.interrupt();
        }
        end
    }

    /// Where a command ends that goes on behind a backslash.
    fn end_of_command(&self, at: usize, mut end: usize) -> usize {
        while part(self.text.read, at..end).trim_end().ends_with('\\') && end < self.text.len() {
            end = self.end_of_line(end);
        }
        end
    }

    fn line(&mut self, at: usize, end: usize) {
        let group = match self.lines {
            Some(group) => group,
            None => {
                let complete = self.frame.complete(false);
                let scope: Vec<Cow<'a, str>> = self.frame.scope.clone();
                let group = self.out.group(self.frame.item, Form::Lines, scope, complete);
                self.lines = Some(group);
                group
            }
        };
        let indented = matches!(byte_at(self.text.read, at), b' ' | b'\t');
        let continued = self.last.filter(|_| indented);
        let record = lines::line(self.out, &self.frame, group, self.text.part(at..end), continued);
        if continued.is_none() {
            self.last = record;
        }
    }

    /// What follows is no line of what came before.
    fn interrupt(&mut self) {
        self.lines = None;
        self.last = None;
    }

    fn end_of_line(&self, at: usize) -> usize {
        let rest = part(self.text.read, at..self.text.len());
        at + rest.find('\n').map_or(rest.len(), |end| end + 1)
    }
}
