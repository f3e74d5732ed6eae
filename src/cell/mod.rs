//! What a cell of a notebook sees, and what runs it.
//!
//! A cell is compiled against one shared library with this crate in it and loaded by a small program whose loop is
//! [`run`]. That program also runs the commands of the notebook (`:open`, `:spot`, …), on the very state that [`data`],
//! [`trajectory`] and [`scores`] return; what a cell shows goes to the notebook in the order in which it happens.
//!
//! Elsewhere than in a cell, what is shown is printed, and nothing is open.

mod blocks;
mod bundle;
mod child;
mod display;
mod fold;
mod frame;
mod html;
mod interrupt;
mod known;
mod link;
mod plot;
mod progress;
mod questions;
mod state;
pub mod store;
mod streams;
mod turns;
mod width;
mod work;

pub use bundle::{Bundle, Html, Markdown};
pub use child::run;
pub use display::{CellDisplay, CellDisplayText, CellDisplayToo, Display, Show, show, show_bundle};
pub use interrupt::{AwaitInCell, interrupted, wait};
pub use link::{input, password};
pub use state::{data, keep, open, scores, trajectory};

#[doc(hidden)]
pub use {
    child::{EvcxrUserCodeError, failed, panicked},
    display::{TypeOf, type_of},
    link::read,
    turns::{flush_out, posix_spawnp, write, writev},
};

/// What prints on standard error in a cell: after what was printed before, the beginning of a line included.
#[doc(hidden)]
pub mod printing {
    pub use crate::{__dbg as dbg, __eprint as eprint, __eprintln as eprintln};
}

#[doc(hidden)]
#[macro_export]
macro_rules! __eprint {
    ($($what:tt)*) => {{
        $crate::cell::flush_out();
        ::std::eprint!($($what)*)
    }};
}

#[doc(hidden)]
#[macro_export]
macro_rules! __eprintln {
    ($($what:tt)*) => {{
        $crate::cell::flush_out();
        ::std::eprintln!($($what)*)
    }};
}

#[doc(hidden)]
#[macro_export]
macro_rules! __dbg {
    ($($what:tt)*) => {{
        $crate::cell::flush_out();
        ::std::dbg!($($what)*)
    }};
}
