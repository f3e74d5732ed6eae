//! The money that a run may spend.

use std::sync::{Arc, Mutex, MutexGuard};

use tokio::sync::Notify;

/// What was spent and what is set aside for calls under way.
pub(super) struct Budget {
    /// Dollars; `None` is no limit.
    max: Option<f64>,
    purse: Mutex<Purse>,
    changed: Notify,
}

#[derive(Default)]
struct Purse {
    /// Told by replies, and assumed where none told.
    spent: f64,
    /// Of that, told.
    told: f64,
    reserved: f64,
    in_flight: u64,
    /// Replies that told their cost, and what they cost together: what the next call of unknown price may cost.
    priced: u64,
    closed: bool,
    /// What a call that was refused may have cost, the least of them.
    refused: Option<f64>,
}

impl Purse {
    fn fits(&self, amount: f64, max: Option<f64>) -> bool {
        max.is_none_or(|max| self.spent < max && self.spent + self.reserved + amount <= max)
    }
}

impl Budget {
    pub fn new(max: Option<f64>) -> Self {
        Self { max, purse: Mutex::default(), changed: Notify::new() }
    }

    /// Sets money aside for up to `calls` calls that are expected to cost `expected` dollars each (0: not known; what
    /// calls have cost so far is taken then), as many as fit, at least one. Where not even one fits, waits for calls
    /// under way, which may turn out cheaper; empty where none is under way and it still does not fit.
    ///
    /// So the limit is exceeded at most by what the calls under way cost beyond what was expected of them.
    pub async fn reserve(self: &Arc<Self>, expected: f64, calls: usize) -> Vec<Reservation> {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            {
                let mut purse = self.purse();
                let mean = if purse.priced > 0 { purse.told / purse.priced as f64 } else { 0.0 };
                let amount = expected.max(mean);
                let mut granted = Vec::new();
                while !purse.closed && granted.len() < calls && purse.fits(amount, self.max) {
                    purse.reserved += amount;
                    purse.in_flight += 1;
                    granted.push(Reservation { budget: self.clone(), amount });
                }
                if granted.is_empty() && !purse.closed && purse.in_flight == 0 {
                    purse.refused = Some(purse.refused.map_or(amount, |least| least.min(amount)));
                }
                // Waiting while holding some would have two batches wait for each other.
                if !granted.is_empty() || purse.closed || purse.in_flight == 0 {
                    return granted;
                }
            }
            changed.await;
        }
    }

    /// A send that may have been billed brought nothing: it cost what the server told, else `assumed`.
    pub fn charge(&self, told: Option<f64>, assumed: f64) {
        self.purse().spent += told.unwrap_or(assumed);
        self.changed.notify_waiters();
    }

    /// Whether what is set aside still fits: a call that is tried again has its money, but losses may have used up the
    /// rest.
    pub fn allows_another(&self) -> bool {
        let purse = self.purse();
        self.max.is_none_or(|max| purse.spent < max && purse.spent + purse.reserved <= max * (1.0 + 1e-9))
    }

    /// Why calls were left that would have gone beyond the limit, where some were.
    pub fn refusal(&self) -> Option<String> {
        let purse = self.purse();
        let (refused, max) = (purse.refused?, self.max?);
        let left = (max - purse.spent).max(0.0);
        let money = |dollars: f64| format!("${}", (dollars * 1e6).ceil() / 1e6);
        let left = format!("${}", (left * 1e6).floor() / 1e6);
        Some(format!(
            "limit: the next call may cost {}, and {left} of ${max} is left; give more to go on",
            money(refused)
        ))
    }

    /// Refuses whatever is still asked for.
    pub fn close(&self) {
        self.purse().closed = true;
        self.changed.notify_waiters();
    }

    fn purse(&self) -> MutexGuard<'_, Purse> {
        self.purse.lock().unwrap_or_else(|poison| poison.into_inner())
    }
}

/// Money set aside for a call; given back when dropped.
pub(super) struct Reservation {
    budget: Arc<Budget>,
    amount: f64,
}

impl Reservation {
    /// Dollars set aside.
    pub fn amount(&self) -> f64 {
        self.amount
    }

    /// The call cost so much, where the reply tells; else what was set aside for it.
    pub fn spend(self, cost_usd: Option<f64>) {
        let mut purse = self.budget.purse();
        match cost_usd {
            Some(cost) => {
                purse.spent += cost;
                purse.told += cost;
                purse.priced += 1;
            }
            None => purse.spent += self.amount,
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        {
            let mut purse = self.budget.purse();
            purse.reserved -= self.amount;
            purse.in_flight -= 1;
            if purse.in_flight == 0 {
                // Sums of many small amounts leave dust.
                purse.reserved = 0.0;
            }
        }
        self.budget.changed.notify_waiters();
    }
}
