//! JSON documents as observations: leaves become fields, `[time, value]` pairs become samples.
//!
//! Knows the shapes in which tools answer: Kubernetes objects (`metadata.name` names the object that holds
//! `metadata`), Prometheus matrices and vectors, Loki streams. Strings with line breaks are read as text.

use std::ops::Range;

use crate::evidence::json::{self, End, Event, Flow, Leaf, Shape, Step};
use crate::evidence::layout;
use crate::evidence::observations::{
    Builder, NewField, Place, Record, Sample, ValueKind, is_naming, offset,
};
use crate::evidence::shapes::points::{self, Axis, Points};
use crate::evidence::shapes::{attributes, moments};

/// Reads the document that begins at a byte of the item, up to that many bytes; whether all of it was read.
pub(crate) fn read(builder: &mut Builder<'_>, start: usize, allowed: usize) -> bool {
    let end = builder.text().len();
    read_stretch(builder, start..end, allowed)
}

/// Reads the document in a stretch of the item; whether all of it was read.
pub(crate) fn read_within(builder: &mut Builder<'_>, stretch: Range<usize>) -> bool {
    let allowed = stretch.end;
    read_stretch(builder, stretch, allowed)
}

fn read_stretch(builder: &mut Builder<'_>, stretch: Range<usize>, allowed: usize) -> bool {
    let start = stretch.start;
    let text = builder.text().get(stretch).unwrap_or("");
    let mut reader = Reader { builder, frames: Vec::new(), pair: None };
    let end = json::walk(text, |event| reader.event(moved(event, start), allowed));
    while reader.frames.pop().is_some() {
        reader.builder.close();
    }
    end == End::Complete
}

/// An event of a walk that began further in the item.
fn moved(event: Event, by: usize) -> Event {
    let span = |span: Range<usize>| span.start + by..span.end + by;
    let step = |step: Step| match step {
        Step::Member(key) => Step::Member(span(key)),
        Step::Root | Step::Index(_) => step,
    };
    match event {
        Event::Open { step: reached, shape, at } => {
            Event::Open { step: step(reached), shape, at: at + by }
        }
        Event::Close { end } => Event::Close { end: end + by },
        Event::Leaf { step: reached, kind, value } => {
            Event::Leaf { step: step(reached), kind, value: span(value) }
        }
    }
}

struct Frame {
    /// Who is named by names found in this container.
    bearer: u32,
    /// Whether it is an array under `values`: its elements may be pairs.
    holds_pairs: bool,
    shape: Shape,
    /// Whether it is an array of attributes.
    holds_attributes: bool,
    /// Whether it is an attribute, or the typed value of one.
    is_attribute: bool,
    /// The name that the attribute states.
    attribute: Option<Range<usize>>,
    /// Which axis of a series it is.
    axis: Option<Axis>,
    /// The series that its arrays make up.
    points: Points,
    /// When it starts, as written.
    start: Option<Range<usize>>,
    /// The field of its duration.
    duration: Option<u32>,
}

/// A `[time, value]` pair that is being read.
struct Pair {
    step: Step,
    start: usize,
    leaves: Vec<(Leaf, Range<usize>)>,
}

struct Reader<'b, 'e> {
    builder: &'b mut Builder<'e>,
    frames: Vec<Frame>,
    pair: Option<Pair>,
}

impl Reader<'_, '_> {
    fn event(&mut self, event: Event, allowed: usize) -> Flow {
        match event {
            Event::Open { step, shape, at } => {
                if at >= allowed {
                    return Flow::Enough;
                }
                self.opened(step, shape, at);
            }
            Event::Close { end } => self.closed(end),
            Event::Leaf { step, kind, value } => {
                if value.end > allowed {
                    return Flow::Enough;
                }
                match self.pair.take() {
                    Some(mut pair) if pair.leaves.len() < 2 => {
                        pair.leaves.push((kind, value));
                        self.pair = Some(pair);
                    }
                    Some(pair) => {
                        self.open_pair_as_array(pair);
                        self.leaf(&step, kind, value);
                    }
                    None => self.leaf(&step, kind, value),
                }
            }
        }
        if self.builder.has_room() { Flow::More } else { Flow::Enough }
    }

