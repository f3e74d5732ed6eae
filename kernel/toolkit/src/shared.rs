//! Code that notebooks are made of, compiled once.
//!
//! rustc compiles generic code where it is used with certain types: a chart of integers in a cell would bring the whole of
//! plotly's serialization for them into that cell. What this file uses is compiled into the toolkit, and cells call it
//! there. It never runs.

use crate::cell::store::VariableStore;
use crate::prelude::*;
use crate::plotly::common::{Line, Marker, Mode, Title};
use crate::plotly::layout::Axis;
use crate::plotly::{Bar, BoxPlot, HeatMap, Histogram, Layout, Plot, Scatter};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Charts of these types.
macro_rules! charts {
    ($($name:ident: $x:ty, $y:ty;)*) => {$(
        #[inline(never)]
        pub fn $name(x: Vec<$x>, y: Vec<$y>, more: (Vec<$x>, Vec<$y>)) -> Plot {
            let mut plot = Plot::new();
            let line = Scatter::new(x, y);
            let line = line.name("a").mode(Mode::Lines).line(Line::new()).marker(Marker::new());
            plot.add_trace(line);
            plot.add_trace(Bar::new(more.0, more.1).name(String::from("b")));
            plot
        }
    )*};
}

charts! {
    i32_i32: i32, i32;
    i32_f64: i32, f64;
    i64_f64: i64, f64;
    usize_f64: usize, f64;
    f64_f64: f64, f64;
    str_f64: &'static str, f64;
    string_f64: String, f64;
    string_i32: String, i32;
}

#[inline(never)]
pub fn other_charts(y: Vec<f64>, z: Vec<Vec<f64>>, words: Vec<String>) -> Plot {
    let mut plot = Plot::default();
    plot.add_trace(Histogram::new(y.clone()).name("c"));
    plot.add_trace(HeatMap::new_z(z));
    plot.add_trace(BoxPlot::<f64, f64>::new(y));
    let axis = Axis::new().title(Title::with_text("x")).tick_text(words);
    plot.set_layout(Layout::new().title("t").x_axis(axis.clone()).y_axis(axis).height(300).width(400).show_legend(true));
    plot
}

/// Variables of these types: kept, taken, shown, cloned and dropped.
macro_rules! variables {
    ($($name:ident: $of:ty;)*) => {$(
        #[inline(never)]
        pub fn $name(store: &mut VariableStore, value: $of) {
            shown(&value);
            store.put_variable::<$of>("a", value);
            if store.check_variable::<$of>("a") {
                let value = store.take_variable::<$of>("a");
                let copy = value.clone();
                shown(&value);
                drop((value, copy));
            }
        }
    )*};
}

fn shown<T: std::fmt::Debug>(value: &T) {
    value.roborm_display();
    show(value);
}

variables! {
    of_frame: DataFrame;
    of_series: Series;
    of_column: Column;
    of_expression: Expr;
    of_expressions: Vec<Expr>;
    of_i32: i32;
    of_i64: i64;
    of_u32: u32;
    of_u64: u64;
    of_usize: usize;
    of_f32: f32;
    of_f64: f64;
    of_bool: bool;
    of_char: char;
    of_text: &'static str;
    of_string: String;
    of_i32s: Vec<i32>;
    of_i64s: Vec<i64>;
    of_usizes: Vec<usize>;
    of_f64s: Vec<f64>;
    of_bools: Vec<bool>;
    of_texts: Vec<&'static str>;
    of_strings: Vec<String>;
    of_some_string: Option<String>;
    of_some_i32: Option<i32>;
    of_some_f64: Option<f64>;
    of_string_map: HashMap<String, String>;
    of_counts: HashMap<String, usize>;
    of_sorted: BTreeMap<String, f64>;
    of_set: HashSet<String>;
    of_sorted_set: BTreeSet<String>;
    of_dataset: Dataset;
    of_trajectory: Trajectory;
    of_frames: Frames;
    of_scores: ScoreTable;
    of_robustness: Robustness;
    of_analysis: Analysis;
}

