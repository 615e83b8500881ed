//! Exports records of evaluations and preference pairs from the ledger. Reads one page at a time. For
//! pairs, keeps only the evaluations' IDs, sequences, report digests and scores in memory.

mod pairs;
mod position;
mod records;

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use gsar_core::fixed_point::Fraction;
use gsar_core::policy::Policy;
use gsar_proto::parse::ParsedExport;
use gsar_proto::violations::Violations;
use gsar_proto::{parse, v1};
use prost::Message as _;
use tonic::Status;

use crate::errors;
use crate::ledger::{Cursor, Entry, Ledger, Page, PageRequest, Reports, Selection};
use pairs::{Candidate, MAX_CANDIDATES, MAX_PAIRS, PairedSet, SetKey, Sets, Side, Taus};
use position::{Position, RequestDigest};
use v1::export_record::Record;

const PAGE_SIZE: NonZeroUsize = NonZeroUsize::new(64).unwrap();
/// The maximum number of cached policies. When it is reached, the cache is cleared.
const MAX_POLICIES: usize = 256;

/// A running export.
#[derive(Debug)]
pub struct Export {
    ledger: Arc<dyn Ledger>,
    kinds: Vec<v1::ExportKind>,
    selection: Selection,
    request_digest: RequestDigest,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    /// Exports the records of the evaluations after this sequence.
    Evaluations(i64),
    Collecting(CandidateCollector),
    Pairing(std::vec::IntoIter<PairedSet>),
    Ended,
}

#[derive(Debug)]
struct CandidateCollector {
    last_read: i64,
    /// The first sequence of the last exported set. Sets up to it are skipped.
    last_exported: i64,
    sets: Sets,
    taus: HashMap<String, Option<Taus>>,
}

impl Export {
    /// Starts an export, or resumes it at the token `after`.
    ///
    /// # Errors
    /// INVALID_ARGUMENT with all violations.
    pub fn new(ledger: Arc<dyn Ledger>, request: v1::ExportRequest) -> Result<Self, Status> {
        let request_digest = RequestDigest::new(&request);
        let mut violations = Violations::default();
        let position = violations.note("after", Position::parse(&request.after, request_digest));
        let parsed = parse::export(request, &mut violations);
        let (parsed, position) = violations.finish(parsed.zip(position))?;
        let stage = match position {
            Position::Evaluations(last_sequence) => Stage::Evaluations(last_sequence),
            Position::Sets(last_exported) => Stage::collecting(last_exported),
        };
        let ParsedExport { kinds, filter } = parsed;
        Ok(Self { ledger, kinds, selection: filter.into(), request_digest, stage })
    }

    /// Returns the next responses, some of which may contain no records. Returns `None` at the end of the export.
    ///
    /// # Errors
    /// The ledger's errors, and INVALID_ARGUMENT if there are too many candidates for pairs.
    pub async fn next(&mut self) -> Result<Option<Vec<v1::ExportResponse>>, Status> {
        loop {
            let stage = std::mem::replace(&mut self.stage, Stage::Ended);
            match stage {
                Stage::Ended => return Ok(None),
                Stage::Evaluations(last_sequence) => {
                    self.stage = Stage::collecting(0);
                    if !self.wants_evaluations() {
                        continue;
                    }
                    let Page { evaluations, next } = self.read_page(last_sequence).await?;
                    let Some(last) = evaluations.last() else { continue };
                    if next.is_some() {
                        self.stage = Stage::Evaluations(last.sequence);
                    }
                    return self.evaluation_responses(evaluations).map(Some);
                }
                Stage::Collecting(_) if !self.wants(v1::ExportKind::Preferences) => {
                    return Ok(None);
                }
                Stage::Collecting(mut collector) => {
                    let Page { evaluations, next } = self.read_page(collector.last_read).await?;
                    let is_empty = evaluations.is_empty();
                    let position = Position::Sets(collector.last_exported);
                    evaluations.into_iter().try_for_each(|entry| collector.add(entry))?;
                    self.stage = match next {
                        Some(_) => Stage::Collecting(collector),
                        None => Stage::Pairing(collector.into_sets().into_iter()),
                    };
                    if !is_empty {
                        return Ok(Some(vec![self.response(Vec::new(), position)]));
                    }
                }
                Stage::Pairing(mut sets) => {
                    let Some(set) = sets.next() else { return Ok(None) };
                    self.stage = Stage::Pairing(sets);
                    let position = Position::Sets(set.first_sequence);
                    let records = self.pair_records(set).await?;
                    return Ok(Some(vec![self.response(records, position)]));
                }
            }
        }
    }

