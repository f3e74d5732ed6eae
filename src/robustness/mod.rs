//! Score-crossing rate, failure rate, error and spread, with intervals.
