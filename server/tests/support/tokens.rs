//! Tokens: an issuer of JSON Web Tokens, and the file of its public key.

use std::time::{SystemTime, UNIX_EPOCH};

use jsonwebtoken::{Algorithm, EncodingKey, Header};
use rcgen::KeyPair;
use serde_json::{Value, json};

/// Who signs tokens.
pub struct Issuer(KeyPair);

pub const ISSUER: &str = "https://issuer.example";
pub const AUDIENCE: &str = "gsar";

impl Issuer {
    pub fn new() -> Self {
        Self(KeyPair::generate().unwrap())
    }

    /// Its public key as a set of JSON Web Keys.
    pub fn keys(&self) -> String {
        let point = self.0.public_key_raw();
        let (x, y) = point.split_at(point.len() / 2 + 1);
        let x = x.strip_prefix(&[4]).unwrap();
        json!({ "keys": [{
            "kty": "EC", "crv": "P-256", "kid": "one", "use": "sig", "alg": "ES256",
            "x": base64url(x), "y": base64url(y),
        }] })
        .to_string()
    }

    /// A token with these claims, under the key id of [`Issuer::keys`].
    pub fn sign(&self, claims: &Value) -> String {
        let header = Header { kid: Some("one".to_owned()), ..Header::new(Algorithm::ES256) };
        let key = EncodingKey::from_ec_der(self.0.serialized_der());
        jsonwebtoken::encode(&header, claims, &key).unwrap()
    }

    /// One that holds for an hour, with some claims changed.
    pub fn token(&self, subject: &str, changed: Value) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let mut claims =
            json!({ "sub": subject, "iss": ISSUER, "aud": AUDIENCE, "exp": now + 3600 });
        claims.as_object_mut().unwrap().extend(changed.as_object().cloned().unwrap());
        self.sign(&claims)
    }
}

/// Seconds since 1970, some time ago.
pub fn ago(seconds: u64) -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() - seconds
}

fn base64url(bytes: &[u8]) -> String {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let digit = |bits: u32| DIGITS.chars().nth(usize::try_from(bits & 63).unwrap()).unwrap();
    let chunk = |chunk: &[u8]| {
        let bits = chunk.iter().fold(0, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        let shifts = [18, 12, 6, 0].into_iter().take(chunk.len() + 1);
        shifts.map(|shift| digit(bits >> shift)).collect::<String>()
    };
    bytes.chunks(3).map(chunk).collect()
}
