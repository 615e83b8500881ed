//! Serializes enums by name.

macro_rules! by_name {
    ($module:ident, $type:ty, $what:literal) => {
        #[doc = concat!("Serializes a ", $what, " by name.")]
        pub(crate) mod $module {
            use serde::{Deserialize as _, Deserializer, Serializer};

            pub(crate) fn serialize<S: Serializer>(
                value: &$type,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(value.name())
            }

            pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<$type, D::Error> {
                let name = String::deserialize(deserializer)?;
                <$type>::from_name(&name).ok_or_else(|| {
                    serde::de::Error::custom(format!(concat!("unknown ", $what, " `{}`"), name))
                })
            }
        }
    };
}

by_name!(class, gsar_core::Class, "class");
by_name!(evidence_type, gsar_core::EvidenceType, "type");
by_name!(kind, gsar_core::evidence::EvidenceKind, "kind");
by_name!(lane, gsar_core::evidence::Lane, "lane");
