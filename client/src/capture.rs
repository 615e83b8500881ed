//! Records the results of an agent's tool calls as evidence.

use std::sync::{Arc, Mutex, PoisonError};

use gsar_proto::v1;

use crate::Item;
use crate::evidence::command::classify_command;

/// The recorded tool calls of one investigation. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct EvidenceCapture(Arc<Mutex<CapturedCalls>>);

#[derive(Debug, Default)]
struct CapturedCalls {
    calls: Vec<v1::ToolCall>,
    /// The number of recorded calls, including those that were already taken.
    recorded_count: usize,
}

impl EvidenceCapture {
    /// Awaits a tool call, records it, and returns its result. The result becomes an item named `TOOL-1`, `TOOL-2` and
    /// so on. If the tool is known, it determines the item's kind and lane. A failed call is recorded without a result.
    pub async fn call<T: AsRef<str>, E>(
        &self,
        tool: &str,
        arguments: &str,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let result = work.await;
        self.record(tool, arguments, result.as_ref().ok().map(AsRef::as_ref));
        result
    }

    /// Records a tool call like [`call`](Self::call). `result` is `None` if the call failed.
    pub fn record(&self, tool: &str, arguments: &str, result: Option<&str>) {
        self.record_with(tool, arguments, result, |item| item);
    }

    /// Records a tool call, and adjusts its item, for example to set another lane. `adjust` must not use the capture.
    pub fn record_with(
        &self,
        tool: &str,
        arguments: &str,
        result: Option<&str>,
        adjust: impl FnOnce(Item) -> Item,
    ) {
        let mut captured = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        captured.recorded_count += 1;
        let id = format!("{tool}-{}", captured.recorded_count);
        let command = format!("{tool} {arguments}");
        let item = result.map(|text| match classify_command(tool, arguments) {
            Some(class) => item(id, text).kind(class.kind).lane(class.lane),
            None => item(id, text),
        });
        captured.calls.push(v1::ToolCall {
            tool: tool.to_owned(),
            arguments: arguments.to_owned(),
            result: item.map(|item| adjust(item.tool(command.trim_end())).into()),
        });
    }

    /// Returns the items recorded since the last [`take_turn`](Self::take_turn).
    #[must_use]
    pub fn items(&self) -> Vec<Item> {
        let captured = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        captured.calls.iter().filter_map(|call| call.result.clone()).map(Item::from).collect()
    }

    /// Takes the recorded calls, as a turn of an investigation.
    #[must_use]
    pub fn take_turn(&self) -> v1::RecordTurnRequest {
        let mut captured = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let tool_calls = std::mem::take(&mut captured.calls);
        v1::RecordTurnRequest { tool_calls, ..v1::RecordTurnRequest::default() }
    }
}

/// Returns a JSON item if `text` is a JSON object or array, otherwise a text item.
fn item(id: String, text: &str) -> Item {
    let is_document = text.trim_start().starts_with(['{', '['])
        && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    if is_document { Item::json(id, text) } else { Item::text(id, text) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsar_core::evidence::Lane;

    #[test]
    fn lane_and_kind_depend_on_the_tool_unless_overridden() {
        let capture = EvidenceCapture::default();
        capture.record("kubectl", "logs deploy/cart", Some("killed"));
        capture.record("git", "log -3", Some("commit 9e41"));
        capture.record("frobnicate", "", Some("done"));
        capture.record_with("git", "log -3", Some("commit 9e41"), |item| item.lane(Lane::Logs));
        let items = capture.items().into_iter().map(v1::EvidenceItem::from);
        let classes: Vec<_> = items.map(|item| (item.lane(), item.kind())).collect();
        assert_eq!(
            classes,
            [
                (v1::EvidenceLane::Logs, v1::EvidenceKind::ToolOutput),
                (v1::EvidenceLane::Change, v1::EvidenceKind::Change),
                (v1::EvidenceLane::StaticInfra, v1::EvidenceKind::ToolOutput),
                (v1::EvidenceLane::Logs, v1::EvidenceKind::Change),
            ]
        );
    }

    #[tokio::test]
    async fn records_tool_results_as_items_and_turns() {
        let capture = EvidenceCapture::default();
        let pods = capture.call("kubectl", "get pods", async { Ok::<_, ()>("cart-1 Running") });
        assert_eq!(pods.await, Ok("cart-1 Running"));
        let failed = capture.call("promql", "up", async { Err::<String, _>("refused") }).await;
        assert_eq!(failed, Err("refused"));
        capture.record("kubectl", "get nodes -o json", Some(r#"{"items": []}"#));

        let items: Vec<v1::EvidenceItem> = capture.items().into_iter().map(Into::into).collect();
        let ids_and_tools: Vec<_> = items.iter().map(|item| (&*item.id, &*item.tool)).collect();
        assert_eq!(
            ids_and_tools,
            [("kubectl-1", "kubectl get pods"), ("kubectl-3", "kubectl get nodes -o json")]
        );
        assert!(matches!(items[1].content, Some(v1::evidence_item::Content::Json(_))));
        assert_eq!(capture.take_turn().tool_calls.len(), 3);
        assert!(capture.take_turn().tool_calls.is_empty());
        capture.record("kubectl", "", Some("again"));
        assert_eq!(v1::EvidenceItem::from(capture.items()[0].clone()).id, "kubectl-4");
    }
}
