//! `roborm` for the cells of a notebook: it says the same things. When a toolkit is assembled, this is linked as one
//! shared library, so that polars, plotly and the rest are there once, however many cells are loaded.

pub use roborm::*;
