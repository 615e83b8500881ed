//! A blocking semaphore.

use std::sync::{Condvar, Mutex, PoisonError};

#[derive(Debug)]
pub(crate) struct Semaphore {
    permits: Mutex<usize>,
    released: Condvar,
}

#[derive(Debug)]
pub(crate) struct Permit<'s>(&'s Semaphore);

impl Semaphore {
    pub(crate) fn new(permits: usize) -> Self {
        Self { permits: Mutex::new(permits), released: Condvar::new() }
    }

    pub(crate) fn acquire(&self) -> Permit<'_> {
        let permits = self.permits.lock().unwrap_or_else(PoisonError::into_inner);
        let mut permits = self
            .released
            .wait_while(permits, |permits| *permits == 0)
            .unwrap_or_else(PoisonError::into_inner);
        *permits -= 1;
        Permit(self)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        *self.0.permits.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.released.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn limits_concurrent_callers() {
        let semaphore = Semaphore::new(3);
        let running = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..32 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let _permit = semaphore.acquire();
                        assert!(running.fetch_add(1, Ordering::SeqCst) < 3);
                        std::thread::yield_now();
                        running.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(*semaphore.permits.lock().unwrap(), 3);
    }
}
