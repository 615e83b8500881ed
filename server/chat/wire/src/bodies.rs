//! Builds response bodies in each wire format.

use serde_json::{Value, json};

use crate::ANSWERING_MODEL;
use crate::request::{ReceivedRequest, Wire};

/// Builds an answer with 120 input tokens, 100 of which are cached, and 30 output tokens.
pub(crate) fn answer(request: &ReceivedRequest, text: &str) -> Value {
    match request.wire {
        Wire::OpenAi => openai(json!({"content": text, "refusal": null}), "stop"),
        Wire::Anthropic => match request.body.pointer("/tool_choice/name") {
            Some(name) => anthropic(
                json!([{"type": "tool_use", "id": "toolu_1", "name": name,
                    "input": serde_json::from_str::<Value>(text).unwrap_or_default()}]),
                "tool_use",
            ),
            None => anthropic(json!([{"type": "text", "text": text}]), "end_turn"),
        },
        Wire::Gemini => gemini(text, "STOP"),
        Wire::Ollama => ollama(text, "stop"),
    }
}

pub(crate) fn truncated_answer(request: &ReceivedRequest) -> Value {
    const BEGINNING: &str = "{\"ok\": tr";
    match request.wire {
        Wire::OpenAi => openai(json!({"content": BEGINNING}), "length"),
        Wire::Anthropic => anthropic(json!([{"type": "text", "text": BEGINNING}]), "max_tokens"),
        Wire::Gemini => gemini(BEGINNING, "MAX_TOKENS"),
        Wire::Ollama => ollama(BEGINNING, "length"),
    }
}

pub(crate) fn refusal(wire: Wire) -> Option<Value> {
    const TEXT: &str = "I cannot help with that.";
    match wire {
        Wire::OpenAi => Some(openai(json!({"content": null, "refusal": TEXT}), "stop")),
        Wire::Anthropic => Some(anthropic(json!([{"type": "text", "text": TEXT}]), "refusal")),
        Wire::Gemini | Wire::Ollama => None,
    }
}

pub(crate) fn content_filter(wire: Wire) -> Option<(u16, Value)> {
    match wire {
        Wire::OpenAi => Some((200, openai(json!({"content": ""}), "content_filter"))),
        Wire::Anthropic => Some((
            400,
            json!({"type": "error", "error": {"type": "invalid_request_error",
                "message": "Output blocked by content filtering policy"}}),
        )),
        Wire::Gemini => {
            Some((200, json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}})))
        }
        Wire::Ollama => None,
    }
}

pub(crate) fn empty_choice(wire: Wire) -> Value {
    match wire {
        Wire::OpenAi => json!({"id": "chatcmpl-1", "choices": []}),
        Wire::Anthropic => anthropic(json!([]), "end_turn"),
        Wire::Gemini => json!({"candidates": []}),
        Wire::Ollama => ollama("", "stop"),
    }
}

/// Builds an error. From status 500 on, the error is transient, except for Ollama, whose errors have no type.
pub(crate) fn error(wire: Wire, status: u16) -> Value {
    let message = format!("the script says {status}");
    match wire {
        Wire::OpenAi => {
            let kind = if status >= 500 { "server_error" } else { "invalid_request_error" };
            json!({"error": {"message": message, "type": kind, "param": null, "code": null}})
        }
        Wire::Anthropic => {
            let kind = if status >= 500 { "overloaded_error" } else { "invalid_request_error" };
            json!({"type": "error", "error": {"type": kind, "message": message}})
        }
        Wire::Gemini => {
            let kind = if status >= 500 { "UNAVAILABLE" } else { "INVALID_ARGUMENT" };
            json!({"error": {"code": status, "message": message, "status": kind}})
        }
        Wire::Ollama => json!({"error": message}),
    }
}

fn openai(message: Value, finish_reason: &str) -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "model": ANSWERING_MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
        "usage": {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150,
            "prompt_tokens_details": {"cached_tokens": 100},
            "completion_tokens_details": {"reasoning_tokens": 0}},
    })
}

fn anthropic(content: Value, stop_reason: &str) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": ANSWERING_MODEL,
        "content": content, "stop_reason": stop_reason, "stop_sequence": null,
        "usage": {"input_tokens": 15, "cache_creation_input_tokens": 5,
            "cache_read_input_tokens": 100, "output_tokens": 30},
    })
}

fn gemini(text: &str, finish_reason: &str) -> Value {
    json!({
        "candidates": [{"content": {"role": "model", "parts": [
            {"text": "Hm.", "thought": true}, {"text": text}]}, "finishReason": finish_reason}],
        "usageMetadata": {"promptTokenCount": 120, "candidatesTokenCount": 20,
            "thoughtsTokenCount": 10, "cachedContentTokenCount": 100},
        "modelVersion": ANSWERING_MODEL, "responseId": "r-1",
    })
}

fn ollama(text: &str, done_reason: &str) -> Value {
    json!({
        "model": ANSWERING_MODEL, "created_at": "2026-11-21T00:00:00Z",
        "message": {"role": "assistant", "content": text},
        "done": true, "done_reason": done_reason,
        "prompt_eval_count": 120, "eval_count": 30,
    })
}
