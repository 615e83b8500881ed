//! Verifies JSON Web Tokens (RFC 7519) with keys from a file (RFC 7517). Tokens must have an asymmetric
//! signature, an issuer, an audience, a subject and an expiry.

use std::collections::HashMap;
use std::str::FromStr as _;

use data_encoding::BASE64URL_NOPAD;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, JwkSet, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// The tolerated clock skew, in seconds.
const LEEWAY: u64 = 30;

/// The expected issuer and audience of tokens, and the issuer's keys.
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

#[derive(Debug)]
pub(super) struct Subject {
    pub(super) name: String,
    /// The expiry in seconds since 1970, including the tolerated clock skew.
    pub(super) expires_at: u64,
}

/// The required claims. `_iss` and `_nbf` are checked by the library.
#[derive(Deserialize)]
struct Claims {
    sub: String,
    exp: f64,
    #[serde(rename = "iss")]
    _iss: String,
    #[serde(rename = "nbf", default)]
    _nbf: Option<f64>,
}

/// The critical header extensions. Tokens with any of them must be rejected (RFC 7515, 4.1.11), because
/// none is supported.
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
    /// Parses the keys and returns all errors in them.
    pub(super) fn new(issuer: &str, audience: &str, jwks: &str) -> Result<Self, Vec<String>> {
        let set: JwkSet = serde_json::from_str(jwks)
            .map_err(|error| vec![format!("invalid JSON Web Key Set: {error}")])?;
        let (mut keys, mut by_id, mut problems) = (Vec::new(), HashMap::new(), Vec::new());
        for (number, jwk) in set.keys.iter().enumerate() {
            match verification_key(jwk) {
                Ok(key) => {
                    if let Some(id) = &jwk.common.key_id
                        && by_id.insert(id.clone(), keys.len()).is_some()
                    {
                        problems.push(format!("keys.{number}: duplicate kid"));
                    }
                    keys.push(key);
                }
                Err(reason) => problems.push(format!("keys.{number}: {reason}")),
            }
        }
        if set.keys.is_empty() {
            problems.push("contains no key".to_owned());
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(Self { keys, by_id, issuer: issuer.to_owned(), audience: audience.to_owned() })
    }

    /// Verifies a token. Errors contain no part of the token.
    pub(super) fn verify(&self, token: &str) -> Result<Subject, &'static str> {
        const NOT_A_TOKEN: &str = "the token is neither known nor a JSON Web Token";
        let header = decode_header(token).map_err(|_| NOT_A_TOKEN)?;
        if has_critical_extensions(token).ok_or(NOT_A_TOKEN)? {
            return Err("the token has a `crit` header, but no extension is supported");
        }
        let key = match (&header.kid, self.keys.as_slice()) {
            (Some(id), _) => self.by_id.get(id).and_then(|index| self.keys.get(*index)),
            (None, [single_key]) => Some(single_key),
            (None, _) => None,
        };
        let key = key.ok_or("the token is signed by an unknown key")?;
        if !key.algorithms.contains(&header.alg) {
            return Err("the token is signed with an algorithm that its key does not allow");
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
            ErrorKind::InvalidIssuer => "the token is from another issuer",
            ErrorKind::MissingRequiredClaim(_) | ErrorKind::Json(_) => {
                "exp, iss, aud or sub is missing from the token or invalid"
            }
            ErrorKind::InvalidSignature => "the token has an invalid signature",
            _ => "the token cannot be read",
        })?;
        let Claims { sub, exp, .. } = claims.claims;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "out-of-range values saturate"
        )]
        let expires_at = (exp as u64).saturating_add(LEEWAY);
        Ok(Subject { name: sub, expires_at })
    }
}

/// Returns `true` if the header has critical extensions, or `None` if it is invalid.
fn has_critical_extensions(token: &str) -> Option<bool> {
    let (header, _) = token.split_once('.')?;
    let header = BASE64URL_NOPAD.decode(header.as_bytes()).ok()?;
    let Critical { crit } = serde_json::from_slice(&header).ok()?;
    Some(crit.is_some())
}

