//! Plan, estimate and run a study; the ledger that keeps every reply.
//!
//! A [`Plan`] says what is to be scored, a [`Study`] by which models and under which limits. Every call is paid for once:
//! the [`Ledger`] has an intent of it before it is sent and the reply when it comes, and a study that is run again, after
//! a crash or with more trajectories, calls only what has no reply.

mod builder;
mod estimate;
mod images;
mod ledger;
mod outcome;
mod plan;
mod progress;
mod reading;
mod run;

pub use builder::{SampleFrames, Study};
pub use estimate::{Estimate, ModelEstimate};
pub use ledger::{FileSystem, Ledger, LedgerOptions, Merged, PairKey, Spend, Totals};
pub use outcome::{Counts, Failure, Outcome};
pub use plan::{ParaphrasesOf, Plan, PlanOptions, Planned, Shard, Standing, Wording};
pub(crate) use progress::{Attended, attend};
pub use progress::{Cancel, Event, Progress, Silent};
