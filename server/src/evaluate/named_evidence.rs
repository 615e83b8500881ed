//! Looks up the evidence that an investigation's results and changes name, so that the properties of the items
//! decide, rather than what the caller says about them.

use std::collections::{BTreeMap, HashMap};

use gsar_core::evidence::{EvidenceId, EvidenceItem};
use gsar_core::policy::PolicyValues;
use gsar_proto::parse::{NamedItem, ParsedGate};
use tonic::Status;

use crate::blocking_work::offload_store;
use crate::call::Call;
use crate::evidence::{CorpusName, Evidence, ItemRef, Part, StoreError};
use crate::judge::Notice;

/// Looks up the named evidence among the items that the judge reads. If the judge reads only passages of a corpus,
/// also looks it up in the corpus. Returns a notice that lists unknown items.
pub(super) async fn resolve(
    call: &Call,
    gate: &mut ParsedGate,
    evidence: &[EvidenceItem],
    corpus: Option<(Evidence, CorpusName)>,
    policy: &PolicyValues,
) -> Result<Option<Notice>, Status> {
    let mut items = find(gate, evidence);
    let is_unknown = |id: &&EvidenceId| !items.contains_key(*id);
    let mut unknown_ids: Vec<EvidenceId> =
        gate.named_evidence().filter(is_unknown).cloned().collect();
    unknown_ids.sort_unstable();
    unknown_ids.dedup();
    if let Some((store, name)) = corpus.filter(|_| !unknown_ids.is_empty()) {
        let ids = unknown_ids.clone();
        items.extend(offload_store(call, move || find_stored(&store, &name, ids)).await?);
        unknown_ids.retain(|id| !items.contains_key(id));
    }
    apply(gate, &items, policy);
    Ok((!unknown_ids.is_empty()).then(|| unknown_evidence(&unknown_ids)))
}

/// Looks up the named evidence among the items of a request. Unknown items have no effect.
pub(super) fn resolve_in(gate: &mut ParsedGate, evidence: &[EvidenceItem], policy: &PolicyValues) {
    let items = find(gate, evidence);
    apply(gate, &items, policy);
}

fn apply(gate: &mut ParsedGate, items: &BTreeMap<EvidenceId, NamedItem>, policy: &PolicyValues) {
    gate.resolve(items);
    if policy.guards.tool_match_needs_attestation {
        gate.refuse_unattested();
    }
}

/// Finds items by their IDs. A passage such as `check#L1-2` has the properties of its item `check`.
fn find(gate: &ParsedGate, evidence: &[EvidenceItem]) -> BTreeMap<EvidenceId, NamedItem> {
    let mut items: HashMap<&str, &EvidenceItem> = HashMap::new();
    for item in evidence {
        let id = item.id.as_str();
        items.insert(id, item);
        if let Some((whole, _)) = id.rsplit_once('#') {
            items.entry(whole).or_insert(item);
        }
    }
    let found = |id: &EvidenceId| Some((id.clone(), NamedItem::from(*items.get(id.as_str())?)));
    gate.named_evidence().filter_map(found).collect()
}

fn find_stored(
    store: &Evidence,
    name: &CorpusName,
    ids: Vec<EvidenceId>,
) -> Result<Vec<(EvidenceId, NamedItem)>, StoreError> {
    let mut items = Vec::new();
    for id in ids {
        match store.snapshot(name, &ItemRef::Id(id.to_string()), Part::Head) {
            Ok(snapshot) => items.push((id, NamedItem::from(&snapshot.into_item()))),
            Err(StoreError::UnknownItem { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(items)
}

fn unknown_evidence(ids: &[EvidenceId]) -> Notice {
    let ids: Vec<&str> = ids.iter().map(EvidenceId::as_str).collect();
    Notice {
        code: "NAMED_EVIDENCE_UNKNOWN",
        sentence: format!(
            "gate names evidence that is neither in the request nor in its corpus and therefore has no effect: {}",
            ids.join(", ")
        ),
    }
}
