//! `gsar health`: checks whether a running server accepts calls.

use gsar_client::connection::{Environment, Target, select_target};

use super::print;
use crate::arguments::Health;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::session::{connect, connect_options, until_signal};

pub(super) async fn run(arguments: &Health) -> Result<Status, Failure> {
    let target = select_target(&connect_options(&arguments.connection), &Environment::from_env())?;
    if matches!(target, Target::Temporary { .. }) {
        print("no server is running\n")?;
        return Ok(Status::Error);
    }
    let deadline = arguments.connection.deadline();
    let is_serving = until_signal(async {
        let health_check = tokio::time::timeout(deadline, async {
            let client = connect(&target, &mut None).await?.with_deadline(deadline);
            Ok::<_, Failure>(client.is_serving().await?)
        });
        health_check.await.map_or(Ok(None), |answer| answer.map(Some))
    });
    let (line, status) = match is_serving.await? {
        Some(true) => ("serving\n".to_owned(), Status::Proceed),
        Some(false) => ("not serving\n".to_owned(), Status::Error),
        None => (format!("no response within {} s\n", deadline.as_secs()), Status::Error),
    };
    print(&line).map(|()| status)
}