    fn wants(&self, kind: v1::ExportKind) -> bool {
        self.kinds.contains(&kind)
    }

    fn wants_evaluations(&self) -> bool {
        self.kinds.iter().any(|kind| *kind != v1::ExportKind::Preferences)
    }

    async fn read_page(&self, last_sequence: i64) -> Result<Page<Entry>, Status> {
        let (selection, cursor) = (self.selection.clone(), Cursor::After(last_sequence));
        let request = PageRequest { selection, cursor, limit: PAGE_SIZE };
        Ok(self.ledger.entries(request, Reports::Omit).await?)
    }

    fn response(&self, records: Vec<Record>, position: Position) -> v1::ExportResponse {
        let record = |record| v1::ExportRecord { record: Some(record) };
        v1::ExportResponse {
            records: records.into_iter().map(record).collect(),
            after: position.token(self.request_digest),
        }
    }

    /// Returns a response for each evaluation with records, and for the last evaluation of the page.
    fn evaluation_responses(&self, page: Vec<Entry>) -> Result<Vec<v1::ExportResponse>, Status> {
        let last = page.last().map(|entry| entry.sequence);
        let mut responses = Vec::new();
        for entry in page {
            let sequence = entry.sequence;
            let records = self.records(entry)?;
            if !records.is_empty() || Some(sequence) == last {
                responses.push(self.response(records, Position::Evaluations(sequence)));
            }
        }
        Ok(responses)
    }

    fn records(&self, entry: Entry) -> Result<Vec<Record>, Status> {
        let response = decode(&entry.response)?;
        let evaluation = records::evaluation(&entry.summary, &response);
        let mut records = Vec::new();
        if self.wants(v1::ExportKind::Partitions) {
            records.push(records::partition(evaluation.clone(), &response));
        }
        if self.wants(v1::ExportKind::Grades) {
            records.extend(records::grades(&evaluation, &response, entry.grades));
        }
        if self.wants(v1::ExportKind::ClaimRewards) {
            records.extend(records::rewards(&evaluation, &response));
        }
        Ok(records)
    }

    /// Returns the preference records for a set's pairs. Skips deleted evaluations and pairs of identical texts.
    async fn pair_records(&self, set: PairedSet) -> Result<Vec<Record>, Status> {
        let mut records = Vec::new();
        for (chosen, rejected) in set.pairs {
            if records.len() == MAX_PAIRS {
                break;
            }
            let Some(chosen) = self.read_side(&chosen).await? else { continue };
            let Some(rejected) = self.read_side(&rejected).await? else { continue };
            if chosen.report.synthesis == rejected.report.synthesis {
                continue;
            }
            let PairSide { report: chosen_report, taus, evidence } = chosen;
            let policy =
                chosen_report.evaluation.as_ref().and_then(|evaluation| evaluation.policy.clone());
            records.push(Record::Preference(Box::new(v1::PreferenceRecord {
                policy,
                evidence,
                tau_proceed_millionths: taus.proceed.get(),
                tau_regenerate_millionths: taus.regenerate.get(),
                chosen: Some(chosen_report),
                rejected: Some(rejected.report),
            })));
        }
        Ok(records)
    }

