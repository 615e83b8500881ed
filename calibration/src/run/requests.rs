//! Streams requests at a limited rate until stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::vec::IntoIter;

use futures_util::Stream;
use gsar_proto::v1;
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::question::{RequestOptions, request};
use crate::rows::Row;

/// The remaining requests. A correlation id is the row's index.
pub(super) struct Requests {
    rows: IntoIter<(usize, Arc<Row>)>,
    policy: String,
    whole: bool,
    pace: Option<Interval>,
    stop: Arc<AtomicBool>,
}

impl Requests {
    pub(super) fn new(
        rows: &[Arc<Row>],
        options: RequestOptions<'_>,
        rows_per_second: Option<f64>,
        stop: &Arc<AtomicBool>,
    ) -> Self {
        let rows: Vec<(usize, Arc<Row>)> = rows.iter().cloned().enumerate().collect();
        let pace = rows_per_second.map(|rate| {
            let mut pace = interval(Duration::from_secs_f64(1.0 / rate));
            pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
            pace
        });
        Self {
            rows: rows.into_iter(),
            policy: options.policy.to_owned(),
            whole: options.whole,
            pace,
            stop: Arc::clone(stop),
        }
    }

    pub(super) fn stream(self) -> impl Stream<Item = v1::EvaluateStreamRequest> + Send {
        futures_util::stream::unfold(self, async |mut requests| {
            let request = requests.next().await?;
            Some((request, requests))
        })
    }

    async fn next(&mut self) -> Option<v1::EvaluateStreamRequest> {
        let (index, row) = self.rows.next()?;
        if let Some(pace) = &mut self.pace {
            pace.tick().await;
        }
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        Some(v1::EvaluateStreamRequest {
            correlation_id: index.to_string(),
            request: Some(request(
                &row,
                RequestOptions { policy: &self.policy, whole: self.whole },
            )),
        })
    }
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt as _;

    use super::*;

    const OPTIONS: RequestOptions<'_> = RequestOptions { policy: "", whole: false };

    fn rows(number: usize) -> Vec<Arc<Row>> {
        let row = |at: usize| Row {
            id: format!("r{at}"),
            report: String::new(),
            claims: Vec::new(),
            evidence: Vec::new(),
        };
        (0..number).map(|at| Arc::new(row(at))).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn limits_the_rate_and_stops() {
        let stop = Arc::new(AtomicBool::new(false));
        let start = tokio::time::Instant::now();
        let requests = Requests::new(&rows(11), OPTIONS, Some(5.0), &stop).stream();
        let names: Vec<String> = requests.map(|request| request.correlation_id).collect().await;
        assert_eq!((names.len(), names[10].as_str()), (11, "10"));
        assert_eq!(start.elapsed(), Duration::from_secs(2));
        let mut requests = Box::pin(Requests::new(&rows(11), OPTIONS, None, &stop).stream());
        assert!(requests.next().await.is_some());
        stop.store(true, Ordering::Relaxed);
        assert!(requests.next().await.is_none());
    }
}
