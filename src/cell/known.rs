//! Types that are shown as what they are: found by their identifier, so that one compiled function serves every cell.

use std::any::TypeId;
use std::fmt::{Debug, Display};

use image::RgbImage;
use polars::prelude::*;

use super::bundle::{Bundle, Html, Markdown};
use super::{blocks, fold, frame, html, width};
use crate::command::Answer;
use crate::dataset::{Dataset, Trajectory};
use crate::display::Table;
use crate::frames::{Frame, Frames, SheetOptions, contact_sheet};
use crate::robustness::Robustness;
use crate::scores::ScoreTable;

/// The forms of the value at `at`, whose type has the identifier `id`.
pub(super) fn bundle(id: TypeId, at: *const (), value: &dyn Debug) -> Bundle {
    by_type(id, at).unwrap_or_else(|| of_debug(value))
}

fn by_type(id: TypeId, at: *const ()) -> Option<Bundle> {
    macro_rules! look {
        ($($type:ty => $show:expr,)*) => {$(
            if id == TypeId::of::<$type>() {
                // SAFETY: the identifier says what is there.
                return Some($show(unsafe { &*at.cast::<$type>() }));
            }
            if id == TypeId::of::<Option<$type>>() {
                // SAFETY: as above.
                return unsafe { &*at.cast::<Option<$type>>() }.as_ref().map($show);
            }
            if id == TypeId::of::<Result<$type, crate::Error>>() {
                // SAFETY: as above.
                return Some(either(unsafe { &*at.cast::<Result<$type, crate::Error>>() }, $show));
            }
            if id == TypeId::of::<Result<$type, PolarsError>>() {
                // SAFETY: as above.
                return Some(either(unsafe { &*at.cast::<Result<$type, PolarsError>>() }, $show));
            }
        )*};
    }
    look! {
        DataFrame => frame::table,
        Series => |series: &Series| frame::table(&series.clone().into_frame()),
        Column => |column: &Column| frame::table(&column.clone().into_frame()),
        ScoreTable => frame::scores,
        Robustness => of_robustness,
        Frames => of_frames,
        Frame => of_frame,
        RgbImage => |image: &RgbImage| Bundle::picture(image, "a picture"),
        Dataset => of_dataset,
        Trajectory => of_trajectory,
        Answer => blocks::one,
        Table => |table: &Table| Bundle::text(table.render(&width::terminal())).html(html::table(table)),
        Html => |html: &Html| Bundle::text(&html.0).html(&html.0),
        Markdown => |markdown: &Markdown| Bundle::text(&markdown.0).with("text/markdown", markdown.0.clone()),
    }
    if id == TypeId::of::<String>() {
        // SAFETY: as above.
        return Some(of_text(unsafe { &*at.cast::<String>() }));
    }
    if id == TypeId::of::<&'static str>() {
        // SAFETY: as above; the text lives at least as long as this call.
        return Some(of_text(unsafe { &*at.cast::<&str>() }));
    }
    None
}

fn either<T, E: Debug>(value: &Result<T, E>, show: impl Fn(&T) -> Bundle) -> Bundle {
    match value {
        Ok(value) => show(value),
        Err(error) => Bundle::text(format!("Err: {error:?}")),
    }
}

/// As `{:?}` writes it; spread over lines where one would be long, and folded where they would be many.
pub(super) fn of_debug(value: &dyn Debug) -> Bundle {
    Bundle::text(fold::debug(value))
}

/// As source code writes it; of several lines, as it is. Folded where it is long.
pub(super) fn of_text(text: &str) -> Bundle {
    Bundle::text(if text.contains('\n') { fold::text(text) } else { fold::debug(&text) })
}

/// A plan: nothing of it has run.
pub(super) fn of_lazy(lazy: &LazyFrame) -> Bundle {
    let plan = lazy.describe_plan().unwrap_or_else(|error| error.to_string());
    let plain = format!("a lazy plan, not run yet (`.collect()?` runs it)\n{plan}");
    let page = format!(
        "<div>A lazy plan, not run yet: <code>.collect()?</code> runs it.</div><pre>{}</pre>",
        html::escape(&plan)
    );
    Bundle::text(plain).html(page)
}

fn of_robustness(robustness: &Robustness) -> Bundle {
    robustness.to_frame().map_or_else(|error| of_debug(&error), |frame| frame::table(&frame))
}

fn of_frames(frames: &Frames) -> Bundle {
    let what = format!("{} frames of {}, {}", frames.frames.len(), frames.source, frames.rule);
    match contact_sheet(frames, &SheetOptions::default()) {
        Ok(sheet) => Bundle::picture(&sheet, &what),
        Err(_) => Bundle::text(what),
    }
}

fn of_frame(frame: &Frame) -> Bundle {
    let what = format!("frame {} at {:.2} s", frame.index, frame.t_s);
    match RgbImage::from_raw(frame.width, frame.height, frame.rgb.to_vec()) {
        Some(image) => Bundle::picture(&image, &what),
        None => Bundle::text(what),
    }
}

fn of_dataset(dataset: &Dataset) -> Bundle {
    let line = |it: &Trajectory| [it.id.clone(), it.task.clone(), label(it), it.source.describe()];
    let rows = dataset.trajectories().iter().take(200).map(line);
    let what = format!("{}: {} trajectories", dataset.name(), dataset.len());
    html::listing(&what, ["trajectory", "task", "label", "source"], rows)
}

fn of_trajectory(it: &Trajectory) -> Bundle {
    let rows = [
        ("trajectory", it.id.clone()),
        ("task", it.task.clone()),
        ("label", label(it)),
        ("source", it.source.describe()),
    ];
    html::listing("", ["", ""], rows.into_iter().map(|(name, value)| [name.to_owned(), value]))
}

fn label(it: &Trajectory) -> String {
    it.label.map_or_else(|| "not known".to_owned(), |label| text_of(&label))
}

fn text_of(value: &impl Display) -> String {
    value.to_string()
}
