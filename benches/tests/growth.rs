//! Checks that work and memory grow at most linearly with the input.

use gsar_benches::growth::{Cost, shapes};

const FIRST: usize = 48 << 10;
/// The maximum growth when the input doubles, in percent.
const MAX_GROWTH: u64 = 230;
/// Smaller counts are rounded up to this value, to ignore constant costs.
const MIN_UNITS: u64 = 16 << 10;
const MAX_MEMORY: u64 = 140;

#[test]
fn work_and_memory_grow_linearly() {
    let mut faults = Vec::new();
    for shape in shapes() {
        let (first, second) = (shape.measure(FIRST), shape.measure(2 * FIRST));
        for (what, of) in
            [("units", (|taken| taken.units) as fn(&Cost) -> u64), ("bytes", |taken| taken.held)]
        {
            let (first, second) = (of(&first).max(MIN_UNITS), of(&second));
            if second * 100 > first * MAX_GROWTH {
                faults.push(format!("{}: {first} {what}, then {second}", shape.name));
            }
        }
        if second.held > MAX_MEMORY * second.bytes as u64 {
            faults.push(format!(
                "{}: {} bytes of memory for {}",
                shape.name, second.held, second.bytes
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
