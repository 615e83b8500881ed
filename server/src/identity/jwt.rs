//! This module checks JSON Web Tokens (RFC 7519) by keys of a file (RFC 7517). Only signatures by a private key count, with
//! an issuer, an audience, a subject and an end.

use std::collections::HashMap;
use std::str::FromStr as _;

use data_encoding::BASE64URL_NOPAD;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, JwkSet, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// How far clocks may be apart, in seconds.
const LEEWAY: u64 = 30;

/// Who signs tokens for whom.
pub(super) struct Issuer {
    keys: Vec<Key>,
    by_id: HashMap<String, usize>,
    issuer: String,
    audience: String,
}

struct Key {
    key: DecodingKey,
    algorithms: Vec<Algorithm>,
}

/// Whom a token names, and until when.
#[derive(Debug)]
pub(super) struct Subject {
    pub(super) name: String,
    /// In seconds since 1970, with what clocks may be apart.
    pub(super) until: u64,
}

/// What a token has to hold, each in the one form that it may have.
#[derive(Deserialize)]
struct Claims {
    sub: String,
    exp: f64,
    #[serde(rename = "iss")]
    _iss: String,
    #[serde(rename = "nbf", default)]
    _nbf: Option<f64>,
}

/// What a header may ask for that is not understood here, by which a token must be refused (RFC 7515, 4.1.11).
#[derive(Deserialize)]
struct Critical {
    crit: Option<IgnoredAny>,
}

impl std::fmt::Debug for Issuer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Issuer").field("issuer", &self.issuer).finish_non_exhaustive()
    }
}

impl Issuer {
    /// An issuer with the keys of a file.
    ///
    /// # Errors
    /// Everything that is wrong with the keys.
    pub(super) fn new(issuer: &str, audience: &str, jwks: &str) -> Result<Self, Vec<String>> {
        let set: JwkSet = serde_json::from_str(jwks)
            .map_err(|error| vec![format!("holds no set of JSON Web Keys: {error}")])?;
        let (mut keys, mut by_id, mut problems) = (Vec::new(), HashMap::new(), Vec::new());
        for (number, jwk) in set.keys.iter().enumerate() {
            match key(jwk) {
                Ok(key) => {
                    if let Some(id) = &jwk.common.key_id
                        && by_id.insert(id.clone(), keys.len()).is_some()
                    {
                        problems.push(format!("keys.{number}: another key has its kid"));
                    }
                    keys.push(key);
                }
                Err(wrong) => problems.push(format!("keys.{number}: {wrong}")),
            }
        }
        if set.keys.is_empty() {
            problems.push("holds no key".to_owned());
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(Self { keys, by_id, issuer: issuer.to_owned(), audience: audience.to_owned() })
    }

    /// The subject of a token that holds now.
    ///
    /// # Errors
    /// Why it does not hold, without anything out of it.
    pub(super) fn subject(&self, token: &str) -> Result<Subject, &'static str> {
        const NO_TOKEN: &str = "the token is neither known nor a JSON Web Token";
        let header = decode_header(token).map_err(|_| NO_TOKEN)?;
        if has_critical(token).ok_or(NO_TOKEN)? {
            return Err("the token has a header `crit`, none of which is understood here");
        }
        let key = match (&header.kid, self.keys.as_slice()) {
            (Some(id), _) => self.by_id.get(id).and_then(|at| self.keys.get(*at)),
            (None, [only]) => Some(only),
            (None, _) => None,
        };
        let key = key.ok_or("the token is signed by no key that is known here")?;
        if !key.algorithms.contains(&header.alg) {
            return Err("the token is signed by an algorithm that its key is not for");
        }
        let mut validation = Validation::new(header.alg);
        validation.leeway = LEEWAY;
        validation.validate_nbf = true;
        validation.set_issuer(&[&self.issuer]);
        validation.set_audience(&[&self.audience]);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        let claims = decode::<Claims>(token, &key.key, &validation);
        let claims = claims.map_err(|error| match error.kind() {
            ErrorKind::ExpiredSignature => "the token has expired",
            ErrorKind::ImmatureSignature => "the token is not valid yet",
            ErrorKind::InvalidAudience => "the token is for another audience",
            ErrorKind::InvalidIssuer => "the token is of another issuer",
            ErrorKind::MissingRequiredClaim(_) | ErrorKind::Json(_) => {
                "the token lacks one of exp, iss, aud and sub, or holds one that cannot be read"
            }
            ErrorKind::InvalidSignature => "the token has a wrong signature",
            _ => "the token cannot be read",
        })?;
        let Claims { sub, exp, .. } = claims.claims;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "what is beyond the range is its bound"
        )]
        let until = (exp as u64).saturating_add(LEEWAY);
        Ok(Subject { name: sub, until })
    }
}

