//! This module bounds the callers at one moment; one more waits until one of them leaves.

use std::sync::{Condvar, Mutex, PoisonError};

/// Places for callers.
#[derive(Debug)]
pub(crate) struct Callers {
    free: Mutex<usize>,
    left: Condvar,
}

/// A place that is held until this is dropped.
#[derive(Debug)]
pub(crate) struct Place<'c>(&'c Callers);

impl Callers {
    /// Places for at most `places` callers at once.
    pub(crate) fn new(places: usize) -> Self {
        Self { free: Mutex::new(places), left: Condvar::new() }
    }

    /// Waits for a place.
    pub(crate) fn enter(&self) -> Place<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free =
            self.left.wait_while(free, |free| *free == 0).unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        Place(self)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.left.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn never_more_callers_than_places() {
        let callers = Callers::new(3);
        let inside = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..32 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let _place = callers.enter();
                        assert!(inside.fetch_add(1, Ordering::SeqCst) < 3);
                        std::thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(*callers.free.lock().unwrap(), 3);
    }
}
