//! Streams requests at a limited rate until stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::Stream;
use gsar_proto::v1;
use tokio::time::{MissedTickBehavior, interval};

use super::question::{RequestOptions, request};
use crate::rows::Row;

/// Streams one request per row, with the row's index as the correlation id.
pub(super) fn requests(
    rows: &[Arc<Row>],
    options: RequestOptions<'_>,
    rows_per_second: Option<f64>,
    stop: &Arc<AtomicBool>,
) -> impl Stream<Item = v1::EvaluateStreamRequest> + Send + use<> {
    let (policy, whole) = (options.policy.to_owned(), options.whole);
    let rows = rows.to_vec();
    let requests = rows.into_iter().enumerate().map(move |(index, row)| {
        let options = RequestOptions { policy: &policy, whole };
        v1::EvaluateStreamRequest {
            correlation_id: index.to_string(),
            request: Some(request(&row, options)),
        }
    });
    let pace = rows_per_second.map(|rate| {
        let mut pace = interval(Duration::from_secs_f64(1.0 / rate));
        pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
        pace
    });
    let state = (requests, pace, Arc::clone(stop));
    futures_util::stream::unfold(state, async |(mut requests, mut pace, stop)| {
        let request = requests.next()?;
        if let Some(pace) = &mut pace {
            pace.tick().await;
        }
        let is_stopped = stop.load(Ordering::Relaxed);
        (!is_stopped).then_some((request, (requests, pace, stop)))
    })
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt as _;

    use super::*;

    const OPTIONS: RequestOptions<'_> = RequestOptions { policy: "", whole: false };

    fn rows(count: usize) -> Vec<Arc<Row>> {
        let row = |at: usize| Row {
            id: format!("r{at}"),
            report: String::new(),
            claims: Vec::new(),
            evidence: Vec::new(),
        };
        (0..count).map(|at| Arc::new(row(at))).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn limits_the_rate_and_stops() {
        let stop = Arc::new(AtomicBool::new(false));
        let start = tokio::time::Instant::now();
        let paced = requests(&rows(11), OPTIONS, Some(5.0), &stop);
        let names: Vec<String> = paced.map(|request| request.correlation_id).collect().await;
        assert_eq!((names.len(), names[10].as_str()), (11, "10"));
        assert_eq!(start.elapsed(), Duration::from_secs(2));
        let mut unpaced = Box::pin(requests(&rows(11), OPTIONS, None, &stop));
        assert!(unpaced.next().await.is_some());
        stop.store(true, Ordering::Relaxed);
        assert!(unpaced.next().await.is_none());
    }
}