/// Whether a header is critical; `None` where the header cannot be read.
fn has_critical(token: &str) -> Option<bool> {
    let (header, _) = token.split_once('.')?;
    let header = BASE64URL_NOPAD.decode(header.as_bytes()).ok()?;
    let Critical { crit } = serde_json::from_slice(&header).ok()?;
    Some(crit.is_some())
}

fn key(jwk: &Jwk) -> Result<Key, String> {
    if jwk.common.public_key_use.as_ref().is_some_and(|of| *of != PublicKeyUse::Signature) {
        return Err("has another use than `sig`; leave out keys for other uses".to_owned());
    }
    let algorithms = match (&jwk.algorithm, &jwk.common.key_algorithm) {
        (AlgorithmParameters::OctetKey(_), _) => {
            return Err("is a shared secret, with which those who check tokens could sign them; give a public key".to_owned());
        }
        (_, Some(named)) => vec![
            Algorithm::from_str(&named.to_string())
                .map_err(|_| format!("alg {named} does not sign; leave out keys for other uses"))?,
        ],
        (AlgorithmParameters::RSA(_), None) => vec![Algorithm::RS256, Algorithm::PS256],
        (AlgorithmParameters::OctetKeyPair(_), None) => vec![Algorithm::EdDSA],
        (AlgorithmParameters::EllipticCurve(curve), None) => match curve.curve {
            EllipticCurve::P256 => vec![Algorithm::ES256],
            EllipticCurve::P384 => vec![Algorithm::ES384],
            _ => return Err("is on another curve than P-256 and P-384".to_owned()),
        },
    };
    let key = DecodingKey::from_jwk(jwk).map_err(|error| format!("is no key: {error}"))?;
    Ok(Key { key, algorithms })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The key of RFC 7517, appendix A.1, and a token that nobody has signed with it.
    const KEYS: &str = r#"{"keys":[{"kty":"EC","crv":"P-256","kid":"1","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]}"#;
    const TOKEN: &str = "eyJhbGciOiJFUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiJhZGEiLCJpc3MiOiJpIiwiYXVkIjoiYSIsImV4cCI6NDEwMjQ0NDgwMH0.\
         AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

    #[test]
    fn keys_that_sign_nothing_here_are_named() {
        let secret = r#"{"kty":"oct","k":"c2VjcmV0"}"#;
        let for_encryption = r#"{"kty":"RSA","alg":"RSA-OAEP","n":"AQAB","e":"AQAB"}"#;
        let curve = r#"{"kty":"EC","crv":"P-521","x":"AA","y":"AA"}"#;
        let twice = KEYS.replace("]}", &format!(",{}", &KEYS.replace("{\"keys\":[", "")));
        for (keys, words) in [
            ("", "holds no set"),
            ("{\"keys\":[]}", "holds no key"),
            (&format!("{{\"keys\":[{secret}]}}"), "keys.0: is a shared secret"),
            (&format!("{{\"keys\":[{for_encryption}]}}"), "keys.0: alg RSA_OAEP does not sign"),
            (&format!("{{\"keys\":[{curve}]}}"), "keys.0: is on another curve"),
            (&KEYS.replace("\"kid\"", "\"use\":\"enc\",\"kid\""), "keys.0: has another use"),
            (&twice, "keys.1: another key has its kid"),
        ] {
            let problems = Issuer::new("i", "a", keys).unwrap_err().join("; ");
            assert!(problems.contains(words), "{words} in: {problems}");
            assert!(!problems.contains("c2VjcmV0"), "{problems}");
        }
    }

    proptest! {
        #[test]
        fn nothing_that_the_key_did_not_sign_holds(
            text in ".{0,400}",
            algorithm in "(none|HS256|RS256|ES256|ES384|EdDSA|.{0,8})",
            at in 0_usize..180,
            byte in any::<u8>(),
        ) {
            let issuer = Issuer::new("i", "a", KEYS).unwrap();
            prop_assert!(issuer.subject(TOKEN).is_err());
            prop_assert!(issuer.subject(&text).is_err());
            let mut changed = TOKEN.as_bytes().to_vec();
            changed[at] = byte;
            prop_assert!(issuer.subject(&String::from_utf8_lossy(&changed)).is_err());
            prop_assert!(issuer.subject(&TOKEN.replacen("ES256", &algorithm, 1)).is_err());
        }
    }
}
