//! Finds credentials by format: provider tokens, JSON web tokens, and tokens after `Bearer`.

use aho_corasick::AhoCorasick;

use super::boundary::{after, before, begins_word};
use super::{Span, compile_words};
use crate::kind::Kind;
use crate::pattern::PatternError;

#[derive(Clone, Copy)]
enum Alphabet {
    Capitals,
    Hexadecimal,
    Alphanumeric,
    Words,
    Dotted,
    Base64,
    Bearer,
}

impl Alphabet {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Capitals => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Hexadecimal => byte.is_ascii_hexdigit(),
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Words => byte.is_ascii_alphanumeric() || b"_-".contains(&byte),
            Self::Dotted => byte.is_ascii_alphanumeric() || b"_-.".contains(&byte),
            Self::Base64 => byte.is_ascii_alphanumeric() || b"_-+/=".contains(&byte),
            Self::Bearer => byte.is_ascii_alphanumeric() || b"_-+/=.~".contains(&byte),
        }
    }
}

/// A format that only credentials have.
struct Format {
    prefixes: &'static [&'static str],
    alphabet: Alphabet,
    /// The minimum number of bytes after the prefix.
    min: usize,
    /// The maximum number of bytes after the prefix. If equal to `min`, the credential must end there.
    max: usize,
}

const fn format(
    prefixes: &'static [&'static str],
    alphabet: Alphabet,
    min: usize,
    max: usize,
) -> Format {
    Format { prefixes, alphabet, min, max }
}

const JSON_WEB_TOKEN: &str = "eyJ";
const ENCODED_PEM: &str = "LS0tLS1CRUdJTi";
/// The text after [`ENCODED_PEM`] in a certificate, which is public.
const CERTIFICATE: &str = "BDRVJU";

/// Formats from cloud, code hosting, chat, payment and model providers; JSON web tokens;
/// base64-encoded PEM files.
const FORMATS: [Format; 28] = [
    format(&["AKIA", "ASIA", "ABIA", "ACCA"], Alphabet::Capitals, 16, 16),
    format(&["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], Alphabet::Dotted, 36, 2_048),
    format(&["github_pat_"], Alphabet::Words, 22, 255),
    format(&["glpat-", "gldt-", "glrt-", "glft-", "glptt-"], Alphabet::Dotted, 20, 255),
    format(&["glagent-", "glsoat-", "glcbt-", "gloas-", "glimt-"], Alphabet::Dotted, 20, 255),
    format(
        &["xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"],
        Alphabet::Words,
        10,
        255,
    ),
    format(&["xoxe.xoxb-", "xoxe.xoxp-", "xapp-"], Alphabet::Words, 10, 255),
    format(&["hooks.slack.com/services/"], Alphabet::Base64, 20, 255),
    format(&["hooks.slack.com/workflows/"], Alphabet::Base64, 20, 255),
    format(&["discord.com/api/webhooks/"], Alphabet::Base64, 30, 255),
    format(&["sk_live_", "sk_test_", "rk_live_", "rk_test_"], Alphabet::Alphanumeric, 10, 255),
    format(&["whsec_", "glc_"], Alphabet::Base64, 20, 512),
    format(&["AIza"], Alphabet::Words, 35, 35),
    format(&["ya29."], Alphabet::Dotted, 20, 2_048),
    format(&["GOCSPX-", "dckr_pat_", "dckr_oat_"], Alphabet::Words, 20, 64),
    format(
        &["sk-ant-", "sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-"],
        Alphabet::Words,
        16,
        512,
    ),
    format(&["sk-", "lin_api_"], Alphabet::Alphanumeric, 32, 128),
    format(&["hf_"], Alphabet::Alphanumeric, 30, 64),
    format(&["npm_"], Alphabet::Alphanumeric, 36, 36),
    format(&["pypi-AgE"], Alphabet::Words, 42, 1_024),
    format(&["dop_v1_", "doo_v1_", "dor_v1_"], Alphabet::Hexadecimal, 64, 64),
    format(&["SG."], Alphabet::Dotted, 60, 80),
    format(&["SK", "dapi", "shpat_", "shpss_", "shpca_"], Alphabet::Hexadecimal, 32, 32),
    format(&["hvs.", "hvb.", "hvr.", "glsa_"], Alphabet::Words, 24, 512),
    format(&["NRAK-"], Alphabet::Capitals, 27, 27),
    format(&["ATATT3"], Alphabet::Base64, 40, 512),
    format(&[JSON_WEB_TOKEN], Alphabet::Dotted, 30, 16_384),
    format(&[ENCODED_PEM], Alphabet::Base64, 20, 65_536),
];

const BEARER: Format = format(&["bearer ", "bearer%20"], Alphabet::Bearer, 12, 4_096);

pub(crate) struct Tokens {
    prefixes: AhoCorasick,
    /// The format for each pattern index in `prefixes`.
    formats: Vec<&'static Format>,
    bearer: AhoCorasick,
}

impl Tokens {
    pub(crate) fn new() -> Result<Self, PatternError> {
        let by_prefix: Vec<(&str, &Format)> = FORMATS
            .iter()
            .flat_map(|format| format.prefixes.iter().map(move |prefix| (*prefix, format)))
            .collect();
        let prefixes: Vec<&str> = by_prefix.iter().map(|(prefix, _)| *prefix).collect();
        Ok(Self {
            prefixes: compile_words(&prefixes, false)?,
            formats: by_prefix.into_iter().map(|(_, format)| format).collect(),
            bearer: compile_words(BEARER.prefixes, true)?,
        })
    }

    pub(crate) fn find(&self, text: &str, spans: &mut Vec<Span>) {
        let mut searched_to = 0;
        for prefix in self.prefixes.find_iter(text) {
            let Some(format) = self.formats.get(prefix.pattern().as_usize()) else { continue };
            if prefix.start() < searched_to || !begins_word(text, prefix.start()) {
                continue;
            }
            let rest = after(text, prefix.end());
            if let Some(length) = credential_length(rest, format)
                && is_credential(text.get(prefix.range()).unwrap_or_default(), before(rest, length))
            {
                searched_to = prefix.end() + length;
                spans.push(Span { range: prefix.start()..searched_to, kind: Kind::Secret });
            }
        }
        for bearer in self.bearer.find_iter(text) {
            let rest = after(text, bearer.end());
            let value = rest.trim_start_matches(' ');
            let start = bearer.end() + rest.len() - value.len();
            if let Some(length) = credential_length(value, &BEARER)
                && before(value, length).bytes().any(|byte| byte.is_ascii_digit())
            {
                spans.push(Span { range: start..start + length, kind: Kind::Secret });
            }
        }
    }
}

/// Returns the length of the credential at the start of a text, if it is long enough.
fn credential_length(text: &str, format: &Format) -> Option<usize> {
    let bytes = text.bytes().take(format.max + 1);
    let length = bytes.take_while(|byte| format.alphabet.has(*byte)).count();
    let is_too_long = length > format.max && format.max == format.min;
    let length = length.min(format.max);
    (length >= format.min && !is_too_long).then_some(length)
}

/// Applies the checks beyond the alphabet: JSON web tokens need more parts, and certificates are public.
fn is_credential(prefix: &str, rest: &str) -> bool {
    match prefix {
        JSON_WEB_TOKEN => rest.contains(".eyJ") || rest.matches('.').count() == 4,
        ENCODED_PEM => !rest.starts_with(CERTIFICATE),
        _ => true,
    }
}
