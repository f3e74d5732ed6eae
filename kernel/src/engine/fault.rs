//! Errors of rustc, as a cell's reader needs them: the span in the cell, the cause, what to do.

use evcxr::CompilationError;

use super::event::Failure;

const BOLD: &str = "\u{1b}[1m";
const RED: &str = "\u{1b}[1;31m";
const BLUE: &str = "\u{1b}[1;34m";
const GREEN: &str = "\u{1b}[1;32m";
const END: &str = "\u{1b}[0m";

/// A failure in one line of what and where, and a line of what to do.
pub(super) fn plain(name: &str, message: &str, help: Option<&str>) -> Failure {
    let mut lines = message.lines();
    let first = lines.next().unwrap_or_default().to_owned();
    let heading = heading(name);
    // A message that begins with its heading does not need it twice.
    let said = first.strip_prefix(&heading).filter(|rest| rest.starts_with(';'));
    let said = said.map_or_else(|| format!(": {first}"), str::to_owned);
    let mut traceback = vec![format!("{RED}{heading}{END}{BOLD}{said}{END}")];
    traceback.extend(lines.map(str::to_owned));
    traceback.extend(help.map(self::help));
    Failure { name: name.to_owned(), message: first, traceback }
}

/// A line of what to do.
pub(super) fn help(text: &str) -> String {
    format!("  {GREEN}help{END}: {text}")
}

/// The failure, that happened at a line and column (from 1) of the cell.
pub(super) fn at(mut failure: Failure, cell: &str, line: usize, column: usize) -> Failure {
    failure.message = format!("{} (line {line}, column {column})", failure.message);
    let mut lines = vec![format!(" {BLUE}-->{END} line {line}, column {column}")];
    if let Some(text) = cell.lines().nth(line - 1) {
        let gutter = line.to_string().len();
        let blank: String =
            text.chars().take(column - 1).map(|letter| if letter == '\t' { '\t' } else { ' ' }).collect();
        lines.push(format!("{:gutter$} {BLUE}|{END}", ""));
        lines.push(format!("{BLUE}{line} |{END} {}", shortened(text)));
        lines.push(format!("{:gutter$} {BLUE}|{END} {blank}{RED}^{END}", ""));
    }
    // Behind the message, before the help.
    failure.traceback.splice(1..1, lines);
    failure
}

/// The failure, that happened in another file.
pub(super) fn elsewhere(mut failure: Failure, place: &str) -> Failure {
    failure.message = format!("{} ({place})", failure.message);
    failure.traceback.insert(1, format!(" {BLUE}-->{END} {place}"));
    failure
}

fn heading(name: &str) -> String {
    match name {
        "Error" => "error".to_owned(),
        "Panic" => "panic".to_owned(),
        "Interrupted" => "interrupted".to_owned(),
        "Died" => "the process died".to_owned(),
        code => format!("error[{code}]"),
    }
}