    fn opened(&mut self, step: Step, shape: Shape, at: usize) {
        if let Some(pair) = self.pair.take() {
            self.open_pair_as_array(pair);
        }
        let in_pairs = self.frames.last().is_some_and(|frame| frame.holds_pairs);
        let under_value = shape == Shape::Array && self.key_of(&step) == "value";
        if shape == Shape::Array && (in_pairs || under_value) {
            self.pair = Some(Pair { step, start: at, leaves: Vec::with_capacity(2) });
            return;
        }
        self.open_container(&step, shape);
    }

    fn open_container(&mut self, step: &Step, shape: Shape) {
        let key = self.key_of(step).to_owned();
        let heading = match step {
            Step::Member(span) => Some(span.clone()),
            Step::Root | Step::Index(_) => None,
        };
        let outer = self.frames.last();
        let is_element = shape == Shape::Object && matches!(step, Step::Index(_));
        let is_attribute = is_element && outer.is_some_and(|outer| outer.holds_attributes);
        let is_typed = shape == Shape::Object
            && attributes::is_value(&key)
            && outer.is_some_and(|outer| outer.is_attribute);
        let attribute = outer.filter(|_| is_typed).and_then(|outer| outer.attribute.clone());
        let record = if is_element && !is_attribute { Record::Yes } else { Record::No };
        let lends = lends_names(&key) || is_attribute || is_typed;
        let inherited = outer.map(|frame| frame.bearer).filter(|_| lends);
        let number = self.builder.open(place(step), heading, record);
        let axis = Axis::of(&key).filter(|_| shape == Shape::Array);
        if axis == Some(Axis::Values)
            && let Some(outer) = self.frames.last_mut()
        {
            outer.points.object = Some(number);
        }
        self.frames.push(Frame {
            bearer: inherited.unwrap_or(number),
            holds_attributes: shape == Shape::Array && attributes::holds_attributes(&key),
            is_attribute: is_attribute || is_typed,
            attribute,
            axis,
            points: Points::default(),
            start: None,
            duration: None,
            holds_pairs: shape == Shape::Array
                && matches!(key.as_str(), "values" | "datapoints" | "points" | "pointlist"),
            shape,
        });
    }

    fn closed(&mut self, end: usize) {
        match self.pair.take() {
            Some(pair) => self.pair_closed(pair, end),
            None => {
                if let Some(frame) = self.frames.pop() {
                    self.finish(frame);
                }
                self.builder.close();
            }
        }
    }

    /// What a container says only as a whole: the series of its arrays, the unit of its duration.
    fn finish(&mut self, frame: Frame) {
        if let Some(array) = frame.points.object {
            for sample in frame.points.samples() {
                self.builder.sample_of(array, sample);
            }
        }
        if let Some(field) = frame.duration {
            let start = frame.start.and_then(|start| self.builder.text().get(start));
            if let Some(unit) = moments::unit_beside("duration", start) {
                self.builder.unit(field, unit);
            }
        }
    }

    /// Notes what a leaf says about the container around it.
    fn note(&mut self, step: &Step, kind: Leaf, value: &Range<usize>, field: u32) {
        let text = self.builder.text();
        let written = text.get(value.clone()).unwrap_or("");
        let key = match step {
            Step::Member(span) => text.get(span.clone()).unwrap_or(""),
            Step::Root | Step::Index(_) => "",
        };
        let axis = self.frames.last().and_then(|frame| frame.axis);
        let around = self.frames.len().checked_sub(2);
        if let Some(axis) = axis
            && matches!(step, Step::Index(_))
            && let Some(outer) = around.and_then(|around| self.frames.get_mut(around))
        {
            outer.points.take(axis, written, value.clone());
        }
        let Some(frame) = self.frames.last_mut() else { return };
        match key {
            "startTime" | "start_time" | "start" => frame.start = Some(value.clone()),
            "duration" if kind == Leaf::Number => frame.duration = Some(field),
            key if frame.is_attribute && kind == Leaf::String && attributes::is_name(key) => {
                frame.attribute = Some(value.clone());
            }
            _ => {}
        }
    }

    /// The name that an attribute states for the value under this key.
    fn attribute(&self, key: &str) -> Option<Range<usize>> {
        let frame = self.frames.last().filter(|frame| frame.is_attribute)?;
        (attributes::is_value(key) || attributes::is_typed_value(key))
            .then(|| frame.attribute.clone())?
    }

    /// What looked like a pair is an ordinary array.
    fn open_pair_as_array(&mut self, pair: Pair) {
        self.open_container(&pair.step, Shape::Array);
        for (index, (kind, value)) in pair.leaves.into_iter().enumerate() {
            self.leaf(&Step::Index(offset(index)), kind, value);
        }
    }

