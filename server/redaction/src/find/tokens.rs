//! Finds credentials by their format: tokens of providers, JSON web tokens, and tokens after `Bearer`.

use aho_corasick::AhoCorasick;

use super::boundary::{before, begins_word, behind};
use super::{Span, built_in_words};
use crate::kind::Kind;
use crate::pattern::PatternError;

/// The characters of a credential after its opening.
#[derive(Clone, Copy)]
enum Alphabet {
    /// Capital letters and digits.
    Capitals,
    /// Digits and the letters a to f.
    Hexadecimal,
    /// Letters and digits.
    Alphanumeric,
    /// Letters, digits, `_`, `-`.
    Words,
    /// Letters, digits, `_`, `-`, `.`.
    Dotted,
    /// Letters, digits, `_`, `-`, `+`, `/`, `=`.
    Base64,
    /// The characters after `Bearer`: base64, `.` and `~`.
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
struct Shape {
    /// Its possible openings.
    openings: &'static [&'static str],
    /// The characters after the opening.
    alphabet: Alphabet,
    /// The minimum number of bytes after the opening.
    shortest: usize,
    /// The maximum number of bytes after the opening; no letter may follow a credential of fixed length.
    longest: usize,
}

const fn shape(
    openings: &'static [&'static str],
    alphabet: Alphabet,
    shortest: usize,
    longest: usize,
) -> Shape {
    Shape { openings, alphabet, shortest, longest }
}

const JSON_WEB_TOKEN: &str = "eyJ";
const ENCODED_PEM: &str = "LS0tLS1CRUdJTi";
/// The continuation of an encoded certificate, which is public.
const CERTIFICATE: &str = "BDRVJU";

/// AWS, GitHub, GitLab, Slack, Discord, Stripe, Google, model providers, package registries, clouds and tools; finally
/// JSON web tokens and base64-encoded PEM files.
const SHAPES: [Shape; 28] = [
    shape(&["AKIA", "ASIA", "ABIA", "ACCA"], Alphabet::Capitals, 16, 16),
    shape(&["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], Alphabet::Dotted, 36, 2_048),
    shape(&["github_pat_"], Alphabet::Words, 22, 255),
    shape(&["glpat-", "gldt-", "glrt-", "glft-", "glptt-"], Alphabet::Dotted, 20, 255),
    shape(&["glagent-", "glsoat-", "glcbt-", "gloas-", "glimt-"], Alphabet::Dotted, 20, 255),
    shape(
        &["xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"],
        Alphabet::Words,
        10,
        255,
    ),
    shape(&["xoxe.xoxb-", "xoxe.xoxp-", "xapp-"], Alphabet::Words, 10, 255),
    shape(&["hooks.slack.com/services/"], Alphabet::Base64, 20, 255),
    shape(&["hooks.slack.com/workflows/"], Alphabet::Base64, 20, 255),
    shape(&["discord.com/api/webhooks/"], Alphabet::Base64, 30, 255),
    shape(&["sk_live_", "sk_test_", "rk_live_", "rk_test_"], Alphabet::Alphanumeric, 10, 255),
    shape(&["whsec_", "glc_"], Alphabet::Base64, 20, 512),
    shape(&["AIza"], Alphabet::Words, 35, 35),
    shape(&["ya29."], Alphabet::Dotted, 20, 2_048),
    shape(&["GOCSPX-", "dckr_pat_", "dckr_oat_"], Alphabet::Words, 20, 64),
    shape(&["sk-ant-", "sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-"], Alphabet::Words, 16, 512),
    shape(&["sk-", "lin_api_"], Alphabet::Alphanumeric, 32, 128),
    shape(&["hf_"], Alphabet::Alphanumeric, 30, 64),
    shape(&["npm_"], Alphabet::Alphanumeric, 36, 36),
    shape(&["pypi-AgE"], Alphabet::Words, 42, 1_024),
    shape(&["dop_v1_", "doo_v1_", "dor_v1_"], Alphabet::Hexadecimal, 64, 64),
    shape(&["SG."], Alphabet::Dotted, 60, 80),
    shape(&["SK", "dapi", "shpat_", "shpss_", "shpca_"], Alphabet::Hexadecimal, 32, 32),
    shape(&["hvs.", "hvb.", "hvr.", "glsa_"], Alphabet::Words, 24, 512),
    shape(&["NRAK-"], Alphabet::Capitals, 27, 27),
    shape(&["ATATT3"], Alphabet::Base64, 40, 512),
    shape(&[JSON_WEB_TOKEN], Alphabet::Dotted, 30, 16_384),
    shape(&[ENCODED_PEM], Alphabet::Base64, 20, 65_536),
];

/// The token after `Bearer`.
const BEARER: Shape = shape(&["bearer ", "bearer%20"], Alphabet::Bearer, 12, 4_096);

/// Finds credentials by their format.
pub(crate) struct Tokens {
    openings: AhoCorasick,
    /// The format of each opening.
    shapes: Vec<&'static Shape>,
    bearer: AhoCorasick,
}

impl Tokens {
    pub(crate) fn new() -> Result<Self, PatternError> {
        let by_opening: Vec<(&str, &Shape)> = SHAPES
            .iter()
            .flat_map(|shape| shape.openings.iter().map(move |opening| (*opening, shape)))
            .collect();
        let openings: Vec<&str> = by_opening.iter().map(|(opening, _)| *opening).collect();
        Ok(Self {
            openings: built_in_words(&openings, false)?,
            shapes: by_opening.into_iter().map(|(_, shape)| shape).collect(),
            bearer: built_in_words(BEARER.openings, true)?,
        })
    }

    pub(crate) fn find(&self, text: &str, spans: &mut Vec<Span>) {
        let mut done = 0;
        for opening in self.openings.find_iter(text) {
            let Some(shape) = self.shapes.get(opening.pattern().as_usize()) else { continue };
            if opening.start() < done || !begins_word(text, opening.start()) {
                continue;
            }
            let rest = behind(text, opening.end());
            if let Some(length) = length_of(rest, shape)
                && is_credential(
                    text.get(opening.range()).unwrap_or_default(),
                    before(rest, length),
                )
            {
                done = opening.end() + length;
                spans.push(Span { range: opening.start()..done, kind: Kind::Secret });
            }
        }
        for bearer in self.bearer.find_iter(text) {
            let rest = behind(text, bearer.end());
            let value = rest.trim_start_matches(' ');
            let start = bearer.end() + rest.len() - value.len();
            if let Some(length) = length_of(value, &BEARER)
                && before(value, length).bytes().any(|byte| byte.is_ascii_digit())
            {
                spans.push(Span { range: start..start + length, kind: Kind::Secret });
            }
        }
    }
}

/// Returns the length of the credential at the start of a text, if it has the minimum length.
fn length_of(text: &str, shape: &Shape) -> Option<usize> {
    let letters = text.bytes().take(shape.longest + 1);
    let length = letters.take_while(|byte| shape.alphabet.has(*byte)).count();
    let is_cut = length > shape.longest && shape.longest == shape.shortest;
    let length = length.min(shape.longest);
    (length >= shape.shortest && !is_cut).then_some(length)
}

/// Returns `true` if the text after an opening is a credential, beyond its characters.
fn is_credential(opening: &str, rest: &str) -> bool {
    match opening {
        JSON_WEB_TOKEN => rest.contains(".eyJ") || rest.matches('.').count() == 4,
        ENCODED_PEM => !rest.starts_with(CERTIFICATE),
        _ => true,
    }
}