/// Errors of the compiler. `column` maps a line and a column of what was compiled to the column in the cell.
pub(super) fn compilation(errors: &[CompilationError], cell: &str, column: &dyn Fn(usize, usize) -> usize) -> Failure {
    let mut failure: Option<Failure> = None;
    let errors: Vec<&CompilationError> = errors.iter().filter(|error| error.level() != "warning").collect();
    for error in errors.iter().take(10) {
        let mut lines = Vec::new();
        let code = error.code().map(|code| format!("[{code}]")).unwrap_or_default();
        let question = question(&error.message());
        let message = question.map_or_else(|| words(&error.message()), |(message, _)| message.to_owned());
        lines.push(format!("{RED}error{code}{END}{BOLD}: {message}{END}"));
        let mut place = (1, 1);
        let mut spans: Vec<(usize, usize, usize, bool, String)> = error
            .spanned_messages()
            .iter()
            .filter_map(|it| {
                let span = it.span?;
                let (from, until) =
                    (column(span.start_line, span.start_column), column(span.end_line, span.end_column));
                let until = if span.start_line == span.end_line { until.max(from + 1) } else { usize::MAX };
                // Not where it names what is generated.
                let label = if it.label.contains("EvcxrUserCodeError") { String::new() } else { words(&it.label) };
                Some((span.start_line, from, until, it.is_primary, label))
            })
            .collect();
        spans.sort_by_key(|(line, from, _, primary, _)| (!primary, *line, *from));
        if let Some((line, from, ..)) = spans.first() {
            place = (*line, *from);
        }
        let is_placed = !spans.is_empty();
        spans.sort();
        spans.dedup();
        let gutter = spans.iter().map(|span| span.0.to_string().len()).max().unwrap_or(1);
        let mut shown = 0;
        for (line, from, until, primary, label) in &spans {
            let Some(text) = cell.lines().nth(line - 1) else { continue };
            if shown != *line {
                if shown == 0 {
                    lines.push(format!("{:gutter$}{BLUE}-->{END} line {}, column {}", "", place.0, place.1));
                    lines.push(format!("{:gutter$} {BLUE}|{END}", ""));
                }
                lines.push(format!("{BLUE}{line:gutter$} |{END} {}", shortened(text)));
                shown = *line;
            }
            let length = text.chars().count();
            let width = (*until).min(length + 1).saturating_sub(*from).max(1);
            let (sign, colour) = if *primary { ("^", RED) } else { ("-", BLUE) };
            let blank: String =
                text.chars().take(from - 1).map(|letter| if letter == '\t' { '\t' } else { ' ' }).collect();
            lines.push(format!(
                "{:gutter$} {BLUE}|{END} {blank}{colour}{}{}{label}{END}",
                "",
                sign.repeat(width.min(200)),
                if label.is_empty() { "" } else { " " }
            ));
        }
        lines.extend(notes(error).into_iter().map(|(kind, note)| {
            let note = note.replace('\n', &format!("\n{:gutter$}   ", ""));
            format!("{:gutter$} {BLUE}={END} {BOLD}{kind}{END}: {note}", "")
        }));
        lines.extend(question.map(|(_, what)| help(what)));
        if let Some(hint) = error.evcxr_extra_hint() {
            lines.push(format!("{:gutter$} {BLUE}={END} {BOLD}help{END}: {}", "", hint.replace("Evcxr", "a notebook")));
        }
        match &mut failure {
            None => {
                let name = error.code().unwrap_or("Error").to_owned();
                let first = message.lines().next().unwrap_or_default();
                let place = if is_placed { format!(" (line {}, column {})", place.0, place.1) } else { String::new() };
                failure = Some(Failure { name, message: format!("{first}{place}"), traceback: lines });
            }
            Some(failure) => {
                failure.traceback.push(String::new());
                failure.traceback.append(&mut lines);
            }
        }
    }
    let mut failure = failure.unwrap_or_else(|| plain("Error", "the cell does not compile", None));
    if errors.len() > 10 {
        failure.traceback.push(format!("… and {} more errors", errors.len() - 10));
    }
    failure
}

/// What is to be said of a `?` at the top of a cell that does not fit, and what to do: rustc names the type that evcxr
/// generates for it.
fn question(message: &str) -> Option<(&'static str, &'static str)> {
    if !message.contains('?') {
        return None;
    }
    if message.contains("not `Option`s") {
        return Some((
            "`?` at the top of a cell takes a `Result`, not an `Option`",
            "`.ok_or(\"what is missing\")?` makes a `Result` of it; `.unwrap()` stops the cell where there is nothing",
        ));
    }
    let is_unshown =
        message.contains("couldn't convert the error") && message.contains("fmt::Display` is not satisfied");
    (is_unshown || message.contains("`EvcxrUserCodeError`")).then_some((
        "`?` at the top of a cell takes errors that can be shown (`Display`), which this one cannot",
        "say it in other words: `.map_err(|error| format!(\"{error:?}\"))?`",
    ))
}

/// Helps and notes that say something of their own.
fn notes(error: &CompilationError) -> Vec<(String, String)> {
    let children = error.json["children"].as_array().into_iter().flatten();
    children
        .filter_map(|child| {
            let kind = child["level"].as_str()?;
            let text = words(child["message"].as_str()?);
            let place = child["spans"]
                .as_array()
                .into_iter()
                .flatten()
                .find_map(|span| span["suggested_replacement"].as_str().map(str::trim).filter(|it| !it.is_empty()));
            let text = match place {
                Some(replacement) => format!("{text}: `{replacement}`"),
                None => text,
            };
            let is_of_ours = text.contains("evcxr") || text.contains("run_user_code") || text.contains("EvcxrUser");
            (matches!(kind, "help" | "note") && !is_of_ours).then(|| (kind.to_owned(), text))
        })
        .take(6)
        .collect()
}

/// Paths of what every cell has by its bare name.
const BARE: [&str; 9] = [
    "std::vec::",
    "std::string::",
    "std::option::",
    "std::result::",
    "std::boxed::",
    "roborm_toolkit::prelude::",
    "roborm::prelude::",
    "core::fmt::",
    "std::fmt::",
];

/// The compiler's words, without names that only generated code has, and without paths that nobody writes.
fn words(text: &str) -> String {
    let mut text = text.replace("await_in_cell()", "await");
    for path in BARE {
        text = text.replace(path, "");
    }
    text.replace("roborm_toolkit::", "roborm::")
}

fn shortened(line: &str) -> String {
    if line.chars().count() <= 300 { line.to_owned() } else { line.chars().take(300).chain(['…']).collect() }
}
