//! Tests for the requests and answers in each provider's format.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::allow_attributes,
    reason = "a test fails by panicking"
)]

mod support;

use std::num::NonZeroU32;

use gsar_chat::{
    Chat, Endpoint, Request, Role, Schema, Settings, Stop, StructuredOutput, SystemClock,
    Temperature, Turn, Usage,
};
use gsar_chat_wire::{ANSWERING_MODEL, KEY, ScriptedReply, Server, Wire};
use support::{LONG, TestChat, without_retries};

/// A schema whose properties are not in alphabetical order.
const SCHEMA: &str = r#"{"type":"object","additionalProperties":false,"properties":{"why":{"type":"string"},"ok":{"type":"boolean"}}}"#;

fn conversation() -> Request {
    let mut request = Request::new("Be brief.", "Is it up?");
    let turn = |role, text: &str| Turn { role, text: text.to_owned() };
    request.messages.push(turn(Role::Assistant, "Yes."));
    request.messages.push(turn(Role::User, "Since when?"));
    request.schema = Some(Schema::new("answer", SCHEMA).unwrap());
    request.seed = Some(u64::MAX);
    request
}

async fn sent_body(wire: Wire, settings: Settings, request: &Request) -> serde_json::Value {
    let test = TestChat::new(wire, settings).await;
    test.server.demand_schema(false);
    test.chat.ask(request, test.instant_after(LONG)).await.unwrap();
    test.server.requests().remove(0).body
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

#[tokio::test]
async fn writes_requests_in_the_format_of_each_provider() {
    let schema = SCHEMA;
    for (wire, expected) in [
        (
            Wire::OpenAi,
            format!(
                r#"{{"model":"m","messages":[{{"role":"system","content":"Be brief."}},{{"role":"user","content":"Is it up?"}},
                {{"role":"assistant","content":"Yes."}},{{"role":"user","content":"Since when?"}}],"temperature":0.0,
                "seed":9223372036854775807,"max_completion_tokens":4096,
                "response_format":{{"type":"json_schema","json_schema":{{"name":"answer","strict":true,"schema":{schema}}}}}}}"#
            ),
        ),
        (
            Wire::Anthropic,
            format!(
                r#"{{"model":"m","max_tokens":4096,"system":"Be brief.","messages":[{{"role":"user","content":"Is it up?"}},
                {{"role":"assistant","content":"Yes."}},{{"role":"user","content":"Since when?"}}],"temperature":0.0,
                "tools":[{{"name":"answer","description":"Takes the answer.","input_schema":{schema}}}],
                "tool_choice":{{"type":"tool","name":"answer","disable_parallel_tool_use":true}}}}"#
            ),
        ),
        (
            Wire::Gemini,
            r#"{"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[
                {"role":"user","parts":[{"text":"Is it up?"}]},{"role":"model","parts":[{"text":"Yes."}]},
                {"role":"user","parts":[{"text":"Since when?"}]}],"generationConfig":{"temperature":0.0,"seed":2147483647,
                "maxOutputTokens":4096,"responseMimeType":"application/json","responseSchema":{"type":"OBJECT",
                "properties":{"why":{"type":"STRING"},"ok":{"type":"BOOLEAN"}},"propertyOrdering":["why","ok"]}}}"#
                .to_owned(),
        ),
        (
            Wire::Ollama,
            format!(
                r#"{{"model":"m","messages":[{{"role":"system","content":"Be brief."}},{{"role":"user","content":"Is it up?"}},
                {{"role":"assistant","content":"Yes."}},{{"role":"user","content":"Since when?"}}],"stream":false,
                "format":{schema},"options":{{"temperature":0.0,"seed":2147483647,"num_predict":4096}}}}"#
            ),
        ),
    ] {
        assert_eq!(sent_body(wire, without_retries(), &conversation()).await, json(&expected), "{wire:?}");
    }
}

