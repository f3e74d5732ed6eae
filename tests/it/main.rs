//! Behaviour through the public surface, in one binary so that polars is linked once.
mod http;
mod reward;
