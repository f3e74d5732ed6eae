//! Tables, pictures, bars and progress for people to read, on whatever they read them.
//!
//! [`Terminal`] knows what the other end can show; everything else renders to a `String` for one. A pipe gets plain
//! ASCII with one line a row, so that `grep` and `awk` work; a terminal gets tables that fit its width. What comes from
//! data goes through [`text::clean`] first: a reply of a reward model cannot move the cursor.
//!
//! ```
//! use roborm::display::{Cell, Column, Estimate, Table, Terminal};
//!
//! let mut table = Table::new([Column::text("model"), Column::number("crossing rate")]);
//! table.row([Cell::text("simulated"), Cell::from(Estimate { value: Some(0.3), interval: Some((0.21, 0.4)), n: 40 })]);
//! assert_eq!(
//!     table.render(&Terminal::plain()),
//!     "\
//! model               crossing rate
//! ---------  ----------------------
//! simulated  0.30 [0.21, 0.40] n=40
//! "
//! );
//! ```

pub mod number;
pub mod text;

mod bars;
mod iterm;
mod kitty;
mod layout;
mod picture;
mod progress;
mod sixel;
mod strip;
mod table;
mod terminal;
mod wrap;

pub use bars::{Bar, bars};
pub use number::Estimate;
pub use picture::{picture, picture_of_png};
pub use progress::{Lines, Progress, Quiet, progress};
pub use strip::strip;
pub use table::{Cell, Column, Sign, Table};
pub use terminal::{Color, Graphics, Surroundings, Terminal, Tone, wrong_graphics};
pub use wrap::{wrap, wrap_command};
