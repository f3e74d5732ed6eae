//! Plotly charts and the report.
//!
//! Each chart is a function from plain figures to an owned [`plotly::Plot`], with a title, units, the success boundary
//! and n in it; beside it stands the function that puts the same figures into a [`Table`], so that nothing can be read
//! off a chart alone. A [`Report`] binds charts, tables, contact sheets and wordings into one HTML file that works
//! offline; [`fragment`] draws one chart in a notebook's output.
//!
//! ```
//! use roborm::chart::{self, CrossingPoint, Figure, Method, Palette, Report, Section};
//!
//! let points = [
//!     CrossingPoint::new("gpt-5.1", "lexical", Some(0.153), Some((0.14, 0.17)), 2831),
//!     CrossingPoint::new("gpt-5.1", "adversarial", Some(0.300), Some((0.28, 0.32)), 2831),
//! ];
//! let method = Method::default();
//! let plot = chart::crossing_by_model(&points, &method, &Palette::default());
//! let html = Report::new("How often does wording alone change the verdict?")
//!     .method(method)
//!     .section(
//!         Section::new("Score-crossing rate")
//!             .figure(Figure::new(&plot).table(chart::crossing_table(&points, &method))),
//!     )
//!     .to_html()?;
//! assert!(html.starts_with("<!doctype html>"));
//! # Ok::<(), roborm::Error>(())
//! ```

mod boundary;
mod confusion;
mod crossing;
mod embed;
mod label;
mod layout;
mod method;
mod palette;
mod report;
mod table;
mod text;
mod tradeoff;
mod trajectory;
mod wording;

pub use boundary::{BoundaryPoint, boundary_table, crossing_over_boundary};
pub use confusion::{Confusion, confusion, confusion_table};
pub use crossing::{CrossingPoint, crossing_by_model, crossing_table};
pub use embed::{fragment, plotly_json};
pub(crate) use embed::{headings, output};
pub use method::Method;
pub use palette::{Mark, Palette, is_simulated};
pub use report::{Case, ContactSheet, Figure, Report, Section};
pub use table::{Cell, Column, Table};
pub use tradeoff::{ErrorPoint, error_against_crossing, error_table};
pub use trajectory::{ScorePoint, TrajectoryScores, trajectory_scores, wording_table};
pub(crate) use wording::differences;
