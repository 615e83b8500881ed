//! Renders evidence in the forms that clients send.

use gsar_core::evidence::Content;
use serde_json::json;

use crate::arguments::Rendering;
use crate::data_set::{ItemLine, is_json};

pub(crate) fn render(item: &ItemLine, rendering: Rendering) -> Content {
    match rendering {
        Rendering::Json if is_json(&item.content) => Content::Json(item.content.clone()),
        Rendering::Json | Rendering::Text => Content::Text(item.content.clone()),
        Rendering::Command => Content::Text(format!("$ {}\n{}", item.tool, item.content)),
        Rendering::Mcp => {
            let blocks = json!({"content": [{"type": "text", "text": item.content}]});
            Content::Json(blocks.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsar_core::evidence::{EvidenceKind, Lane};

    #[test]
    fn renders_the_same_content_in_every_form() {
        let item = |content: &str| ItemLine {
            id: "e1".to_owned(),
            kind: EvidenceKind::ToolOutput,
            lane: Lane::Logs,
            tool: "kubectl get pods".to_owned(),
            query: String::new(),
            content: content.to_owned(),
        };
        let document = item(r#"{"a": "b\n"}"#);
        let text = |text: &str| Content::Text(text.to_owned());
        let json = |text: &str| Content::Json(text.to_owned());
        for (rendering, expected) in [
            (Rendering::Json, json(r#"{"a": "b\n"}"#)),
            (Rendering::Text, text(r#"{"a": "b\n"}"#)),
            (Rendering::Command, text("$ kubectl get pods\n{\"a\": \"b\\n\"}")),
            (Rendering::Mcp, json(r#"{"content":[{"text":"{\"a\": \"b\\n\"}","type":"text"}]}"#)),
        ] {
            assert_eq!(render(&document, rendering), expected);
        }
        assert_eq!(render(&item("up\n"), Rendering::Json), text("up\n"));
    }
}