    fn pair_closed(&mut self, pair: Pair, end: usize) {
        let text = self.builder.text();
        let read = match pair.leaves.as_slice() {
            [(_, first), (kind, second)] => {
                let time = text.get(first.clone()).unwrap_or("").trim_matches('"');
                points::time(time).map(|micros| (micros, inner(*kind, second)))
            }
            _ => None,
        };
        let Some((micros, value)) = read else {
            self.open_pair_as_array(pair);
            self.frames.pop();
            self.builder.close();
            return;
        };
        let written = text.get(value.clone()).unwrap_or("");
        if let Some(number) = written.parse::<f64>().ok().filter(|number| number.is_finite()) {
            self.builder.sample(Sample {
                micros,
                value: number,
                number: (offset(value.start), offset(value.end)),
                quote: (offset(pair.start), offset(end)),
                place: place(&pair.step),
            });
        } else {
            self.builder.open(place(&pair.step), None, Record::Yes);
            self.builder.field(NewField {
                place: Place::Index(1),
                name: None,
                value: value.clone(),
                quote: value,
                kind: ValueKind::Text,
                micros: Some(micros),
            });
            self.builder.close();
        }
    }

    fn leaf(&mut self, step: &Step, kind: Leaf, value: Range<usize>) {
        let text = self.builder.text();
        let value_inside = inner(kind, &value);
        let written = text.get(value_inside.clone()).unwrap_or("");
        let name = match step {
            Step::Member(span) => Some(span.clone()),
            Step::Root | Step::Index(_) => None,
        };
        if kind == Leaf::String && written.contains("\\n") {
            self.builder.open(place(step), name, Record::No);
            layout::read(self.builder, value_inside, layout::Breaks::Escapes);
            self.builder.close();
            return;
        }
        let micros = moments::moment(self.key_of(step), written);
        let attribute = self.attribute(self.key_of(step));
        let is_attribute_name = attributes::is_name(self.key_of(step))
            && self.frames.last().is_some_and(|frame| frame.is_attribute);
        let key = match &attribute {
            Some(attribute) => text.get(attribute.clone()).unwrap_or(""),
            None => self.key_of(step),
        };
        let names = kind == Leaf::String && is_naming(key) && !is_attribute_name;
        let name = attribute.or(name);
        let start = name.as_ref().map_or(value.start, |span| span.start.saturating_sub(1));
        let field = self.builder.field(NewField {
            place: place(step),
            name: name.clone(),
            value: value_inside.clone(),
            quote: start..value.end,
            kind: match kind {
                Leaf::String => ValueKind::Text,
                Leaf::Number => ValueKind::Number,
                Leaf::True => ValueKind::True,
                Leaf::False => ValueKind::False,
                Leaf::Null | Leaf::Empty => ValueKind::Nothing,
            },
            micros,
        });
        self.note(step, kind, &value_inside, field);
        let bearer = self
            .frames
            .last()
            .filter(|frame| frame.shape == Shape::Object)
            .map(|frame| frame.bearer);
        if let (Some(bearer), true) = (bearer, names) {
            self.builder.name(bearer, field);
        }
    }

    fn key_of(&self, step: &Step) -> &str {
        match step {
            Step::Member(span) => self.builder.text().get(span.clone()).unwrap_or(""),
            Step::Root | Step::Index(_) => "",
        }
    }
}

/// Whether names in a member of this key are names of the object that has the member.
fn lends_names(key: &str) -> bool {
    matches!(
        key,
        "metadata"
            | "labels"
            | "metric"
            | "stream"
            | "involvedObject"
            | "resource"
            | "attributes"
            | "tags"
            | "dimensions"
            | "commonLabels"
            | "groupLabels"
            | "regarding"
            | "kubernetes"
    )
}

fn place(step: &Step) -> Place {
    match step {
        Step::Root => Place::Line,
        Step::Member(span) => Place::Member(offset(span.start), offset(span.end)),
        Step::Index(index) => Place::Index(*index),
    }
}

/// The bytes of a leaf without quotation marks.
fn inner(kind: Leaf, value: &Range<usize>) -> Range<usize> {
    if kind == Leaf::String {
        value.start + 1..value.end.saturating_sub(1).max(value.start + 1)
    } else {
        value.clone()
    }
}
