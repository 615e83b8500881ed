//! The words with which reports speak of series, and the words that say nothing about one.
//!
//! Tables only. What stands in none of them has to be a word of the metric or of its labels.

/// What a phrase says of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cue {
    /// It went up.
    Rise,
    /// It went down.
    Fall,
    /// It did not change.
    Flat,
    /// What follows held for all of the window.
    Keep,
    /// It came to a value.
    Reach,
    /// Its greatest value.
    Peak,
    /// Its least value.
    Trough,
    /// It went beyond a value.
    Pass,
    /// It went below a value.
    Under,
    /// More than what follows.
    Above,
    /// Less than what follows.
    Below,
    /// From one figure to another.
    Between,
    /// What follows never happened.
    Never,
    /// In every sample.
    Every,
    /// Without a step back.
    Steady,
    /// The mean.
    Average,
    /// At the end of the window.
    AtEnd,
    /// At its beginning.
    AtStart,
    /// Close to nothing.
    NearZero,
    /// Came back to where it was.
    Return,
    /// Is, was, stands at.
    Be,
    /// So much of it was lost.
    Gone,
    /// Less change than before.
    Slower,
    /// A denial that nothing above takes up.
    Not,
    /// From, since, after: a time or value that begins.
    From,
    /// To.
    To,
    /// By.
    By,
    /// At.
    At,
    /// Within, in.
    Within,
    /// Until.
    Until,
    /// First.
    First,
    /// Last.
    Last,
    /// On, onwards: "from 22:07 on".
    On,
    /// Than, after another series.
    Than,
    /// Times as much, ending in -fold.
    Fold,
    /// Joins two subjects or figures.
    And,
    /// One sample after another.
    Consecutive,
    /// A sample.
    Sample,
    /// From the time named before.
    Thereafter,
    /// A time that only what was said before tells.
    Vague,
    /// Came to rest.
    Settle,
    /// At the top of its scale.
    Saturated,
    /// What it was at first.
    Baseline,
    /// A part of what follows: "a twentieth of its peak".
    Fraction,
    /// At the same time as another.
    SameTime,
    /// "when": what follows names a moment.
    Moment,
    /// Together with another.
    Alongside,
    /// "all the while": in the window named before.
    Meanwhile,
    /// "the others": those not named.
    Others,
    /// "stayed there": at the value named before.
    Stay,
    /// Says nothing about a series.
    Filler,
}

use Cue::{
    AtEnd, AtStart, Average, Be, Below, Every, Fall, Filler, Flat, Gone, NearZero, Never, Not,
    Pass, Peak, Reach, Return, Rise, Saturated, Slower, Steady, Thereafter, Trough, Under,
};

