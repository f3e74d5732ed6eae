//! Plans, runs, and the ledger.

mod bad_input;
mod crash;
mod estimate;
pub mod kit;
mod merge;
mod money;
mod plan;
mod run;
mod share;
mod speed;
