//! Tokens for resuming an export. The 36 hexadecimal digits of a token encode a version, a stage, a sequence, and a
//! checksum over these and the request. The checksum detects mistakes but does not prevent forgery.

use data_encoding::HEXLOWER;
use gsar_proto::v1;
use prost::Message as _;

const VERSION: u8 = 1;
const CHECK_BYTES: usize = 8;
/// The maximum number of characters of an invalid token that an error quotes.
const MAX_SHOWN: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// After the evaluation with this sequence.
    Evaluations(i64),
    /// After the set whose first candidate has this sequence.
    Sets(i64),
}

/// The digest of a request, excluding its token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RequestDigest([u8; 32]);

impl RequestDigest {
    pub(super) fn new(request: &v1::ExportRequest) -> Self {
        let request = v1::ExportRequest { after: String::new(), ..request.clone() };
        Self(*blake3::hash(&request.encode_to_vec()).as_bytes())
    }
}

impl Position {
    pub(super) fn token(self, request: RequestDigest) -> String {
        let (stage, sequence) = match self {
            Self::Evaluations(sequence) => (1, sequence),
            Self::Sets(sequence) => (2, sequence),
        };
        let mut bytes = vec![VERSION, stage];
        bytes.extend(sequence.to_be_bytes());
        let mut hasher = blake3::Hasher::new();
        hasher.update(&bytes).update(&request.0);
        let checksum = hasher.finalize();
        bytes.extend(checksum.as_bytes().iter().take(CHECK_BYTES));
        HEXLOWER.encode(&bytes)
    }

    /// Parses a token. An empty token stands for the beginning of the export. Fails if the token belongs to a different
    /// request.
    pub(super) fn parse(token: &str, request: RequestDigest) -> Result<Self, String> {
        if token.is_empty() {
            return Ok(Self::Evaluations(0));
        }
        let parse_range =
            |range| u64::from_str_radix(token.get(range)?, 16).ok().map(u64::cast_signed);
        let position = match (token.get(..4), parse_range(4..20)) {
            (Some("0101"), Some(sequence)) => Some(Self::Evaluations(sequence)),
            (Some("0102"), Some(sequence)) => Some(Self::Sets(sequence)),
            _ => None,
        };
        position.filter(|position| position.token(request) == token).ok_or_else(|| {
            let quoted: String = token.chars().take(MAX_SHOWN).collect();
            format!(
                "{quoted:?} is not a token of this export; use `after` from one of its responses with the same request, or leave it empty"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn digest(policy: &str, after: &str) -> RequestDigest {
        RequestDigest::new(&v1::ExportRequest {
            policy: policy.to_owned(),
            after: after.to_owned(),
            ..v1::ExportRequest::default()
        })
    }

    proptest! {
        #[test]
        fn a_token_is_valid_only_for_its_request(sequence in any::<i64>(), sets in any::<bool>()) {
            let position = if sets { Position::Sets(sequence) } else { Position::Evaluations(sequence) };
            let token = position.token(digest("p", ""));
            prop_assert_eq!(Position::parse(&token, digest("p", &token)), Ok(position));
            prop_assert!(Position::parse(&token, digest("q", "")).is_err());
        }

        #[test]
        fn rejects_any_other_text(text in ".{1,40}", digits in "0101[0-9a-f]{32}") {
            prop_assert!(Position::parse(&text, digest("", "")).is_err());
            prop_assert!(Position::parse(&digits, digest("", "")).is_err());
        }
    }

    #[test]
    fn an_empty_token_starts_at_the_beginning() {
        assert_eq!(Position::parse("", digest("", "")), Ok(Position::Evaluations(0)));
    }
}
