//! Finds earlier investigations of the same alerts. They suggest where to look and are never evidence.

use gsar_core::belief::Entity;
use gsar_core::time::Timestamp;
use gsar_proto::{render, v1};
use prost::Message as _;

use super::state::State;
use super::{graph, investigation_view};
use crate::ledger::{Ledger, LedgerError};

/// The maximum number of investigations that are searched, the latest ones first.
const MAX_SEARCHED: u32 = 100;
/// Investigations with larger start requests are not searched.
const MAX_START_BYTES: u32 = 64 << 10;
const MAX_ALERTS: usize = 100;
const MAX_FOUND: usize = 5;

/// Finds the latest investigations that began before this one and share an alert. Returns an empty list if the
/// ledger cannot be read, since no decision depends on these investigations.
pub(super) async fn find(ledger: &dyn Ledger, state: &State) -> Vec<v1::EarlierInvestigation> {
    match try_find(ledger, state).await {
        Ok(found) => found,
        Err(error) => {
            tracing::warn!(%error, "failed to read earlier investigations");
            Vec::new()
        }
    }
}

async fn try_find(
    ledger: &dyn Ledger,
    state: &State,
) -> Result<Vec<v1::EarlierInvestigation>, LedgerError> {
    let (start, alerts) = (&state.start, alerts(&state.start));
    let mut found = Vec::new();
    if alerts.is_empty() {
        return Ok(found);
    }
    let mut read_count = 0;
    for recent in ledger.recent_investigations(MAX_SEARCHED, MAX_START_BYTES).await? {
        let Ok(request) = v1::StartInvestigationRequest::decode(recent.start.as_slice()) else {
            continue;
        };
        let shared_alerts = find_shared(&alerts, &request);
        let is_earlier = recent.started_at_micros < state.started_at.as_micros()
            && recent.investigation_id != start.investigation_id;
        if !is_earlier || shared_alerts.is_empty() {
            continue;
        }
        if read_count == MAX_FOUND {
            break;
        }
        read_count += 1;
        let stored = ledger.investigation(&recent.investigation_id).await?;
        let Some(Ok(state)) = stored.map(|stored| State::replay(&stored)) else { continue };
        let origins = state
            .exploration
            .as_ref()
            .map(|exploration| graph::names(exploration, &exploration.outcome().frontier));
        let end = investigation_view::ending(&state).unwrap_or_default();
        found.push(v1::EarlierInvestigation {
            investigation_id: recent.investigation_id,
            started_at: Some(render::timestamp(Timestamp::from_micros(recent.started_at_micros))),
            shared_alerts,
            origins: origins.unwrap_or_default(),
            cause: end.cause,
            best: end.best,
        });
    }
    Ok(found)
}

fn alerts(start: &v1::StartInvestigationRequest) -> Vec<Entity> {
    let alerts = start.graph.iter().flat_map(|graph| &graph.alerts);
    alerts.take(MAX_ALERTS).filter_map(|alert| Entity::parse(alert).ok()).collect()
}

fn find_shared(current_alerts: &[Entity], earlier: &v1::StartInvestigationRequest) -> Vec<String> {
    let earlier_alerts = alerts(earlier);
    let is_shared = |alert: &&Entity| earlier_alerts.iter().any(|earlier| earlier.may_be(alert));
    current_alerts.iter().filter(is_shared).map(ToString::to_string).collect()
}
