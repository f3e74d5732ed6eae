//! What rustc adds to an error: its notes, and its suggestions as they would read.

use serde_json::Value;

use super::fault::words;

/// Notes and helps of one error that are shown.
const MOST: usize = 12;
/// Ways to go on, of which one is to be chosen.
const MOST_WAYS: usize = 4;
/// A longer line is not shown as it would be, but only what is new in it.
const WIDEST: usize = 160;

/// Helps and notes that say something of their own.
pub(super) fn notes(error: &Value) -> Vec<(String, String)> {
    let children = error["children"].as_array().into_iter().flatten();
    let all = children.filter_map(|child| {
        let kind = child["level"].as_str()?;
        let text = words(child["message"].as_str()?);
        let spans: Vec<&Value> = child["spans"].as_array().into_iter().flatten().collect();
        let own: Vec<Value> = spans.iter().filter(|span| !is_inner(span)).map(|span| (*span).clone()).collect();
        if own.is_empty() && !spans.is_empty() {
            return None;
        }
        let suggested = suggested(&own).map(|it| words(&it));
        let text = match suggested.as_deref() {
            Some(lines) if lines.contains('\n') => format!("{text}:\n{lines}"),
            Some(line) => format!("{text}: {line}"),
            None => text,
        };
        let is_of_ours = [
            "evcxr",
            "Option::None.unwrap()",
            "Ok(())>",
            "run_user_code",
            "EvcxrUser",
            "roborm_display",
            "RobormTypeOf",
            // A file of the session's folder, and how to have it on the screen of rustc.
            "has been written to",
            "using `--verbose`",
        ]
        .iter()
        .any(|it| text.contains(it));
        (matches!(kind, "help" | "note") && !is_of_ours).then(|| (kind.to_owned(), text))
    });
    all.take(MOST).collect()
}

/// Whether it suggests to use something by a path that is one of the crate which a cell is compiled in, by way of a module
/// that the prelude happens to bring: `use crate::common::HoverInfo::X;`.
fn is_inner(span: &Value) -> bool {
    let new = span["suggested_replacement"].as_str().unwrap_or_default().trim();
    new.starts_with("use crate::") && new.matches("::").count() >= 3
}

struct Change<'v> {
    line: u64,
    from: usize,
    until: usize,
    /// The line that is changed; `None` where it is more than one.
    text: Option<&'v str>,
    new: &'v str,
}

/// What the suggestion of these places comes to.
fn suggested(spans: &[Value]) -> Option<String> {
    let number = |value: &Value| value.as_u64().and_then(|it| usize::try_from(it).ok());
    let mut changes: Vec<Change<'_>> = spans
        .iter()
        .filter_map(|span| {
            let is_one_line = span["line_start"] == span["line_end"];
            Some(Change {
                line: span["line_start"].as_u64()?,
                from: number(&span["column_start"])?,
                until: number(&span["column_end"])?,
                text: span["text"][0]["text"].as_str().filter(|_| is_one_line),
                new: span["suggested_replacement"].as_str()?,
            })
        })
        .collect();
    changes.sort_by_key(|change| (change.line, change.from, change.until));
    let first = changes.first()?;
    let is_way = |pair: &[Change<'_>]| {
        pair[0].line == pair[1].line && (pair[1].from < pair[0].until || pair[1].from == pair[0].from)
    };
    let quoted = |text: &str| format!("`{}`", text.trim());
    if changes.windows(2).any(is_way) || (changes.len() == 1 && first.new.trim_end_matches(' ').ends_with('\n')) {
        let mut ways: Vec<&str> = changes.iter().map(|change| change.new.trim()).filter(|it| !it.is_empty()).collect();
        ways.dedup();
        let more = ways.len().saturating_sub(MOST_WAYS);
        let shown: Vec<String> = ways.iter().take(MOST_WAYS).map(|way| quoted(way)).collect();
        let more = if more > 0 { format!(", or one of {more} more") } else { String::new() };
        return (!shown.is_empty()).then(|| format!("{}{more}", shown.join(", or ")));
    }
    let lines = changed(&changes);
    match lines.as_deref() {
        Some([line]) => Some(quoted(line)),
        Some(lines) => Some(lines.iter().map(|line| format!("  {}", line.trim_end())).collect::<Vec<_>>().join("\n")),
        None => {
            let news: Vec<String> =
                changes.iter().map(|change| change.new).filter(|new| !new.trim().is_empty()).map(quoted).collect();
            (!news.is_empty()).then(|| news.join(" … "))
        }
    }
}

