//! Records the results of an agent's tools as evidence, so that reports are checked against what the agent saw.

use std::sync::{Arc, Mutex, PoisonError};

use gsar_proto::v1;

use crate::Item;

/// The tool calls of one investigation. Clones share the calls.
#[derive(Clone, Debug, Default)]
pub struct EvidenceCapture(Arc<Mutex<Captured>>);

#[derive(Debug, Default)]
struct Captured {
    calls: Vec<v1::ToolCall>,
    /// The number of calls recorded, including those already taken.
    numbered: usize,
}

impl EvidenceCapture {
    /// Awaits a tool and records its result as an item named `TOOL-1`, `TOOL-2` and so on.
    ///
    /// # Errors
    /// Returns the tool's error. A failed call is recorded without a result.
    pub async fn call<T: AsRef<str>, E>(
        &self,
        tool: &str,
        arguments: &str,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let returned = work.await;
        self.record(tool, arguments, returned.as_ref().ok().map(AsRef::as_ref));
        returned
    }

    /// Records the result of a tool; `None` if it failed.
    pub fn record(&self, tool: &str, arguments: &str, returned: Option<&str>) {
        let mut captured = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        captured.numbered += 1;
        let id = format!("{tool}-{}", captured.numbered);
        let command = format!("{tool} {arguments}");
        captured.calls.push(v1::ToolCall {
            tool: tool.to_owned(),
            arguments: arguments.to_owned(),
            result: returned.map(|text| item(id, text).tool(command.trim_end()).into()),
        });
    }

    /// Returns the items recorded since the last [`take_turn`](Self::take_turn).
    #[must_use]
    pub fn items(&self) -> Vec<Item> {
        let captured = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        captured.calls.iter().filter_map(|call| call.result.clone()).map(Item::from).collect()
    }

    /// Takes the calls recorded since the last time, as a turn of an investigation.
    #[must_use]
    pub fn take_turn(&self) -> v1::RecordTurnRequest {
        let mut captured = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let tool_calls = std::mem::take(&mut captured.calls);
        v1::RecordTurnRequest { tool_calls, ..v1::RecordTurnRequest::default() }
    }
}

/// Returns a JSON item if the text is a JSON object or array, else a text item.
fn item(id: String, text: &str) -> Item {
    let is_document = text.trim_start().starts_with(['{', '['])
        && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    if is_document { Item::json(id, text) } else { Item::text(id, text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn records_tool_results_as_items_and_turns() {
        let capture = EvidenceCapture::default();
        let pods = capture.call("kubectl", "get pods", async { Ok::<_, ()>("cart-1 Running") });
        assert_eq!(pods.await, Ok("cart-1 Running"));
        let failed = capture.call("promql", "up", async { Err::<String, _>("refused") }).await;
        assert_eq!(failed, Err("refused"));
        capture.record("kubectl", "get nodes -o json", Some(r#"{"items": []}"#));

        let items: Vec<v1::EvidenceItem> = capture.items().into_iter().map(Into::into).collect();
        let named: Vec<_> = items.iter().map(|item| (&*item.id, &*item.tool)).collect();
        assert_eq!(
            named,
            [("kubectl-1", "kubectl get pods"), ("kubectl-3", "kubectl get nodes -o json")]
        );
        assert!(matches!(items[1].content, Some(v1::evidence_item::Content::Json(_))));
        assert_eq!(capture.take_turn().tool_calls.len(), 3);
        assert!(capture.take_turn().tool_calls.is_empty());
        capture.record("kubectl", "", Some("again"));
        assert_eq!(v1::EvidenceItem::from(capture.items()[0].clone()).id, "kubectl-4");
    }
}
