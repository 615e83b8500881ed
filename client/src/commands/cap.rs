//! `gsar cap`: caps a self-rated confidence.

use gsar_proto::v1;

use super::print_answer;
use crate::arguments::{Cap, Strength};
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::human::cap_answer;
use crate::session::with_client;
use crate::terminal::Terminal;

pub(super) async fn run(arguments: &Cap, terminal: &Terminal) -> Result<Status, Failure> {
    let strength = match arguments.strength {
        Strength::Grounded => v1::GroundingStrength::Grounded,
        Strength::PartiallyGrounded => v1::GroundingStrength::PartiallyGrounded,
        Strength::Ungrounded => v1::GroundingStrength::Ungrounded,
    };
    let request = v1::CapConfidenceRequest {
        confidence: arguments.confidence,
        strength: strength.into(),
        policy: arguments.policy.clone().unwrap_or_default(),
    };
    with_client(&arguments.call.connection, async |client, _| {
        let answer = client.cap_confidence(request).await?;
        print_answer(arguments.call.output, &answer, || cap_answer(&answer, terminal.columns))?;
        Ok(Status::Proceed)
    })
    .await
}
