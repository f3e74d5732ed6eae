//! All that a notebook needs, polars' prelude included.

#[doc(no_inline)]
pub use polars::prelude::*;

pub use crate::cell::{
    AwaitInCell, Bundle, CellDisplay, CellDisplayText, CellDisplayToo, Html, Markdown, data, input, interrupted, keep,
    open, scores, show, trajectory, wait,
};
pub use crate::dataset::{Dataset, Label, OpenOptions, Trajectory};
pub use crate::frames::{Frame, Frames, Sampling};
pub use crate::paraphrase::{Paraphrase, ParaphraseSet, Strategy};
pub use crate::reward::RewardModel;
pub use crate::robustness::{Analysis, Robustness};
pub use crate::scores::ScoreTable;
pub use crate::{Error, Result};
