//! Parses bearer tokens and digests of static tokens. Tokens are never stored or logged.

use std::fmt::Write as _;
use std::str::FromStr;

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use http::HeaderMap;
use http::header::AUTHORIZATION;
use sha2::{Digest as _, Sha256};

/// The maximum length of a token.
const MAX_BYTES: usize = 16 << 10;

/// The SHA-256 digest of a token.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct TokenDigest([u8; 32]);

impl TokenDigest {
    pub(super) fn new(token: &str) -> Self {
        Self(Sha256::digest(token.as_bytes()).into())
    }
}

impl FromStr for TokenDigest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let invalid_digest = || {
            // The text may be a token by mistake, so the error does not quote it.
            "is not a token digest; use sha256: followed by the 64 digits that `printf %s TOKEN | sha256sum` prints"
                .to_owned()
        };
        let digits = text.strip_prefix("sha256:").ok_or_else(invalid_digest)?;
        let digest = HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).map_err(|_| invalid_digest())?;
        digest.try_into().map(Self).map_err(|_| invalid_digest())
    }
}

impl std::fmt::Display for TokenDigest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "sha256:{}", HEXLOWER.encode(&self.0))
    }
}

impl std::fmt::Debug for TokenDigest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_char('…')
    }
}

/// Returns the token from `authorization: Bearer …`, if the header is present.
pub(super) fn bearer_token(headers: &HeaderMap) -> Result<Option<&str>, &'static str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let Some(header) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err("authorization is sent twice; send it once");
    }
    let text = header.to_str().map_err(|_| "authorization is not text; send `Bearer TOKEN`")?;
    let (scheme, token) = text.split_once(' ').unwrap_or_default();
    let token = token.trim();
    match scheme.eq_ignore_ascii_case("bearer") && !token.is_empty() && token.len() <= MAX_BYTES {
        true => Ok(Some(token)),
        false => Err("authorization has no token; send `Bearer TOKEN`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_match_sha256sum() {
        let digest = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert!(digest.parse::<TokenDigest>().unwrap() == TokenDigest::new("abc"));
        assert_eq!(TokenDigest::new("abc").to_string(), digest);
        assert!(digest.to_uppercase().replace("SHA256", "sha256").parse::<TokenDigest>().is_ok());
        for invalid in
            ["", "abc", "sha256:", "sha256:ba78", &format!("{digest}0"), "sha256:é", "md5:00"]
        {
            let error = invalid.parse::<TokenDigest>().unwrap_err();
            assert!(!error.contains("abc") && !error.contains("ba78"), "{error}");
        }
        let with_sign = digest.replace("ba78", "+a78");
        with_sign.parse::<TokenDigest>().unwrap_err();
    }

    #[test]
    fn reads_the_token_from_a_single_header() {
        let headers = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(AUTHORIZATION, value.parse().unwrap());
            }
            headers
        };
        assert_eq!(bearer_token(&headers(&[])), Ok(None));
        assert_eq!(bearer_token(&headers(&["Bearer abc"])), Ok(Some("abc")));
        assert_eq!(bearer_token(&headers(&["bearer  abc "])), Ok(Some("abc")));
        let long_header = format!("Bearer {}", "a".repeat(MAX_BYTES + 1));
        for invalid in ["", "Bearer", "Bearer ", "Basic abc", "abc", long_header.as_str()] {
            bearer_token(&headers(&[invalid])).unwrap_err();
        }
        bearer_token(&headers(&["Bearer a", "Bearer b"])).unwrap_err();
    }
}