#[inline(never)]
pub fn of_what_is_not_debug(store: &mut VariableStore, plan: LazyFrame, plot: Plot) {
    CellDisplayToo::roborm_display(&plan);
    CellDisplayToo::roborm_display(&plot);
    show(&plan);
    show(&plot);
    store.put_variable("a", plan.clone());
    store.put_variable("b", plot.clone());
    if store.check_variable::<LazyFrame>("a") && store.check_variable::<Plot>("b") {
        drop((plan, plot, store.take_variable::<LazyFrame>("a"), store.take_variable::<Plot>("b")));
    }
}

/// Columns of these types.
macro_rules! columns {
    ($($name:ident: $of:ty;)*) => {$(
        #[inline(never)]
        pub fn $name(values: Vec<$of>, more: Vec<Option<$of>>) -> std::result::Result<DataFrame, PolarsError> {
            Series::new("a".into(), &values);
            Series::new("a".into(), values.clone());
            let more = Column::new("a".into(), more);
            DataFrame::new_infer_height(vec![more])?;
            df!["a" => values]
        }
    )*};
}

columns! {
    i32s: i32;
    i64s: i64;
    u32s: u32;
    f64s: f64;
    f32s: f32;
    bools: bool;
    texts: &'static str;
    strings: String;
}

#[inline(never)]
pub fn ranges() -> (Vec<i32>, Vec<i64>, Vec<usize>) {
    ((0..1).collect(), (0..1).collect(), (0..1).collect())
}

/// Plans. Arrays are of every length of its own.
#[inline(never)]
pub fn plans(frame: &DataFrame, plan: LazyFrame) -> std::result::Result<DataFrame, PolarsError> {
    macro_rules! lengths {
        ($($e:expr),*) => {$({
            let plan = plan.clone().select($e).with_columns($e).group_by($e).agg($e);
            drop(plan.clone().sort_by_exprs($e, SortMultipleOptions::default()));
            drop(plan.clone().select(Vec::from($e)));
        })*};
    }
    let a = || col("a");
    lengths!([a()], [a(), a()], [a(), a(), a()], [a(), a(), a(), a()], [a(), a(), a(), a(), a()]);
    let numbers = [lit(1), lit(1i64), lit(1.0), lit("a"), lit(true), lit(String::new()), lit(1u32)];
    let all = numbers.into_iter().reduce(|all, it| all + it).unwrap_or_else(a);
    let all = a().gt(all.clone()).and(a().eq(lit(1))).or(a().lt(1).lt_eq(1.0)).alias("b").alias(String::new());
    let plan = plan.filter(all).sort(["a"], SortMultipleOptions::default()).limit(3);
    frame.column("a")?;
    frame.select(["a"])?;
    frame.select(["a", "b"])?;
    frame.sort(["a"], SortMultipleOptions::default())?;
    plan.collect()
}

/// Joins of frames: all that they stand on is generic code of polars, which a cell would compile for seconds.
#[inline(never)]
pub fn joins(frame: &DataFrame, other: &DataFrame) -> std::result::Result<DataFrame, PolarsError> {
    let by = || JoinArgs::new(JoinType::Inner);
    frame.join(other, ["a", "b"], ["a", "b"], by(), None)?;
    frame.inner_join(other, ["a"], ["a"])?;
    frame.left_join(other, ["a"], ["a"])?;
    frame.full_join(other, ["a"], ["a"])?;
    frame.join(other, ["a"], ["a"], by(), None)
}

/// What ends a cell early.
#[inline(never)]
pub fn ends(error: PolarsError, own: crate::Error, of_std: std::io::Error) {
    crate::cell::failed(&error);
    crate::cell::failed(&own);
    crate::cell::failed(&of_std);
}
