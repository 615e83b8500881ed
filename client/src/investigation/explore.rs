//! Explores the graph of an investigation with the server's chat model.

use gsar_proto::v1;
use tonic::Code;

use super::{ActiveInvestigation, add, takes_turns};
use crate::error::ClientError;

impl ActiveInvestigation {
    /// Explores the graph until nothing is left to look at, as described in [`explore_next`](Self::explore_next).
    ///
    /// # Errors
    /// Returns a [`ClientError`] if a call fails, for example because the server has no model in `judges.look`.
    pub async fn explore(&mut self) -> Result<(), ClientError> {
        while self.explore_next().await?.is_some() {}
        Ok(())
    }

    /// Looks at the next due entity with the server's chat model, and records the model's belief and cost as a turn. If
    /// the model's answer is unreadable or rejected, the entity is deferred. If nothing is stored about the entity, or
    /// no answer arrives, it stays due for the agent, and is skipped until a turn with tool calls.
    ///
    /// Returns `None` if no other entity is due, or if no turn may be recorded because the gate has closed, a rewrite
    /// is due, or the budget is exhausted.
    ///
    /// # Errors
    /// Returns a [`ClientError`] if a call fails, for example because the server has no model in `judges.look`.
    pub async fn explore_next(&mut self) -> Result<Option<v1::LookAtEntityResponse>, ClientError> {
        let Some(entity) = self.next_entity() else { return Ok(None) };
        let request = v1::LookAtEntityRequest {
            investigation_id: self.state.investigation_id.clone(),
            entity: entity.clone(),
            ask_model: true,
            ..v1::LookAtEntityRequest::default()
        };
        let look = match self.client.look_at_entity(request).await {
            Ok(look) => look,
            Err(error) if has_reason(&error, "NOT_DUE") => return Ok(None),
            Err(error) => return Err(error),
        };
        let is_unreadable = look.reasons.iter().any(|reason| reason.code == "ANSWER_UNREADABLE");
        let deferred = v1::Belief {
            entity: entity.clone(),
            label: v1::BeliefLabel::Defer.into(),
            ..v1::Belief::default()
        };
        self.pending_cost = look.calls.iter().map(cost).fold(self.pending_cost, add);
        match look.belief.clone().or(is_unreadable.then(|| deferred.clone())) {
            Some(belief) => match self.record_belief(belief).await {
                Err(error) if is_rejected(&error) => self.record_belief(deferred).await?,
                result => result?,
            },
            None => {
                self.skipped.insert(entity);
            }
        }
        Ok(Some(look))
    }

    /// Returns the next entity to look at, if a turn may be recorded.
    fn next_entity(&self) -> Option<String> {
        self.due().filter(|due| takes_turns(due))?;
        let due = self.state.graph.as_ref()?.due.iter();
        due.map(|look| &look.entity).find(|entity| !self.skipped.contains(*entity)).cloned()
    }

    async fn record_belief(&mut self, belief: v1::Belief) -> Result<(), ClientError> {
        let turn = v1::RecordTurnRequest { beliefs: vec![belief], ..Default::default() };
        self.record_turn(turn).await
    }
}

fn cost(call: &v1::ModelCall) -> v1::AgentCost {
    v1::AgentCost {
        tokens: call.input_tokens.saturating_add(call.output_tokens),
        cost_micros: call.cost_micros.unwrap_or(0),
    }
}

fn has_reason(error: &ClientError, reason: &str) -> bool {
    error.refusal().is_some_and(|refusal| refusal.reason == reason)
}

fn is_rejected(error: &ClientError) -> bool {
    error.refusal().is_some_and(|refusal| refusal.code == Code::InvalidArgument)
}
