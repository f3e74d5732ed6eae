//! Messages between roborm and its workers.
