//! `cargo bench --bench robustness`: the metrics over ten million rows of Parquet beside pandas and polars for Python,
//! and the bootstrap of sixty thousand trajectories.
//!
//! The rounds, the peers and the table of results are in run.py, which this starts with the interpreter that
//! `ROBORM_PEERS_PYTHON` names (default `python3`; it needs pandas, polars and pyarrow). One measurement:
//! `once file|table|bootstrap PATH OUT.csv`.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use polars_io::prelude::{CsvWriter, ParquetReader};
use polars_io::{SerReader, SerWriter};
use roborm::prelude::*;
use roborm::robustness::{Analysis, Robustness};

type Outcome<T> = std::result::Result<T, Box<dyn Error>>;

const COLUMNS: [&str; 6] = ["model", "trajectory", "strategy", "score", "repeat", "label"];

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["once", "file", path, out] => measured(out, || Ok(Analysis::new().resamples(0).run_file(path)?), 0),
        ["once", "table", path, out] => {
            let table = read(path)?;
            let bytes = table.frame().estimated_size();
            measured(out, || Ok(Analysis::new().resamples(0).run(&table)?), bytes)
        }
        ["once", "bootstrap", path, out] => {
            // Without intervals first: what the bootstrap takes is the difference.
            let table = read(path)?;
            let start = Instant::now();
            Analysis::new().resamples(0).run(&table)?;
            let without = start.elapsed().as_secs_f64();
            println!("{{\"without_s\": {without}}}");
            measured(out, || Ok(Analysis::new().resamples(2000).run(&table)?), 0)
        }
        _ => {
            let python = std::env::var("ROBORM_PEERS_PYTHON").unwrap_or_else(|_| "python3".to_owned());
            let runner = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/robustness/run.py");
            let status = Command::new(python).arg(runner).arg(std::env::current_exe()?).status()?;
            std::process::exit(status.code().unwrap_or(1));
        }
    }
}

fn read(path: &str) -> Outcome<ScoreTable> {
    let columns: Vec<String> = COLUMNS.iter().map(|&name| name.to_owned()).collect();
    let mut frame = ParquetReader::new(File::open(path)?).with_columns(Some(columns)).finish()?;
    // Nothing here looks at instructions; a score table has them.
    if frame.get_column_index("instruction").is_none() {
        let name = PlSmallStr::from_static("instruction");
        let rows = Column::new_scalar(name, Scalar::from(PlSmallStr::EMPTY), frame.height());
        frame.with_column(rows)?;
    }
    Ok(ScoreTable::from_frame_unique(frame)?)
}

/// Runs, prints time, CPU time and peak memory as a line of JSON, and writes the result.
fn measured(out: &str, run: impl Fn() -> Outcome<Robustness>, table_bytes: usize) -> Outcome<()> {
    // What reading a table took besides the table does not count.
    std::fs::write("/proc/self/clear_refs", "5")?;
    let held = status_bytes("VmRSS:")?;
    let (start, cpu) = (Instant::now(), cpu_seconds()?);
    let mut result = run()?.to_frame()?;
    let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds()? - cpu);
    let peak = status_bytes("VmHWM:")?;
    println!(
        "{{\"wall_s\": {wall}, \"cpu_s\": {cpu}, \"peak_bytes\": {peak}, \"held_bytes\": {held}, \"table_bytes\": {table_bytes}}}"
    );
    CsvWriter::new(File::create(out)?).finish(&mut result)?;
    Ok(())
}

/// CPU time of this process, from Linux' clock ticks of 10 ms.
fn cpu_seconds() -> Outcome<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    Ok((fields[11].parse::<f64>()? + fields[12].parse::<f64>()?) / 100.0)
}

/// A line of what the kernel tells of this process, in bytes: `VmHWM:` is the most it has held since the measurement
/// began, what it held then included.
fn status_bytes(line: &str) -> Outcome<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let rest = status.lines().find_map(|all| all.strip_prefix(line)).ok_or(line)?;
    Ok(rest.trim().trim_end_matches(" kB").parse::<u64>()? * 1024)
}