    /// Reads one side of a pair. Returns `None` if the evaluation was deleted or its policy cannot be parsed.
    async fn read_side(&self, candidate: &Candidate) -> Result<Option<PairSide>, Status> {
        let stored = self.ledger.read(&candidate.evaluation_id).await?;
        let Some(stored) = stored else { return Ok(None) };
        let Some(taus) = taus(&stored.policy_toml) else { return Ok(None) };
        let response = decode(&stored.response)?;
        let report = v1::Report::decode(stored.report.as_slice()).map_err(decode_error)?;
        let report = v1::PairedReport {
            evaluation: Some(records::evaluation(&stored.summary, &response)),
            guarded_score: response.guarded_score,
            synthesis: report.synthesis,
        };
        let evidence = response.provenance.unwrap_or_default().evidence;
        Ok(Some(PairSide { report, taus, evidence }))
    }
}

/// One side of a pair, and the data that both sides share.
struct PairSide {
    report: v1::PairedReport,
    taus: Taus,
    evidence: Vec<v1::EvidenceDigest>,
}

impl Stage {
    fn collecting(last_exported: i64) -> Self {
        let (sets, taus) = (Sets::new(MAX_CANDIDATES), HashMap::new());
        Self::Collecting(CandidateCollector { last_read: 0, last_exported, sets, taus })
    }
}

impl CandidateCollector {
    /// Adds an evaluation if it is a candidate for a pair.
    fn add(&mut self, entry: Entry) -> Result<(), Status> {
        self.last_read = entry.sequence;
        let response = decode(&entry.response)?;
        let provenance = response.provenance.unwrap_or_default();
        // Only reports with a synthesis have coverage.
        let (Some(_), Some(policy), Some(score)) =
            (response.coverage, provenance.policy, response.guarded_score)
        else {
            return Ok(());
        };
        let score = Fraction::new(score.numerator.into(), score.denominator.into());
        let has_proceeded = entry.summary.tier == i32::from(v1::Tier::Proceed);
        let side = score.zip(self.cached_taus(&policy.digest, &entry.policy_toml));
        let side = side
            .and_then(|(score, taus)| Some((score, Side::from_score(score, has_proceeded, taus)?)));
        let Some((score, side)) = side.filter(|_| !provenance.evidence.is_empty()) else {
            return Ok(());
        };
        let digests = provenance.evidence.iter().map(|item| item.digest.as_str());
        let candidate = Candidate {
            sequence: entry.sequence,
            evaluation_id: entry.summary.evaluation_id.into(),
            report: *blake3::hash(provenance.report_digest.as_bytes()).as_bytes(),
            score,
        };
        self.sets.add(SetKey::new(&policy.digest, digests), side, candidate).map_err(|_| {
            let description = format!(
                "PREFERENCES would pair more than {MAX_CANDIDATES} evaluations; restrict evaluated_from, evaluated_before or policy"
            );
            errors::invalid_field("kinds", description)
        })
    }

    /// Returns the sets that have pairs and were not exported yet.
    fn into_sets(self) -> Vec<PairedSet> {
        let mut sets = self.sets.into_pairs();
        sets.retain(|set| set.first_sequence > self.last_exported);
        sets
    }

    fn cached_taus(&mut self, digest: &str, policy_toml: &str) -> Option<Taus> {
        if let Some(cached) = self.taus.get(digest) {
            return *cached;
        }
        if self.taus.len() >= MAX_POLICIES {
            self.taus.clear();
        }
        let taus = taus(policy_toml);
        self.taus.insert(digest.to_owned(), taus);
        taus
    }
}

fn taus(policy_toml: &str) -> Option<Taus> {
    let policy = Policy::from_toml(policy_toml).ok()?;
    Some(Taus { proceed: policy.tau_proceed, regenerate: policy.tau_regenerate })
}

fn decode(response: &[u8]) -> Result<v1::EvaluateResponse, Status> {
    v1::EvaluateResponse::decode(response).map_err(decode_error)
}

fn decode_error(error: prost::DecodeError) -> Status {
    errors::ledger_unavailable(&format!("failed to decode a record: {error}"))
}
