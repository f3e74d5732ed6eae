//! What is wrong with a JSON file, in words that need no parser to be known.

use serde_json::error::{Category, Error};

/// Where a text stops being the JSON that was expected, and how: `line 3, column 7: no JSON from here on`.
pub fn no_json(error: &Error) -> String {
    let place = match (error.line(), error.column()) {
        // A value that was read already has no place.
        (0, _) => String::new(),
        (line, column) => format!("line {line}, column {column}: "),
    };
    match error.classify() {
        Category::Eof => format!("{place}the JSON is cut short here"),
        Category::Syntax => format!("{place}no JSON from here on"),
        Category::Data => {
            let said = error.to_string();
            let what = said.rsplit_once(" at line ").map_or(said.as_str(), |(what, _)| what);
            format!("{place}not what stands there in such a file ({what})")
        }
        Category::Io => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::no_json;

    #[test]
    fn the_place_and_the_kind() {
        let said = |text: &str| no_json(&serde_json::from_str::<Vec<u8>>(text).expect_err(text));
        assert_eq!(said("[1,\n2"), "line 2, column 1: the JSON is cut short here");
        assert_eq!(said("[1,\n }"), "line 2, column 2: no JSON from here on");
        let other = said("[\"a\"]");
        assert!(other.starts_with("line 1, column 4: not what stands there in such a file ("), "{other}");
        assert!(!other.contains(" at line "), "{other}");
    }
}
