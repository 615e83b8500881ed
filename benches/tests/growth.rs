//! Work and memory grow with the bytes of an input and no faster, whatever its shape. Counted, not timed.

use gsar_benches::growth::{Cost, shapes};

/// The size of the first input of a shape, in bytes; the second has twice as many.
const FIRST: usize = 48 << 10;
/// The maximum growth from the first input to the second, in percent.
const MAX_GROWTH: u64 = 230;
/// Counts below this are rounded up to it, to ignore constant costs.
const MIN_UNITS: u64 = 16 << 10;
/// The maximum of counted bytes of memory per byte of input.
const MAX_MEMORY: u64 = 140;

#[test]
fn units_and_memory_grow_as_the_input() {
    let mut faults = Vec::new();
    for shape in shapes() {
        let (first, second) = (shape.measure(FIRST), shape.measure(2 * FIRST));
        for (what, of) in [
            ("units", (|taken| taken.units) as fn(&Cost) -> u64),
            ("bytes held", |taken| taken.held),
        ] {
            let (first, second) = (of(&first).max(MIN_UNITS), of(&second));
            if second * 100 > first * MAX_GROWTH {
                faults.push(format!("{}: {first} {what}, then {second}", shape.name));
            }
        }
        if second.held > MAX_MEMORY * second.bytes as u64 {
            faults.push(format!("{}: {} bytes held of {}", shape.name, second.held, second.bytes));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
