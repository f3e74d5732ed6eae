//! A token bucket: the limit on requests a second.

use std::time::Instant;

/// So many requests a second, and so many at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bucket {
    /// Tokens a second.
    pub rate: f64,
    /// Tokens that a rested bucket holds.
    pub burst: f64,
}

pub(crate) struct Level {
    bucket: Bucket,
    tokens: f64,
    at: Instant,
}

impl Level {
    pub(crate) fn full(bucket: Bucket) -> Self {
        Self { bucket, tokens: bucket.burst, at: Instant::now() }
    }

    /// Takes a token; where there is none, the whole seconds until there is one.
    pub(crate) fn take(&mut self) -> Result<(), u64> {
        let now = Instant::now();
        let grown = self.tokens + self.bucket.rate * now.duration_since(self.at).as_secs_f64();
        (self.tokens, self.at) = (grown.min(self.bucket.burst), now);
        if self.tokens >= 1.0 {
            self.tokens -= 1.0;
            return Ok(());
        }
        Err(((1.0 - self.tokens) / self.bucket.rate).ceil().max(1.0) as u64)
    }
}
