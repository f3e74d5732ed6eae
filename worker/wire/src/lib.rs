//! Messages between roborm and its workers.

pub mod local;