fn verification_key(jwk: &Jwk) -> Result<Key, String> {
    if jwk.common.public_key_use.as_ref().is_some_and(|key_use| *key_use != PublicKeyUse::Signature)
    {
        return Err("has a use other than `sig`; leave out keys for other uses".to_owned());
    }
    let algorithms = match (&jwk.algorithm, &jwk.common.key_algorithm) {
        (AlgorithmParameters::OctetKey(_), _) => {
            return Err(
                "is a shared secret, with which every verifier could sign tokens; use a public key"
                    .to_owned(),
            );
        }
        (_, Some(algorithm)) => {
            vec![Algorithm::from_str(&algorithm.to_string()).map_err(|_| {
                format!(
                    "alg {algorithm} is not a signature algorithm; leave out keys for other uses"
                )
            })?]
        }
        (AlgorithmParameters::RSA(_), None) => vec![Algorithm::RS256, Algorithm::PS256],
        (AlgorithmParameters::OctetKeyPair(_), None) => vec![Algorithm::EdDSA],
        (AlgorithmParameters::EllipticCurve(curve), None) => match curve.curve {
            EllipticCurve::P256 => vec![Algorithm::ES256],
            EllipticCurve::P384 => vec![Algorithm::ES384],
            _ => return Err("unsupported curve; use P-256 or P-384".to_owned()),
        },
    };
    let key = DecodingKey::from_jwk(jwk).map_err(|error| format!("invalid key: {error}"))?;
    Ok(Key { key, algorithms })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The key from RFC 7517, appendix A.1, and a token that it did not sign.
    const KEYS: &str = r#"{"keys":[{"kty":"EC","crv":"P-256","kid":"1","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]}"#;
    const TOKEN: &str = "eyJhbGciOiJFUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiJhZGEiLCJpc3MiOiJpIiwiYXVkIjoiYSIsImV4cCI6NDEwMjQ0NDgwMH0.\
         AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

    #[test]
    fn rejects_keys_that_cannot_verify_tokens() {
        let secret = r#"{"kty":"oct","k":"c2VjcmV0"}"#;
        let encryption_key = r#"{"kty":"RSA","alg":"RSA-OAEP","n":"AQAB","e":"AQAB"}"#;
        let curve = r#"{"kty":"EC","crv":"P-521","x":"AA","y":"AA"}"#;
        let duplicate_key = KEYS.replace("]}", &format!(",{}", &KEYS.replace("{\"keys\":[", "")));
        for (keys, expected) in [
            ("", "invalid JSON Web Key Set"),
            ("{\"keys\":[]}", "contains no key"),
            (&format!("{{\"keys\":[{secret}]}}"), "keys.0: is a shared secret"),
            (
                &format!("{{\"keys\":[{encryption_key}]}}"),
                "keys.0: alg RSA_OAEP is not a signature algorithm",
            ),
            (&format!("{{\"keys\":[{curve}]}}"), "keys.0: unsupported curve"),
            (&KEYS.replace("\"kid\"", "\"use\":\"enc\",\"kid\""), "keys.0: has a use other than"),
            (&duplicate_key, "keys.1: duplicate kid"),
        ] {
            let problems = Issuer::new("i", "a", keys).unwrap_err().join("; ");
            assert!(problems.contains(expected), "expected {expected:?} in: {problems}");
            assert!(!problems.contains("c2VjcmV0"), "{problems}");
        }
    }

    proptest! {
        #[test]
        fn rejects_invalid_signatures(
            text in ".{0,400}",
            algorithm in "(none|HS256|RS256|ES256|ES384|EdDSA|.{0,8})",
            index in 0_usize..180,
            byte in any::<u8>(),
        ) {
            let issuer = Issuer::new("i", "a", KEYS).unwrap();
            prop_assert!(issuer.verify(TOKEN).is_err());
            prop_assert!(issuer.verify(&text).is_err());
            let mut changed = TOKEN.as_bytes().to_vec();
            changed[index] = byte;
            prop_assert!(issuer.verify(&String::from_utf8_lossy(&changed)).is_err());
            prop_assert!(issuer.verify(&TOKEN.replacen("ES256", &algorithm, 1)).is_err());
        }
    }
}
