//! Units of quantities.

/// The dimension of a quantity. Quantities with different dimensions are not comparable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// A bare number of restarts, pods or errors. Base unit: one.
    Count,
    /// A share. Base unit: one percent.
    Percent,
    /// A factor: `3x`, "doubled". Base unit: one.
    Multiple,
    /// A length of time. Base unit: one nanosecond.
    Duration,
    /// An amount of data. Base unit: one byte.
    Bytes,
    /// An amount of data. Base unit: one bit.
    Bits,
    /// Events per time. Base unit: one per day.
    Rate,
    /// Data per time. Base unit: one byte per hour.
    ByteRate,
    /// Data per time. Base unit: one bit per second.
    BitRate,
    /// Processors. Base unit: one billionth of a core.
    Cores,
}

/// The prefix system of a unit. Sizes in the two systems differ by 2 to 10 %.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum System {
    /// No prefix system: seconds, counts, plain bytes.
    Neutral,
    /// Powers of 1000: `MB`.
    Decimal,
    /// Powers of 1024: `MiB`, `Mi`.
    Binary,
}

/// A unit of measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unit {
    /// The dimension.
    pub dimension: Dimension,
    /// The size in the dimension's base unit, at least 1.
    pub factor: u64,
    /// The prefix system.
    pub system: System,
}

const SECOND: u64 = 1_000_000_000;

impl Unit {
    /// A bare number.
    pub const COUNT: Self = Self::neutral(Dimension::Count, 1);
    /// A percentage.
    pub const PERCENT: Self = Self::neutral(Dimension::Percent, 1);
    /// A factor.
    pub const MULTIPLE: Self = Self::neutral(Dimension::Multiple, 1);
    /// Thousandths of a core.
    pub const MILLICORES: Self = Self::neutral(Dimension::Cores, 1_000_000);
    /// Whole cores.
    pub const CORES: Self = Self::neutral(Dimension::Cores, 1_000_000_000);

    const fn neutral(dimension: Dimension, factor: u64) -> Self {
        Self { dimension, factor, system: System::Neutral }
    }

    const fn decimal(dimension: Dimension, factor: u64) -> Self {
        Self { dimension, factor, system: System::Decimal }
    }

    const fn binary(dimension: Dimension, factor: u64) -> Self {
        Self { dimension, factor, system: System::Binary }
    }

