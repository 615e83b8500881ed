//! Includes the server's identity modules, and checks properties that must hold for any input.

#[path = "../../../src/identity/certificate.rs"]
mod certificate;
#[path = "../../../src/identity/file.rs"]
mod file;
#[path = "../../../src/identity/jwt.rs"]
mod jwt;
#[path = "../../../src/identity/principal.rs"]
mod principal;
#[path = "../../../src/identity/rights.rs"]
mod rights;
#[path = "../../../src/identity/token.rs"]
mod token;

use std::sync::LazyLock;
use std::time::{SystemTime, UNIX_EPOCH};

use certificate::PeerCertificate;
use data_encoding::BASE64URL_NOPAD;
use file::Principals;
use jwt::{Issuer, Subject};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use rustls::pki_types::CertificateDer;
use serde_json::{Value, json};

const ISSUER: &str = "i";
const AUDIENCE: &str = "a";
/// Public keys from RFC 7515, A.2, and RFC 8037, A.2.
const OTHER_KEYS: [&str; 2] = [
    r#"{"kty":"RSA","kid":"rsa","e":"AQAB","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"}"#,
    r#"{"kty":"OKP","crv":"Ed25519","kid":"ed","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
];

struct Signer {
    key: EcdsaKeyPair,
    issuer: Issuer,
}

static SIGNER: LazyLock<Signer> = LazyLock::new(|| {
    let (kind, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
    let pkcs8 = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
    let key = EcdsaKeyPair::from_pkcs8(kind, pkcs8.as_ref(), &random).unwrap();
    let point = key.public_key().as_ref();
    let coordinate = |range| BASE64URL_NOPAD.encode(&point[range]);
    let own_key = json!({ "kty": "EC", "crv": "P-256", "kid": "ec", "x": coordinate(1..33), "y": coordinate(33..65) });
    let keys = format!("{{\"keys\":[{own_key},{}]}}", OTHER_KEYS.join(","));
    let issuer = Issuer::new(ISSUER, AUDIENCE, &keys).unwrap();
    Signer { key, issuer }
});

/// A token without a valid signature is rejected.
pub fn token(text: &str) {
    assert!(SIGNER.issuer.verify(text).is_err());
}

/// Signed claims are accepted only from this issuer, for this audience and within their validity period.
pub fn claims(text: &str) {
    let header = BASE64URL_NOPAD.encode(br#"{"alg":"ES256","kid":"ec"}"#);
    let signed = format!("{header}.{}", BASE64URL_NOPAD.encode(text.as_bytes()));
    let signature = SIGNER.key.sign(&SystemRandom::new(), signed.as_bytes()).unwrap();
    let token = format!("{signed}.{}", BASE64URL_NOPAD.encode(signature.as_ref()));
    let Ok(Subject { name, expires_at }) = SIGNER.issuer.verify(&token) else { return };
    let claims: Value = serde_json::from_str(text).unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    assert_eq!(claims["sub"], name);
    assert_eq!(claims["iss"], ISSUER);
    let is_for_us = claims["aud"] == AUDIENCE
        || claims["aud"].as_array().is_some_and(|audiences| audiences.contains(&AUDIENCE.into()));
    assert!(is_for_us, "{claims}");
    assert!(expires_at + 1 >= now, "{claims}");
    assert!(claims["exp"].as_f64().unwrap() + 31.0 >= now as f64, "{claims}");
    let not_before = claims["nbf"].as_f64().unwrap_or_default();
    assert!(
        claims["nbf"].is_null() || claims["nbf"].is_number() && not_before <= now as f64 + 31.0
    );
}

/// A token with an empty signature is rejected, whatever keys the issuer has.
pub fn keys(text: &str) {
    if let Ok(issuer) = Issuer::new(ISSUER, AUDIENCE, text) {
        let claims =
            json!({ "sub": "s", "iss": ISSUER, "aud": AUDIENCE, "exp": 4_000_000_000_u64 });
        let claims = BASE64URL_NOPAD.encode(claims.to_string().as_bytes());
        for algorithm in ["none", "HS256", "RS256", "PS256", "ES256", "ES384", "EdDSA"] {
            let header = json!({ "alg": algorithm }).to_string();
            let header = BASE64URL_NOPAD.encode(header.as_bytes());
            assert!(issuer.verify(&format!("{header}.{claims}.")).is_err());
        }
    }
}

/// An accepted file can be reloaded, and every principal has a valid name.
pub fn principals(text: &str) {
    let Ok(read) = Principals::read(text, None) else { return };
    Principals::read(text, Some(&read)).unwrap();
    let named = read.by_certificate.values().chain(read.by_token.values());
    for principal in named.chain(read.by_subject.values()).chain(read.by_uid.values()) {
        let name = principal.name();
        assert!(!name.is_empty() && !name.contains(['@', '/', '\0']), "{name:?}");
    }
}

/// No name is empty, and names other than URIs contain only host name characters.
pub fn certificate(der: &[u8]) {
    let read = PeerCertificate::from_chain(&[CertificateDer::from(der)]);
    for name in read.names() {
        let is_host = |byte: u8| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_.*".contains(&byte)
        };
        assert!(name.contains("://") || name.bytes().all(is_host), "{name:?}");
    }
}
