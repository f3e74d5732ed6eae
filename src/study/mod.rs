//! Plan, estimate and run a study; the ledger that keeps every reply.
