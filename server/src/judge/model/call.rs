//! Makes one call to a chat model.

use gsar_chat::{ChatError, Reply, Request, Schema, Trace};
use serde::de::DeserializeOwned;
use tracing::Instrument as _;

use super::cost::settle;
use super::{AskError, CallContext, ModelJudge, PartOutcome};
use crate::judge::ModelCall;
use crate::telemetry::traces::{self, ChatReply};

impl ModelJudge {
    /// Sends a request. Returns the call and the answer's text. A failed call is added to `outcome`.
    pub(super) async fn send(
        &self,
        purpose: &'static str,
        prompt: &str,
        request: &mut Request,
        context: &CallContext,
        outcome: &mut PartOutcome,
    ) -> Result<(ModelCall, String), AskError> {
        let reserved = self.reserve_cost(request, &context.payer).await?;
        let model = self.chat.model();
        let provider = model.provider().conventional_name();
        let span = traces::chat_span(provider, model.model(), purpose);
        request.trace = traces::trace_context(&span).map(|context| Trace {
            parent: context.traceparent(),
            state: traces::tracestate(&span),
        });
        let mut call = ModelCall { purpose, prompt: prompt.to_owned(), ..ModelCall::default() };
        outcome.in_flight = Some(ModelCall { attempts: 1, ..call.clone() });
        let answer = self.chat.ask(request, context.deadline).instrument(span.clone()).await;
        outcome.in_flight = None;
        let answer = match answer {
            Ok(reply) => Ok(reply),
            // A truncated answer is repaired like any other unusable answer.
            Err(error) if error.code() == "ANSWER_TRUNCATED" => error.reply().cloned().ok_or(error),
            Err(error) => Err(error),
        };
        match answer {
            Ok(reply) => {
                self.copy_reply(&mut call, &reply);
                settle(reserved, call.cost_micros);
                traces::record_reply(&span, &chat_reply(&call, ""));
                Ok((call, reply.text))
            }
            Err(error) => {
                call.attempts = u32::try_from(error.attempts.len()).unwrap_or(u32::MAX);
                match error.reply() {
                    Some(reply) => {
                        self.copy_reply(&mut call, reply);
                        call.attempts = call.attempts.max(1);
                        settle(reserved, call.cost_micros);
                    }
                    // The provider may charge for an interrupted request, so the estimated cost is settled.
                    None if call.attempts > 0 && is_interrupted(error.code()) => drop(reserved),
                    // Providers do not charge for other failed requests.
                    None => settle(reserved, Some(0)),
                }
                traces::record_reply(&span, &chat_reply(&call, error.code()));
                outcome.calls.push(call);
                Err(ask_error(&error))
            }
        }
    }

    /// Sends a request for a JSON object. Returns the text of the answer, and the object if it is readable.
    pub(super) async fn ask_object<T: DeserializeOwned>(
        &self,
        purpose: &'static str,
        prompt: &str,
        request: &mut Request,
        context: &CallContext,
        outcome: &mut PartOutcome,
    ) -> Result<(String, Result<T, serde_json::Error>), AskError> {
        let (mut call, text) = self.send(purpose, prompt, request, context, outcome).await?;
        let object = parse_object(&text);
        call.rung = if object.is_ok() { "structured" } else { "unreadable" };
        outcome.calls.push(call);
        Ok((text, object))
    }

    fn copy_reply(&self, call: &mut ModelCall, reply: &Reply) {
        call.model.clone_from(&reply.model);
        call.attempts = u32::try_from(reply.attempts.len()).unwrap_or(u32::MAX);
        if let Some(usage) = &reply.usage {
            (call.input_tokens, call.output_tokens) = (usage.input, usage.output);
            call.cost_micros = self.options.price.as_ref().map(|price| price.cost(usage));
        }
        let end = reply.text.floor_char_boundary(ModelCall::MAX_ANSWER);
        reply.text.get(..end).unwrap_or_default().clone_into(&mut call.answer);
    }
}

/// Creates a request for a JSON object with a built-in prompt and schema.
pub(super) fn object_request(
    prompt: &str,
    schema_name: &str,
    schema: &str,
    how_to_read: &str,
    text: String,
) -> Result<Request, AskError> {
    let system = prompt.replace("{{how_to_read}}", how_to_read).replace("{{schema}}", schema);
    let schema = Schema::new(schema_name, schema);
    let schema = schema.map_err(|error| AskError::failed("REQUEST_INVALID", &error))?;
    Ok(Request { schema: Some(schema), ..Request::new(system, text) })
}

fn parse_object<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    let object = text.find('{').zip(text.rfind('}'));
    let object = object.and_then(|(start, end)| text.get(start..=end)).unwrap_or(text);
    serde_json::from_str(object)
}

fn is_interrupted(code: &str) -> bool {
    matches!(code, "DEADLINE_PASSED" | "FIRST_BYTE_TIMEOUT" | "TOTAL_TIMEOUT")
}

fn chat_reply<'a>(call: &'a ModelCall, code: &'static str) -> ChatReply<'a> {
    ChatReply {
        model: &call.model,
        tokens: (call.input_tokens, call.output_tokens),
        attempts: call.attempts,
        cost_micros: call.cost_micros,
        code,
    }
}

fn ask_error(error: &ChatError) -> AskError {
    match error.code() {
        "DEADLINE_PASSED" | "DEADLINE_BEFORE_START" => AskError::DeadlinePassed,
        code => {
            // The judge's error already names the model.
            let reason = error.to_string();
            let reason = reason.strip_prefix(&format!("{}: ", error.model)).unwrap_or(&reason);
            AskError::Failed { code, reason: reason.to_owned() }
        }
    }
}