    /// Returns the unit for a symbol or word: `ms`, `GiB`, `minutes`, `%`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        use Dimension::{BitRate, Bits, Bytes, Duration};
        let unit = match name {
            "%" => Self::PERCENT,
            "ns" => Self::neutral(Duration, 1),
            "us" | "µs" | "μs" => Self::neutral(Duration, 1_000),
            "ms" => Self::neutral(Duration, 1_000_000),
            "s" => Self::neutral(Duration, SECOND),
            "m" => Self::neutral(Duration, 60 * SECOND),
            "h" => Self::neutral(Duration, 3_600 * SECOND),
            "d" => Self::neutral(Duration, 86_400 * SECOND),
            "w" => Self::neutral(Duration, 7 * 86_400 * SECOND),
            "B" => Self::neutral(Bytes, 1),
            "kB" | "KB" | "kb" => Self::decimal(Bytes, 1_000),
            "MB" | "mb" => Self::decimal(Bytes, 1_000_000),
            "GB" | "gb" => Self::decimal(Bytes, 1_000_000_000),
            "TB" | "tb" => Self::decimal(Bytes, 1_000_000_000_000),
            "PB" => Self::decimal(Bytes, 1_000_000_000_000_000),
            "Ki" | "KiB" | "kib" | "kiB" => Self::binary(Bytes, 1 << 10),
            "Mi" | "MiB" | "mib" => Self::binary(Bytes, 1 << 20),
            "Gi" | "GiB" | "gib" => Self::binary(Bytes, 1 << 30),
            "Ti" | "TiB" | "tib" => Self::binary(Bytes, 1 << 40),
            "Pi" | "PiB" => Self::binary(Bytes, 1 << 50),
            "Kbit" | "kbit" => Self::decimal(Bits, 1_000),
            "Mb" | "Mbit" => Self::decimal(Bits, 1_000_000),
            "Gb" | "Gbit" => Self::decimal(Bits, 1_000_000_000),
            "kbps" | "Kbps" => Self::decimal(BitRate, 1_000),
            "Mbps" => Self::decimal(BitRate, 1_000_000),
            "Gbps" => Self::decimal(BitRate, 1_000_000_000),
            "x" | "×" => Self::MULTIPLE,
            _ => return Self::spelled(name),
        };
        Some(unit)
    }

    fn spelled(name: &str) -> Option<Self> {
        use Dimension::{Bits, Bytes, Duration, Rate};
        const MAX_UNIT_BYTES: usize = 12;
        let mut lower = [0_u8; MAX_UNIT_BYTES];
        let lower = lower.get_mut(..name.len())?;
        lower.copy_from_slice(name.as_bytes());
        lower.make_ascii_lowercase();
        Some(match &*lower {
            b"percent" | b"pct" | b"pp" => Self::PERCENT,
            b"nanosecond" | b"nanoseconds" => Self::neutral(Duration, 1),
            b"microsecond" | b"microseconds" | b"micros" => Self::neutral(Duration, 1_000),
            b"millisecond" | b"milliseconds" | b"msec" | b"msecs" | b"millis" => {
                Self::neutral(Duration, 1_000_000)
            }
            b"sec" | b"secs" | b"second" | b"seconds" => Self::neutral(Duration, SECOND),
            b"min" | b"mins" | b"minute" | b"minutes" => Self::neutral(Duration, 60 * SECOND),
            b"hr" | b"hrs" | b"hour" | b"hours" => Self::neutral(Duration, 3_600 * SECOND),
            b"day" | b"days" => Self::neutral(Duration, 86_400 * SECOND),
            b"week" | b"weeks" => Self::neutral(Duration, 7 * 86_400 * SECOND),
            b"byte" | b"bytes" => Self::neutral(Bytes, 1),
            b"kilobyte" | b"kilobytes" => Self::decimal(Bytes, 1_000),
            b"megabyte" | b"megabytes" => Self::decimal(Bytes, 1_000_000),
            b"gigabyte" | b"gigabytes" => Self::decimal(Bytes, 1_000_000_000),
            b"terabyte" | b"terabytes" => Self::decimal(Bytes, 1_000_000_000_000),
            b"kibibyte" | b"kibibytes" => Self::binary(Bytes, 1 << 10),
            b"mebibyte" | b"mebibytes" => Self::binary(Bytes, 1 << 20),
            b"gibibyte" | b"gibibytes" => Self::binary(Bytes, 1 << 30),
            b"bit" | b"bits" => Self::neutral(Bits, 1),
            b"core" | b"cores" | b"vcpu" | b"vcpus" | b"cpus" => Self::CORES,
            b"millicore" | b"millicores" | b"mcores" => Self::MILLICORES,
            b"rps" | b"qps" | b"iops" | b"tps" => Self::neutral(Rate, 86_400),
            _ => return None,
        })
    }

    /// Returns this unit divided by a unit of time: bytes per second, counts per minute.
    #[must_use]
    pub fn per(self, time: Self) -> Option<Self> {
        if time.dimension != Dimension::Duration {
            return None;
        }
        let seconds = time.factor / SECOND;
        let per_second = |count: u64| {
            count.checked_div(seconds).filter(|_| count.checked_rem(seconds) == Some(0))
        };
        let (dimension, factor) = match self.dimension {
            Dimension::Count => (Dimension::Rate, per_second(86_400)?),
            Dimension::Bytes => (Dimension::ByteRate, per_second(3_600)?),
            Dimension::Bits => (Dimension::BitRate, per_second(1)?),
            _ => return None,
        };
        Some(Self { dimension, factor: self.factor.checked_mul(factor)?, system: self.system })
    }

    /// Returns the unit at the end of a field name: `p99_ms`, `durationMs`, `memory_bytes`, `cpu_percent`.
    #[must_use]
    pub fn from_field_name(name: &str) -> Option<Self> {
        const MARKS: [&str; 25] = [
            "ns", "nanos", "nanoseconds", "micros", "microseconds", "ms", "millis", "milliseconds",
            "seconds", "secs", "sec", "minutes", "hours", "bytes", "kb", "mb", "gb", "kib", "mib",
            "gib", "percent", "pct", "percentage", "millicores", "cores",
        ];
        if name.contains("per_") || name.contains("Per") {
            return None;
        }
        let ending_start =
            name.char_indices().rev().find(|(_, c)| !c.is_ascii_lowercase()).map(|(start, c)| {
                if c.is_ascii_uppercase() { start } else { start + c.len_utf8() }
            });
        let ending = super::super::part(name, ending_start.unwrap_or(0)..name.len());
        let follows_underscore = ending_start
            .is_some_and(|start| name.as_bytes().get(start.wrapping_sub(1)) == Some(&b'_'));
        if follows_underscore && matches!(ending, "s" | "us") {
            return Self::from_name(ending);
        }
        let mark = *MARKS.iter().find(|mark| ending.eq_ignore_ascii_case(mark))?;
        Self::from_name(match mark {
            "nanos" => "ns",
            "percentage" => "%",
            mark => mark,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_and_binary_bytes_are_distinct() {
        assert_ne!(Unit::from_name("MB"), Unit::from_name("MiB"));
        assert_eq!(Unit::from_name("Gi"), Unit::from_name("GiB"));
        assert_eq!(Unit::from_name("Mb").unwrap().dimension, Dimension::Bits);
    }

    #[test]
    fn builds_rates_from_a_unit_and_a_time() {
        let second = Unit::from_name("s").unwrap();
        let minute = Unit::from_name("minute").unwrap();
        assert_eq!(Unit::COUNT.per(second), Unit::from_name("rps"));
        assert_eq!(
            Unit::COUNT.per(minute).unwrap().factor * 60,
            Unit::COUNT.per(second).unwrap().factor
        );
        assert_eq!(
            Unit::from_name("MB").unwrap().per(second).unwrap().dimension,
            Dimension::ByteRate
        );
        assert_eq!(second.per(second), None);
        assert_eq!(Unit::COUNT.per(Unit::from_name("ns").unwrap()), None);
    }

    #[test]
    fn parses_units_in_field_names() {
        assert_eq!(Unit::from_field_name("p99_ms"), Unit::from_name("ms"));
        assert_eq!(Unit::from_field_name("durationMs"), Unit::from_name("ms"));
        assert_eq!(Unit::from_field_name("memory_bytes"), Unit::from_name("B"));
        assert_eq!(Unit::from_field_name("span_duration_ns"), Unit::from_name("ns"));
        assert_eq!(Unit::from_field_name("max_late_s"), Unit::from_name("s"));
        assert_eq!(Unit::from_field_name("wait_us"), Unit::from_name("us"));
        assert_eq!(Unit::from_field_name("vCPUs"), None);
        assert_eq!(Unit::from_field_name("s"), None);
        assert_eq!(Unit::from_field_name("items"), None);
        assert_eq!(Unit::from_field_name("calls_per_sec"), None);
        assert_eq!(Unit::from_field_name("é"), None);
    }
}
