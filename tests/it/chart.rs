//! Charts and the report: what is drawn, what is said beside it, and that data stays data.

mod browser;
mod charts;
mod markup;
mod report;
mod samples;
