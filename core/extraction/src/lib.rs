//! Extracts assertions from reports ([`report`]), facts from evidence ([`facts`]), and words, figures, times and
//! negations from both ([`text`]).
//!
//! All results are pure functions of the text. The crate does no I/O, reads no clock, and does not depend on
//! policies, classes or evidence items.

/// Generates `ALL` and `name` for a fieldless enum, and also `from_name` if requested:
/// `names!(Outcome { Passed => "passed", Failed => "failed" }, from_name);`.
///
/// The variants are listed in the order of `ALL`. A doc comment before the type describes that order.
#[doc(hidden)]
#[macro_export]
macro_rules! names {
    ($(#[$doc:meta])* $type:ident { $($variant:ident => $name:literal),+ $(,)? }) => {
        impl $type {
            /// All values.
            $(#[$doc])*
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// Returns the stable name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }
    };
    ($(#[$doc:meta])* $type:ident { $($names:tt)+ }, from_name) => {
        $crate::names!($(#[$doc])* $type { $($names)+ });

        impl $type {
            /// Returns the value with the given name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.name() == name)
            }
        }
    };
}

pub mod budget;
pub mod facts;
mod heap_size;
pub mod passages;
pub mod report;
pub mod rules;
pub mod text;
