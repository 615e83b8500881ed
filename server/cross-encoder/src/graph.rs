//! Runs the ONNX graph on token rows.

use gsar_embedding::{Runtime, SessionError};
use ort::session::Session;
use ort::value::{Outlet, Tensor, TensorElementType, ValueType};

use crate::tokens::Row;

const INPUTS: [&str; 2] = ["input_ids", "attention_mask"];
/// The input that distinguishes the claim from the premise. Encoders such as MPNet and RoBERTa do not have
/// it.
const TYPES: &str = "token_type_ids";
const OUTPUT: &str = "logits";

#[derive(Debug)]
pub(crate) struct Graph {
    session: Session,
    columns: Option<usize>,
    has_types: bool,
    /// The ID of the token that pads shorter rows. Encoders such as MPNet derive positions from the tokens
    /// that are not padding.
    padding: i64,
}

#[derive(Debug)]
pub(crate) enum GraphError {
    Onnx(String),
    Interface(String),
}

impl Graph {
    pub(crate) fn open(runtime: &Runtime, onnx: &[u8], padding: i64) -> Result<Self, GraphError> {
        let session =
            session(runtime, onnx).map_err(|error| GraphError::Onnx(error.to_string()))?;
        let columns = interface(&session).map_err(GraphError::Interface)?;
        let has_types = session.inputs().iter().any(|input| input.name() == TYPES);
        Ok(Self { session, columns, has_types, padding })
    }

    pub(crate) fn has_types(&self) -> bool {
        self.has_types
    }

    pub(crate) fn columns(&self) -> Option<usize> {
        self.columns
    }

    /// Returns the logits for each row. Pads shorter rows.
    pub(crate) fn run(&mut self, rows: &[&Row]) -> Result<Vec<Vec<f32>>, SessionError> {
        let max_length = rows.iter().map(|row| row.ids.len()).max().unwrap_or(0);
        let size = rows.len().saturating_mul(max_length);
        let [mut ids, mut mask, mut types] = [(); 3].map(|()| Vec::with_capacity(size));
        for row in rows {
            let padding = max_length - row.ids.len();
            ids.extend(&row.ids);
            types.extend(&row.types);
            mask.extend(std::iter::repeat_n(1_i64, row.ids.len()));
            for (values, filler) in [(&mut ids, self.padding), (&mut types, 0), (&mut mask, 0)] {
                values.extend(std::iter::repeat_n(filler, padding));
            }
        }
        let session_error = |error: ort::Error| SessionError(error.to_string());
        let tensor =
            |values| Tensor::from_array(([rows.len(), max_length], values)).map_err(session_error);
        let mut inputs =
            ort::inputs!["input_ids" => tensor(ids)?, "attention_mask" => tensor(mask)?];
        if self.has_types {
            inputs.extend(ort::inputs![TYPES => tensor(types)?]);
        }
        let outputs = self.session.run(inputs).map_err(session_error)?;
        let logits =
            outputs.get(OUTPUT).ok_or_else(|| SessionError("missing logits".to_owned()))?;
        let (shape, values) = logits.try_extract_tensor::<f32>().map_err(session_error)?;
        match **shape {
            [batch, columns] if usize::try_from(batch) == Ok(rows.len()) && columns > 0 => {
                Ok(values.chunks(columns as usize).map(<[f32]>::to_vec).collect())
            }
            _ => Err(SessionError(format!("logits of shape {shape} for {} rows", rows.len()))),
        }
    }
}

fn session(runtime: &Runtime, onnx: &[u8]) -> ort::Result<Session> {
    let mut builder = Session::builder(runtime.environment())?
        .with_intra_threads(1)?
        .with_intra_op_spinning(false)?
        // Memory plans are cached per shape, and shapes vary widely.
        .with_memory_pattern(false)?;
    builder.commit_from_memory(onnx)
}

/// Checks the inputs and outputs. Returns the number of columns if the graph declares it.
fn interface(session: &Session) -> Result<Option<usize>, String> {
    let names =
        |outlets: &[Outlet]| outlets.iter().map(Outlet::name).collect::<Vec<_>>().join(", ");
    let inputs = session.inputs();
    let is_input = |name: &&str| inputs.iter().any(|input| input.name() == *name);
    let allowed = INPUTS.len() + usize::from(is_input(&TYPES));
    if inputs.len() != allowed || !INPUTS.iter().all(is_input) {
        return Err(format!("the graph has the inputs {}", names(inputs)));
    }
    for input in inputs {
        if shape(input.dtype(), TensorElementType::Int64) != Some([-1, -1]) {
            return Err(format!("the input {} has the type {}", input.name(), input.dtype()));
        }
    }
    let [output] = session.outputs() else {
        return Err(format!("the graph has the outputs {}", names(session.outputs())));
    };
    if output.name() != OUTPUT {
        return Err(format!("the graph has the output {}", output.name()));
    }
    match shape(output.dtype(), TensorElementType::Float32) {
        Some([-1, columns]) => Ok(usize::try_from(columns).ok()),
        _ => Err(format!("the output logits has the type {}", output.dtype())),
    }
}

/// Returns the dimensions of a two-dimensional tensor; -1 is dynamic.
fn shape(value_type: &ValueType, expected: TensorElementType) -> Option<[i64; 2]> {
    match value_type {
        ValueType::Tensor { ty, shape, .. } if *ty == expected => (**shape).try_into().ok(),
        _ => None,
    }
}