/// Phrases of several words, tried before single words.
pub(super) const PHRASES: [(&str, Cue); 206] = [
    ("stayed there", Cue::Stay),
    ("stays there", Cue::Stay),
    ("staying there", Cue::Stay),
    ("remained there", Cue::Stay),
    ("remaining there", Cue::Stay),
    ("held there", Cue::Stay),
    ("stuck there", Cue::Stay),
    ("stayed at that level", Cue::Stay),
    ("remained at that level", Cue::Stay),
    ("kept there", Cue::Stay),
    ("during peak", Cue::Vague),
    ("under peak", Cue::Vague),
    ("on every", Cue::Vague),
    ("on each", Cue::Vague),
    ("across every", Cue::Vague),
    ("across all", Cue::Vague),
    ("the whole time", Cue::Meanwhile),
    ("all the while", Cue::Meanwhile),
    ("during that time", Cue::Meanwhile),
    ("during this time", Cue::Meanwhile),
    ("in that time", Cue::Meanwhile),
    ("over that time", Cue::Meanwhile),
    ("in all of these minutes", Cue::Meanwhile),
    ("in these minutes", Cue::Meanwhile),
    ("over the same period", Cue::Meanwhile),
    ("in the same period", Cue::Meanwhile),
    ("during the same period", Cue::Meanwhile),
    ("throughout that period", Cue::Meanwhile),
    ("throughout this period", Cue::Meanwhile),
    ("over the same window", Cue::Meanwhile),
    ("in the same window", Cue::Meanwhile),
    ("the others", Cue::Others),
    ("the other", Cue::Others),
    ("all others", Cue::Others),
    ("all other", Cue::Others),
    ("without a break", Steady),
    ("without a dip", Steady),
    ("without a pause", Steady),
    ("without pause", Steady),
    ("without a step back", Steady),
    ("without much variation", Flat),
    ("without variation", Flat),
    ("with little variation", Flat),
    ("with every sample", Every),
    ("from sample to sample", Every),
    ("minute by minute", Every),
    ("at that moment", Cue::Vague),
    ("at that point", Cue::Vague),
    ("at that time", Cue::Vague),
    ("at the time", Cue::Vague),
    ("at this point", Cue::Vague),
    ("by then", Cue::Vague),
    ("until then", Cue::Vague),
    ("until the end", Filler),
    ("till the end", Filler),
    ("to the end", Filler),
    ("to the very end", Filler),
    ("catching up", Fall),
    ("caught up", Fall),
    ("falling behind", Rise),
    ("fell behind", Rise),
    ("fallen behind", Rise),
    ("from then on", Thereafter),
    ("after that", Thereafter),
    ("since then", Thereafter),
    ("from there on", Thereafter),
    ("made up", Be),
    ("makes up", Be),
    ("make up", Be),
    ("account for", Be),
    ("accounts for", Be),
    ("accounted for", Be),
    ("came in at", Be),
    ("are left", AtEnd),
    ("is left", AtEnd),
    ("were left", AtEnd),
    ("to near zero", NearZero),
    ("to almost zero", NearZero),
    ("to almost nothing", NearZero),
    ("to practically zero", NearZero),
    ("at the same minute as", Cue::SameTime),
    ("in the same minute as", Cue::SameTime),
    ("at the same time as", Cue::SameTime),
    ("together with", Cue::Alongside),
    ("along with", Cue::Alongside),
    ("at capacity", Saturated),
    ("trend upward", Rise),
    ("trend downward", Fall),
    ("an upward trend", Rise),
    ("a downward trend", Fall),
    ("the end of", Filler),
    ("all along", Every),
    ("all but flat", Flat),
    ("all the time", Every),
    ("as a whole", Filler),
    ("at all", Filler),
    ("at all times", Every),
    ("at any point", Filler),
    ("at any time", Filler),
    ("at every sample", Every),
    ("at first", AtStart),
    ("at its height", Peak),
    ("at its highest", Peak),
    ("at its lowest", Trough),
    ("at its maximum", Peak),
    ("at its minimum", Trough),
    ("at its peak", Peak),
    ("at its worst", Peak),
    ("at most", Below),
    ("at no point", Never),
    ("at no time", Never),
    ("at peak", Peak),
    ("at the beginning", AtStart),
    ("at the close", AtEnd),
    ("at the end", AtEnd),
    ("at the height", Peak),
    ("at the last sample", AtEnd),
    ("at the outset", AtStart),
    ("at the start", AtStart),
    ("at the worst", Peak),
    ("back at", Return),
    ("back to", Return),
    ("built up", Rise),
    ("by the end", AtEnd),
    ("by the last sample", AtEnd),
    ("came back to", Return),
    ("came down", Fall),
    ("came to", Reach),
    ("close to zero", NearZero),
    ("come down", Fall),
    ("coming down", Fall),
    ("crept up", Rise),
    ("did not change", Flat),
    ("did not move", Flat),
    ("did not vary", Flat),
    ("drifted down", Fall),
    ("drifted up", Rise),
    ("drifts down", Fall),
    ("drifts up", Rise),
    ("drifting up", Rise),
    ("eased off", Fall),
    ("ever more slowly", Slower),
    ("fell off", Fall),
    ("for the full", Every),
    ("for the whole", Every),
    ("give or take", Filler),
    ("go past", Pass),
    ("gone past", Pass),
    ("half of capacity", Filler),
    ("in all samples", Every),
    ("in any sample", Filler),
    ("in each sample", Every),
    ("in every minute", Every),
    ("in every sample", Every),
    ("in every single sample", Every),
    ("in the end", AtEnd),
    ("in the last sample", AtEnd),
    ("in the first sample", AtStart),
    ("levelled off", Cue::Settle),
    ("leveled off", Cue::Settle),
    ("more and more slowly", Slower),
    ("near zero", NearZero),
    ("next to nothing", NearZero),
    ("no longer", Not),
    ("no more than", Below),
    ("no trend", Flat),
    ("not move", Flat),
    ("not once", Never),
    ("of capacity", Filler),
    ("of its capacity", Filler),
    ("of the cpu", Filler),
    ("of the limit", Filler),
    ("of the time", Filler),
    ("on average", Average),
    ("over time", Filler),
    ("picked up", Rise),
    ("ramped up", Rise),
    ("rose above", Pass),
    ("sample by sample", Every),
    ("settled at", Cue::Settle),
    ("settled around", Cue::Settle),
    ("shot up", Rise),
    ("slowed down", Slower),
    ("stands at", Be),
    ("stood at", Be),
    ("tailed off", Fall),
    ("the entire", Every),
    ("the full", Every),
    ("the same", Flat),
    ("the whole", Every),
    ("topped out", Peak),
    ("towards the end", AtEnd),
    ("toward the end", AtEnd),
    ("trended down", Fall),
    ("trended up", Rise),
    ("trending down", Fall),
    ("trending up", Rise),
    ("used up", Gone),
    ("went above", Pass),
    ("went below", Under),
    ("went down", Fall),
    ("went over", Pass),
    ("went past", Pass),
    ("went up", Rise),
    ("without exception", Every),
    ("without interruption", Every),
];
