//! Single words with which reports speak of series, and those that say nothing about one.

use super::phrases::Cue::{
    self, Above, And, At, AtEnd, AtStart, Average, Baseline, Be, Below, Between, By, Consecutive,
    Every, Fall, Filler, First, Flat, Fraction, From, Gone, Keep, Last, NearZero, Never, Not, On,
    Pass, Peak, Reach, Return, Rise, Sample, Saturated, Slower, Steady, Than, Thereafter, To,
    Trough, Under, Until, Within,
};

/// Single words.
pub(super) const WORDS: [(Cue, &str); 47] = [
    (
        Rise,
        "rose rise rises rising risen climbed climb climbs climbing grew grow grows growing grown increased increase \
         increases increasing surged surging surge jumped jumping jump soared soaring spiked spiking ballooned \
         ballooning swelled swelling mounted escalated escalating rocketed rebounded upward upwards leapt leaped leaping shot soaring",
    ),
    (
        Fall,
        "fell fall falls falling fallen dropped drop drops dropping declined decline declines declining decreased \
         decrease decreases decreasing shrank shrink shrinks shrinking shrunk collapsed collapsing plunged \
         plunging plummeted plummeting sank sinking slid sliding dipped dipping eased easing receded receding \
         tumbled tumbling dwindled dwindling tapered subsided subsiding slumped downward downwards",
    ),
    (Flat, "flat unchanged constant flatlined identical stable steady"),
    (Cue::Settle, "plateaued plateau stabilized stabilised plateauing"),
    (
        Keep,
        "stayed stays staying remained remains remaining held holds kept keeps hovered hovers hovering pinned stuck staying holding keeping persisted ranged ranges ranging varied varies fluctuated",
    ),
    (Reach, "reached reaches reach reaching hit hits touched attained"),
    (Peak, "peaked peaks peak peaking maximum highest maxed greatest"),
    (Trough, "bottomed lowest minimum least trough"),
    (Pass, "passed exceeded exceeds exceed exceeding crossed crosses surpassed breached topped"),
    (Under, "undershot"),
    (Above, "above over beyond exceeding past higher"),
    (Below, "below under beneath lower"),
    (Between, "between"),
    (Never, "never"),
    (Every, "throughout always consistently"),
    (Steady, "monotonically steadily continuously constantly progressively continually linearly"),
    (Average, "average averaged averages mean averaging"),
    (AtEnd, "ended ends finally eventually ending"),
    (AtStart, "initially began started starts begins"),
    (Return, "returned recovered returns back returning recovering recovers"),
    (Be, "is are was were be been stood stands shows showed amounted averaging ran"),
    (Gone, "gone consumed lost"),
    (Not, "not no didn't wasn't weren't isn't aren't neither nor without hardly"),
    (From, "from since after"),
    (To, "to"),
    (By, "by"),
    (At, "at"),
    (Within, "within in inside"),
    (Until, "until till before"),
    (First, "first"),
    (Last, "last final"),
    (On, "on onward onwards"),
    (Than, "than"),
    (And, "and"),
    (Consecutive, "consecutive successive running row"),
    (Sample, "sample samples reading readings datapoints datapoint points point"),
    (
        Filler,
        "the a an of its it this that these their there had has have having during for over across window period \
         time times incident series metric metrics value values minute minutes second seconds hour hours about \
         around roughly some approximately nearly almost just exactly only well more less further quite little \
         up down off out as with both all sharply sharp rapidly quickly slowly slightly gradually abruptly \
         suddenly drastically heavily dramatically markedly strongly significantly considerably briefly again \
         already still then later immediately shown overall observed recorded measured according cloudwatch \
         prometheus datadog grafana each every single any level levels early late run while so far would could \
         be being did do does went go goes got get binary units terms few briefly on-going primary main \
         instance database server host unit ones range mark part course data displayed returned shows show \
         reported reports report hosts nodes instances servers machines workers full whole entire total trend trended same once earlier per",
    ),
    (Slower, "slowed slowing decelerated decelerating flattened flattening"),
    (Cue::Fold, "fold quintupled sextupled septupled"),
    (NearZero, "nothing"),
    (Be, "measured took"),
    (Thereafter, "thereafter afterwards"),
    (Saturated, "saturated pegged"),
    (Baseline, "baseline normal"),
    (
        Fraction,
        "third quarter fifth sixth eighth tenth twelfth fifteenth twentieth thirtieth fiftieth hundredth",
    ),
    (AtEnd, "remain"),
    (
        Filler,
        "pod pods container containers process processes application service services cluster machine vm \
              workload job writer reader leader end utc gmt near mode modes share beginning slight usage very",
    ),
];