/// The lines with all that is changed in them; `None` where they are not at hand, or too long to be read.
fn changed(changes: &[Change<'_>]) -> Option<Vec<String>> {
    let mut lines: Vec<(u64, String)> = Vec::new();
    // From the back, so that columns stay.
    for change in changes.iter().rev() {
        let same = lines.iter().position(|(line, _)| *line == change.line);
        let at = match same {
            Some(at) => at,
            None => {
                lines.insert(0, (change.line, change.text?.to_owned()));
                0
            }
        };
        let text = &mut lines[at].1;
        let byte = |column: usize| text.char_indices().nth(column - 1).map_or(text.len(), |(at, _)| at);
        let range = byte(change.from.max(1))..byte(change.until.max(1));
        text.replace_range(range, change.new);
    }
    let is_short = |(_, text): &(u64, String)| text.lines().all(|line| line.chars().count() <= WIDEST);
    lines.iter().all(is_short).then(|| lines.into_iter().map(|(_, text)| text).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn span(line: u64, from: u64, until: u64, text: &str, new: &str) -> Value {
        json!({
            "line_start": line, "line_end": line, "column_start": from, "column_end": until,
            "text": [{ "text": text }], "suggested_replacement": new,
        })
    }

    #[test]
    fn all_parts_of_a_suggestion_are_shown() {
        let both = [span(3, 10, 10, "    f(é, x)", "("), span(3, 11, 11, "    f(é, x)", ")")];
        assert_eq!(suggested(&both).as_deref(), Some("`f(é, (x))`"));
        let lines = [span(3, 1, 4, "for x in y {", "while"), span(5, 1, 2, "}", "};")];
        assert_eq!(suggested(&lines).as_deref(), Some("  while x in y {\n  };"));
    }

    #[test]
    fn paths_of_what_is_generated_are_not_suggested() {
        let of = |news: &[&str]| {
            let spans: Vec<Value> = news.iter().map(|new| span(1, 1, 1, "", new)).collect();
            notes(&json!({ "children": [{ "level": "help", "message": "consider importing this", "spans": spans }] }))
        };
        assert_eq!(of(&["use crate::common::HoverInfo::X;\n"]), []);
        let both = of(&["use crate::common::HoverInfo::X;\n", "use std::x::X;\n"]);
        assert_eq!(both, [("help".to_owned(), "consider importing this: `use std::x::X;`".to_owned())]);
        assert_eq!(of(&["use crate::mine::f;\n"]).len(), 1);
    }

    #[test]
    fn of_several_ways_each_is_shown() {
        let ways = [
            span(1, 1, 1, "#![allow(x)]", "use std::fmt::Result;\n"),
            span(1, 1, 1, "#![allow(x)]", "use std::io::Result;\n"),
        ];
        assert_eq!(suggested(&ways).as_deref(), Some("`use std::fmt::Result;`, or `use std::io::Result;`"));
        assert_eq!(suggested(&ways[..1]).as_deref(), Some("`use std::fmt::Result;`"));
        let names = [span(2, 5, 8, "    foo", "fob"), span(2, 5, 8, "    foo", "for")];
        assert_eq!(suggested(&names).as_deref(), Some("`fob`, or `for`"));
        assert_eq!(suggested(&[]), None);
    }
}