#[tokio::test]
async fn unset_options_are_not_sent() {
    let mut request = Request::new("", "Is it up?");
    request.temperature = None;
    let message = r#""messages":[{"role":"user","content":"Is it up?"}]"#;
    for (wire, expected) in [
        (Wire::OpenAi, format!(r#"{{"model":"m",{message},"max_completion_tokens":4096}}"#)),
        (Wire::Anthropic, format!(r#"{{"model":"m","max_tokens":4096,{message}}}"#)),
        (
            Wire::Gemini,
            r#"{"contents":[{"role":"user","parts":[{"text":"Is it up?"}]}],"generationConfig":{"maxOutputTokens":4096}}"#
                .to_owned(),
        ),
        (
            Wire::Ollama,
            format!(r#"{{"model":"m",{message},"stream":false,"options":{{"num_predict":4096}}}}"#),
        ),
    ] {
        assert_eq!(sent_body(wire, without_retries(), &request).await, json(&expected), "{wire:?}");
    }
}

#[tokio::test]
async fn sends_the_temperature_and_the_context_size() {
    let mut request = conversation();
    request.temperature = Some(Temperature::VARIED);
    let anthropic = sent_body(Wire::Anthropic, without_retries(), &request).await;
    assert_eq!(anthropic["temperature"], 0.7);
    let with_context = Settings { ollama_context: NonZeroU32::new(16_384), ..without_retries() };
    let ollama = sent_body(Wire::Ollama, with_context, &request).await;
    assert_eq!(
        (&ollama["options"]["num_ctx"], &ollama["options"]["temperature"]),
        (&16_384.into(), &0.7.into())
    );
}

#[tokio::test]
async fn sends_the_schema_to_compatible_endpoints_as_configured() {
    let server = Server::start().await.unwrap();
    server.demand_schema(false);
    for (provider, structured_output, expected, unexpected) in [
        (
            "openai-compatible",
            StructuredOutput::JsonSchema,
            "/response_format/json_schema/schema",
            "/guided_json",
        ),
        (
            "oci",
            StructuredOutput::JsonSchema,
            "/response_format/json_schema/schema",
            "/guided_json",
        ),
        (
            "openai-compatible",
            StructuredOutput::GuidedJson,
            "/guided_json/properties",
            "/response_format",
        ),
        (
            "openai-compatible",
            StructuredOutput::JsonObject,
            "/response_format/type",
            "/response_format/json_schema",
        ),
        ("openai-compatible", StructuredOutput::Off, "/max_tokens", "/response_format"),
    ] {
        let model = format!("{provider}:org/m@1").parse().unwrap();
        let base_url = format!("{}/", server.base_url(Wire::OpenAi));
        let endpoint = Endpoint::new(model, Some(&base_url), Some(KEY.into())).unwrap();
        let chat =
            Chat::new(&endpoint, Settings { structured_output, ..without_retries() }).unwrap();
        chat.ask(&conversation(), gsar_chat::Clock::now(&SystemClock) + LONG).await.unwrap();
        let request = server.requests().pop().unwrap();
        assert!(request.body.pointer(expected).is_some(), "{provider} {structured_output:?}");
        assert!(request.body.pointer(unexpected).is_none(), "{provider} {structured_output:?}");
        assert_eq!(
            (request.path.as_str(), &request.body["model"]),
            ("/openai/v1/chat/completions", &"org/m@1".into())
        );
    }
}

#[tokio::test]
async fn gemini_tuned_models_have_a_different_path() {
    let server = Server::start().await.unwrap();
    for (model, expected_path) in [
        ("gemini:gemini-2.5-flash", "/gemini/v1beta/models/gemini-2.5-flash:generateContent"),
        ("gemini:tunedModels/mine", "/gemini/v1beta/tunedModels/mine:generateContent"),
    ] {
        let base_url = server.base_url(Wire::Gemini);
        let endpoint =
            Endpoint::new(model.parse().unwrap(), Some(&base_url), Some(KEY.into())).unwrap();
        let chat = Chat::new(&endpoint, without_retries()).unwrap();
        chat.ask(&conversation(), gsar_chat::Clock::now(&SystemClock) + LONG).await.unwrap();
        assert_eq!(server.requests().pop().unwrap().path, expected_path);
    }
}

#[tokio::test]
async fn rejects_an_unsupported_schema_before_sending() {
    let test = TestChat::new(Wire::Gemini, without_retries()).await;
    let mut request = conversation();
    request.schema = Some(Schema::new("x", r#"{"allOf":[{}]}"#).unwrap());
    let error = test.chat.ask(&request, test.instant_after(LONG)).await.unwrap_err();
    assert_eq!((error.code(), error.attempts.len()), ("SCHEMA_UNSUPPORTED", 0));
    assert_eq!(test.server.counts().requests, 0);
}

#[tokio::test]
async fn reads_answers_with_their_usage() {
    for wire in Wire::ALL {
        for schema in [true, false] {
            let test = TestChat::new(wire, without_retries()).await;
            test.server.demand_schema(false);
            let mut request = conversation();
            if !schema {
                request.schema = None;
            }
            let reply = test.chat.ask(&request, test.instant_after(LONG)).await.unwrap();
            assert_eq!((reply.text.as_str(), &reply.stop), (r#"{"ok":true}"#, &Stop::Complete));
            assert_eq!(
                (reply.model.as_str(), reply.request_id.as_deref()),
                (ANSWERING_MODEL, Some("wire-1"))
            );
            let cached = (wire != Wire::Ollama).then_some(100);
            let reasoning = match wire {
                Wire::OpenAi => Some(0),
                Wire::Gemini => Some(10),
                Wire::Anthropic | Wire::Ollama => None,
            };
            let usage = Usage { input: 120, output: 30, cached, reasoning };
            assert_eq!(reply.usage, Some(usage), "{wire:?}");
            assert_eq!((reply.attempts.len(), reply.attempts[0].status), (1, Some(200)));
        }
    }
}

#[tokio::test]
async fn reads_sparse_and_unusual_answers() {
    let anthropic = r#"{"content":[{"type":"thinking","thinking":"Hm."},{"type":"tool_use","input":{"z": 1.0,"a":[ ]}}]}"#;
    for (wire, body, text, stop) in [
        (Wire::OpenAi, r#"{"choices":[{"message":{"content":"x"}}]}"#, "x", "stop"),
        (
            Wire::OpenAi,
            r#"{"error":null,"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},"finish_reason":"tool_calls"}],"usage":null}"#,
            "ab",
            "tool_calls",
        ),
        (Wire::Anthropic, anthropic, r#"{"z": 1.0,"a":[ ]}"#, "stop"),
        (
            Wire::Gemini,
            r#"{"candidates":[{"content":{"parts":[{"text":"a"},{"functionCall":{}},{"text":"b"}]},"finishReason":"OTHER"}]}"#,
            "ab",
            "OTHER",
        ),
        (
            Wire::Ollama,
            r#"{"message":{"role":"assistant","content":"x"},"done_reason":"load"}"#,
            "x",
            "load",
        ),
    ] {
        let test = TestChat::new(wire, without_retries()).await;
        let body = body.as_bytes().to_vec();
        test.server.always(ScriptedReply::Raw(200, "application/json; charset=utf-8", body));
        let reply = test.ask(LONG).await.unwrap();
        assert_eq!((reply.text.as_str(), reply.stop.name(), reply.usage), (text, stop, None));
        assert_eq!(reply.model, "m", "the requested model is reported if the answer names none");
    }
}

#[tokio::test]
async fn classifies_errors_by_their_body() {
    let openai_error = |kind: &str, code: &str| {
        format!(r#"{{"error":{{"message":"x","type":"{kind}","code":"{code}"}}}}"#)
    };
    let no_credit = r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}"#;
    let too_long = r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 > 8"}}"#;
    let retry_delay =
        r#"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"34s"}]}}"#;
    let choice_error = r#"{"choices":[{"message":{"content":""},"finish_reason":"error","error":{"code":502,"message":"x"}}]}"#;
    let vllm_error = r#"{"object":"error","message":"This model's maximum context length is 8","type":"BadRequestError","code":400}"#;
    let fastapi_error = r#"{"detail":[{"loc":["body","model"],"msg":"field required"}]}"#;
    for (wire, status, body, code, retry_after) in [
        (
            Wire::OpenAi,
            429,
            openai_error("insufficient_quota", "insufficient_quota"),
            "QUOTA_EXHAUSTED",
            None,
        ),
        (
            Wire::OpenAi,
            400,
            openai_error("x", "context_length_exceeded"),
            "REQUEST_TOO_LARGE",
            None,
        ),
        (
            Wire::OpenAi,
            400,
            openai_error("exceed_context_size_error", "400"),
            "REQUEST_TOO_LARGE",
            None,
        ),
        (Wire::OpenAi, 400, openai_error("x", "content_filter"), "CONTENT_FILTERED", None),
        (Wire::Anthropic, 400, no_credit.to_owned(), "QUOTA_EXHAUSTED", None),
        (Wire::Anthropic, 400, too_long.to_owned(), "REQUEST_TOO_LARGE", None),
        (Wire::Gemini, 429, retry_delay.to_owned(), "RATE_LIMITED", Some(34)),
        // Gateways and local servers also report errors with status 200.
        (
            Wire::OpenAi,
            200,
            openai_error("x", "context_length_exceeded"),
            "REQUEST_TOO_LARGE",
            None,
        ),
        (Wire::OpenAi, 200, openai_error("rate_limit_error", "x"), "RATE_LIMITED", None),
        (Wire::OpenAi, 200, openai_error("x", "401"), "KEY_REFUSED", None),
        (Wire::Gemini, 200, retry_delay.to_owned(), "RATE_LIMITED", Some(34)),
        (Wire::OpenAi, 200, choice_error.to_owned(), "ERROR_IN_ANSWER", None),
        (Wire::OpenAi, 200, vllm_error.to_owned(), "REQUEST_TOO_LARGE", None),
        (Wire::OpenAi, 200, fastapi_error.to_owned(), "ERROR_IN_ANSWER", None),
    ] {
        let test = TestChat::new(wire, without_retries()).await;
        test.server.always(ScriptedReply::Raw(status, "application/json", body.into_bytes()));
        let error = test.ask(LONG).await.unwrap_err();
        assert_eq!(
            (error.code(), error.failure.retry_after().map(|wait| wait.as_secs())),
            (code, retry_after)
        );
    }
}

#[tokio::test]
async fn sends_no_accept_encoding() {
    let test = TestChat::new(Wire::OpenAi, without_retries()).await;
    test.ask(LONG).await.unwrap();
    assert_eq!(test.server.requests().remove(0).header("accept-encoding"), None);
}
