//! Builds the routes of all services, including health and reflection.

use std::sync::Arc;

use gsar_proto::DESCRIPTORS;
use gsar_proto::v1::evidence_service_server::EvidenceServiceServer;
use gsar_proto::v1::gate_service_server::GateServiceServer;
use gsar_proto::v1::grounding_service_server::GroundingServiceServer;
use gsar_proto::v1::investigation_service_server::InvestigationServiceServer;
use gsar_proto::v1::ledger_service_server::LedgerServiceServer;
use gsar_proto::v1::policy_service_server::PolicyServiceServer;
use tonic::service::Routes;
use tonic::{Extensions, Request, Status};
use tonic_health::ServingStatus;
use tonic_health::pb::health_server::{Health, HealthServer};
use tonic_health::server::HealthReporter;
use tonic_reflection::server::Builder as Reflection;

use super::evidence::Corpora;
use super::gate::Gate;
use super::grounding::Grounding;
use super::investigation::Driver;
use super::ledger::LedgerHandler;
use super::permits::Permits;
use super::policy::Policies;
use crate::call::Call;
use crate::config::Limits;
use crate::drive::Investigations;
use crate::errors;
use crate::evaluate::Engine;
use crate::server_phase::PhaseCell;

/// The service names that the health service reports. The empty name stands for the whole server.
const HEALTH_NAMES: [&str; 7] = [
    "",
    "gsar.v1.GroundingService",
    "gsar.v1.GateService",
    "gsar.v1.InvestigationService",
    "gsar.v1.PolicyService",
    "gsar.v1.LedgerService",
    "gsar.v1.EvidenceService",
];

/// Builds the routes of every service.
///
/// # Errors
/// A message if the API's descriptors are invalid, which is a bug.
pub fn routes<H: Health>(
    engine: &Arc<Engine>,
    phase: PhaseCell,
    health: HealthServer<H>,
    limits: &Limits,
) -> Result<Routes, String> {
    let max_message = usize::try_from(limits.message.0).unwrap_or(usize::MAX);
    let reflection = || {
        Reflection::configure()
            .register_encoded_file_descriptor_set(DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    let v1 = reflection().build_v1().map_err(|error| error.to_string())?;
    // Python's reflection client uses v1alpha.
    let v1alpha = reflection().build_v1alpha().map_err(|error| error.to_string())?;
    let engines = Engines(Arc::clone(engine));
    let grounding = GroundingServiceServer::new(Grounding {
        engines: engines.clone(),
        phase: phase.clone(),
        limits: limits.clone(),
    });
    let gate = GateServiceServer::new(Gate(engines.clone()));
    let policies = PolicyServiceServer::new(Policies(engines.clone()));
    let evidence = EvidenceServiceServer::new(Corpora(engines.clone()));
    let investigations = Investigations::new(Arc::clone(engine));
    let driver = Driver { investigations, phase: phase.clone() };
    let investigations = InvestigationServiceServer::new(driver);
    let ledger = LedgerServiceServer::new(LedgerHandler { engines, phase });
    Ok(Routes::default()
        .add_service(grounding.max_decoding_message_size(max_message))
        .add_service(gate.max_decoding_message_size(max_message))
        .add_service(policies.max_decoding_message_size(max_message))
        .add_service(evidence.max_decoding_message_size(max_message))
        .add_service(investigations.max_decoding_message_size(max_message))
        .add_service(ledger.max_decoding_message_size(max_message))
        .add_service(health)
        .add_service(v1)
        .add_service(v1alpha))
}

/// Sets the health status of every service.
pub async fn set_health(reporter: &HealthReporter, status: ServingStatus) {
    for name in HEALTH_NAMES {
        reporter.set_service_status(name, status).await;
    }
}

/// Ends the streams of health watchers, which would keep connections open.
pub async fn clear_health(reporter: &mut HealthReporter) {
    for name in HEALTH_NAMES {
        reporter.clear_service_status(name).await;
    }
}

/// Gives handlers the engine of the calling principal, never the shared one.
#[derive(Clone, Debug)]
pub(super) struct Engines(Arc<Engine>);

impl Engines {
    pub(super) fn for_call(&self, call: &Call) -> Arc<Engine> {
        self.0.for_principal(&call.principal)
    }

    pub(super) fn for_request<T>(&self, request: &Request<T>) -> Result<Arc<Engine>, Status> {
        call(request.extensions()).map(|call| self.for_call(&call))
    }
}

pub(super) fn call(extensions: &Extensions) -> Result<Call, Status> {
    extensions.get::<Call>().cloned().ok_or_else(|| {
        tracing::error!("a call bypassed admission");
        errors::internal("admission")
    })
}

pub(super) fn permits(extensions: &Extensions) -> Result<Arc<Permits>, Status> {
    extensions.get::<Arc<Permits>>().cloned().ok_or_else(|| {
        tracing::error!("a stream bypassed admission");
        errors::internal("admission")
    })
}
