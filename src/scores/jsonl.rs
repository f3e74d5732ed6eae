//! JSON Lines: what polars does not say about a bad file.

use std::io::{BufRead, BufReader};
use std::path::Path;

use crate::{Error, Result};

/// The first line that is not a JSON object, for the error message. Slow and only called when reading failed.
pub(super) fn first_bad_line(path: &Path) -> Result<Option<Error>> {
    let wrong = |number: usize, what: &str| {
        Error::input(format!("line {}: {what}", number + 1))
            .with_help("is the file whole? Each line is one JSON object")
    };
    let file = std::fs::File::open(path).map_err(|error| Error::io("cannot read", &error))?;
    for (number, line) in BufReader::new(file).split(b'\n').enumerate() {
        let line = line.map_err(|error| Error::io("cannot read", &error))?;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let line = if number == 0 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line) } else { &line };
        match serde_json::from_slice::<serde_json::Value>(line) {
            Ok(serde_json::Value::Object(_)) => {}
            Ok(_) => return Ok(Some(wrong(number, "not a JSON object"))),
            Err(error) => return Ok(Some(wrong(number, &format!("not JSON ({error})")))),
        }
    }
    Ok(None)
}
