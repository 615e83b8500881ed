//! An issuer of JSON Web Tokens.

use std::time::{SystemTime, UNIX_EPOCH};

use jsonwebtoken::{Algorithm, EncodingKey};
use rcgen::KeyPair;
use serde_json::{Value, json};

pub struct Issuer(KeyPair);

pub const ISSUER: &str = "https://issuer.example";
pub const AUDIENCE: &str = "gsar";

impl Issuer {
    pub fn new() -> Self {
        Self(KeyPair::generate().unwrap())
    }

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

    pub fn sign(&self, claims: &Value) -> String {
        self.sign_as(&json!({ "alg": "ES256", "kid": "one" }), &claims.to_string())
    }

    /// Signs any header and any text, which need not be valid claims.
    pub fn sign_as(&self, header: &Value, claims: &str) -> String {
        let signed = signed_part(header, claims);
        let key = EncodingKey::from_ec_der(self.0.serialized_der());
        let signature = jsonwebtoken::crypto::sign(signed.as_bytes(), &key, Algorithm::ES256);
        format!("{signed}.{}", signature.unwrap())
    }

    /// Returns three tokens signed with HMAC. Their secrets are three encodings of the public key.
    pub fn signed_with_the_public_key(&self, subject: &str) -> [String; 3] {
        let header = json!({ "alg": "HS256", "kid": "one" });
        let signed = signed_part(&header, &claims_for(subject).to_string());
        let point = self.0.public_key_raw().to_vec();
        [point, self.0.public_key_pem().into_bytes(), self.keys().into_bytes()].map(|secret| {
            let key = EncodingKey::from_secret(&secret);
            let signature = jsonwebtoken::crypto::sign(signed.as_bytes(), &key, Algorithm::HS256);
            format!("{signed}.{}", signature.unwrap())
        })
    }

    /// Returns a token for a subject that is valid for an hour, after applying `changes` to its claims.
    pub fn token(&self, subject: &str, changes: Value) -> String {
        let mut claims = claims_for(subject);
        claims.as_object_mut().unwrap().extend(changes.as_object().cloned().unwrap());
        self.sign(&claims)
    }
}

fn claims_for(subject: &str) -> Value {
    json!({ "sub": subject, "iss": ISSUER, "aud": AUDIENCE, "exp": seconds_ago(0) + 3600 })
}

fn signed_part(header: &Value, claims: &str) -> String {
    format!("{}.{}", base64url(header.to_string().as_bytes()), base64url(claims.as_bytes()))
}

/// Returns the Unix time this many seconds before now.
pub fn seconds_ago(seconds: u64) -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() - seconds
}

fn base64url(bytes: &[u8]) -> String {
    data_encoding::BASE64URL_NOPAD.encode(bytes)
}
