//! `roborm` as one shared library. Cells name it `roborm`: it says the same things, and polars, plotly and the rest
//! are inside it once, however many cells are loaded.

pub use roborm::*;
