//! Work and memory grow with the bytes of an input and no faster, whatever its shape. Counted, not timed.

use gsar_benches::growth::{Measured, shapes};

/// A second input of a shape, which has about twice the bytes of the first.
const FIRST: usize = 48 << 10;
/// How often as much the second may take, in percent.
const MAX_GROWTH: u64 = 230;
/// What is too little to be compared.
const MIN_UNITS: u64 = 16 << 10;
/// The most memory of a byte of evidence, as it is counted.
const MAX_MEMORY: u64 = 140;

#[test]
fn units_and_memory_grow_as_the_input() {
    let mut faults = Vec::new();
    for shape in shapes() {
        let (first, second) = (shape.measure(FIRST), shape.measure(2 * FIRST));
        for (what, of) in [
            ("units", (|taken| taken.units) as fn(&Measured) -> u64),
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
