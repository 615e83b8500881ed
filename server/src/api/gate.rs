//! Serves `gsar.v1.GateService`.

use gsar_core::assess::chain;
use gsar_core::safety::{self, HypothesisId};
use gsar_proto::v1::gate_service_server::GateService;
use gsar_proto::violations::Violations;
use gsar_proto::{parse, render, v1};
use tonic::{Request, Response, Status};

use super::services::{Engines, call};
use crate::compute_pool::compute;
use crate::errors;
use crate::evaluate::{ChosenPolicy, Engine, PolicyUse};
use crate::telemetry;

pub(super) struct Gate(pub(super) Engines);

impl Gate {
    fn parse(
        engine: &Engine,
        gate: Option<v1::GateInputs>,
        policy: &str,
    ) -> Result<(parse::ParsedGate, ChosenPolicy), Status> {
        let mut violations = Violations::default();
        let policy = engine.choose_policy(policy, None, PolicyUse::Decide, &mut violations)?;
        let gate = parse::required("gate", gate, &mut violations)
            .and_then(|gate| parse::gate_inputs(gate, engine.limits(), &mut violations));
        violations.finish(gate.zip(policy))
    }
}

#[tonic::async_trait]
impl GateService for Gate {
    async fn evaluate_gate(
        &self,
        request: Request<v1::EvaluateGateRequest>,
    ) -> Result<Response<v1::EvaluateGateResponse>, Status> {
        let engine = self.0.for_request(&request)?;
        let request = request.into_inner();
        let (gate, policy) = Self::parse(&engine, request.gate, &request.policy)?;
        let gate_policy = &policy.policy.gate;
        let outcome = safety::gate::evaluate(gate_policy, &gate.input());
        let verdict = render::gate_verdict(&outcome, &gate.hypotheses, gate_policy);
        telemetry::safety::record_gate(&verdict, false);
        Ok(Response::new(v1::EvaluateGateResponse {
            gate: Some(verdict),
            policy: Some(policy.applied()),
        }))
    }

    async fn classify_verdict(
        &self,
        request: Request<v1::ClassifyVerdictRequest>,
    ) -> Result<Response<v1::ClassifyVerdictResponse>, Status> {
        let mut violations = Violations::default();
        let call = call(request.extensions())?;
        let engine = self.0.for_call(&call);
        let limits = engine.limits();
        let result = parse::classify_verdict(request.into_inner(), limits, &mut violations);
        let result = violations.finish(result)?;
        let answer = compute(&call, move |budget| {
            let verdict = safety::classify(&result.tool_result(), budget);
            render::classified_verdict(verdict, &result.content)
        });
        answer.await.map(Response::new)
    }

    async fn assemble_chain(
        &self,
        request: Request<v1::AssembleChainRequest>,
    ) -> Result<Response<v1::AssembleChainResponse>, Status> {
        let engine = self.0.for_request(&request)?;
        let request = request.into_inner();
        let (gate, policy) = Self::parse(&engine, request.gate, &request.policy)?;
        let chain = if request.hypothesis_id.is_empty() {
            chain(&policy.policy, &gate.investigation())
        } else {
            let has_id = |id: &HypothesisId| id.as_str() == request.hypothesis_id;
            let Some(hypothesis) = gate.hypotheses.iter().find(|hypothesis| has_id(&hypothesis.id))
            else {
                let description = format!(
                    "`{}` is not among gate.hypotheses; name one of them or leave it empty",
                    request.hypothesis_id
                );
                return Err(errors::invalid_field("hypothesis_id", description));
            };
            safety::assemble(Some(hypothesis), &gate.investigation())
        };
        Ok(Response::new(v1::AssembleChainResponse {
            chain: Some(render::evidence_chain(chain, &gate.change_records)),
            policy: Some(policy.applied()),
        }))
    }

    async fn cap_confidence(
        &self,
        request: Request<v1::CapConfidenceRequest>,
    ) -> Result<Response<v1::CapConfidenceResponse>, Status> {
        let engine = self.0.for_request(&request)?;
        let request = request.into_inner();
        let mut violations = Violations::default();
        let policy =
            engine.choose_policy(&request.policy, None, PolicyUse::Decide, &mut violations)?;
        let inputs = parse::cap_confidence(&request, &mut violations);
        let (inputs, policy) = violations.finish(inputs.zip(policy))?;
        let cap_verdict = safety::cap(&policy.policy.cap, inputs.strength, inputs.confidence);
        let action = safety::Action::for_confidence(&policy.policy.ladder, cap_verdict.after);
        let action =
            safety::ActionVerdict { action, by_confidence: Some(action), limited_by: Vec::new() };
        Ok(Response::new(v1::CapConfidenceResponse {
            cap: Some(render::cap_verdict(cap_verdict)),
            action: Some(render::action_verdict(&action)),
            policy: Some(policy.applied()),
        }))
    }
}
