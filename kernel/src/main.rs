//! `roborm-kernel`: the Jupyter kernel, its installer, and the evaluator that the prompt starts.

fn main() {}
