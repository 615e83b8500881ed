//! `gsar health`: does a server that runs take calls?

use gsar_client::connection::{Environment, Target, find};

use super::print;
use crate::arguments::Health;
use crate::failure::Failure;
use crate::session::{open, until_signal, wish};
use crate::status::Status;

pub(super) async fn run(arguments: &Health) -> Result<Status, Failure> {
    let target = find(&wish(&arguments.connection), &Environment::of_process())?;
    if matches!(target, Target::OneCall { .. }) {
        print("no server runs here\n")?;
        return Ok(Status::Error);
    }
    let is_serving = until_signal(async {
        let client = open(&target, &mut None).await?.with_deadline(arguments.connection.deadline());
        Ok(client.is_serving().await?)
    });
    match is_serving.await? {
        true => print("serving\n").map(|()| Status::Proceed),
        false => print("not serving\n").map(|()| Status::Error),
    }
}
