//! Errors of rustc, as a cell's reader needs them: the span in the cell, the cause, what to do.

use std::ops::Range;

use evcxr::CompilationError;

use super::advice;
use super::earlier::{Earlier, in_our_file};
use super::event::Failure;

/// Errors of one cell that are shown.
const MOST: usize = 10;

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

/// A line of what has to do with it.
pub(super) fn note(text: &str) -> String {
    format!("  {BOLD}note{END}: {text}")
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

/// What errors of the compiler are told with.
pub(super) struct Reader<'r> {
    pub cell: &'r str,
    /// Maps a line and a column (from 1) of what evcxr was given to the column in the cell.
    pub column: &'r dyn Fn(usize, usize) -> usize,
    /// Maps a line and a column of what rustc was given to those of the cell, where that is known.
    pub exact: Option<&'r dyn Fn(usize, usize) -> Option<(usize, usize)>>,
    /// The item of an earlier cell that an error is in.
    pub earlier: &'r dyn Fn(&CompilationError) -> Option<Earlier>,
}

impl Reader<'_> {
    /// Errors of the compiler.
    pub fn failure(&self, errors: &[CompilationError]) -> Failure {
        let mut failure: Option<Failure> = None;
        let errors: Vec<&CompilationError> = errors.iter().filter(|error| error.level() != "warning").collect();
        for error in errors.iter().take(MOST) {
            let found = self.one(error);
            match &mut failure {
                None => failure = Some(found),
                Some(failure) => {
                    failure.traceback.push(String::new());
                    failure.traceback.extend(found.traceback);
                }
            }
        }
        let mut failure = failure.unwrap_or_else(|| plain("Error", "the cell does not compile", None));
        if errors.len() > MOST {
            failure.traceback.push(format!("… and {} more errors", errors.len() - MOST));
        }
        failure
    }

    fn one(&self, error: &CompilationError) -> Failure {
        let code = error.code().map(|code| format!("[{code}]")).unwrap_or_default();
        let question = question(&error.message());
        let message = question.map_or_else(|| words(&error.message()), |(message, _)| message.to_owned());
        let mut lines = vec![format!("{RED}error{code}{END}{BOLD}: {message}{END}")];
        let first = message.lines().next().unwrap_or_default();
        let spans = self.spans(error);
        let earlier = if spans.iter().any(|span| span.is_primary) { None } else { (self.earlier)(error) };
        let told = match (&earlier, spans.iter().find(|span| span.is_primary).or(spans.first())) {
            (Some(earlier), _) => format!("{first}, in {}{}", earlier.place(), earlier.why()),
            (None, Some(span)) => format!("{first} (line {}, column {})", span.line, span.from),
            (None, None) => first.to_owned(),
        };
        let gutter = spans.iter().map(|span| span.line.to_string().len()).max().unwrap_or(1);
        if let Some(earlier) = &earlier {
            lines.push(format!("{:gutter$}{BLUE}-->{END} {}", "", earlier.place()));
            lines.push(format!("{:gutter$} {BLUE}|{END}", ""));
            lines.push(format!("{:gutter$} {BLUE}|{END} {}", "", shortened(&earlier.line)));
            let Range { start, end } = earlier.columns.clone();
            lines.push(marked(gutter, &earlier.line, start..end, true, &words(&earlier.label)));
        }
        lines.extend(self.shown(&spans, gutter, earlier.is_none()));
        lines.extend(advice::notes(error).into_iter().map(|(kind, note)| {
            let note = note.replace('\n', &format!("\n{:gutter$}   ", ""));
            format!("{:gutter$} {BLUE}={END} {BOLD}{kind}{END}: {note}", "")
        }));
        lines.extend(question.map(|(_, what)| help(what)));
        lines.extend(missing(&message).map(help));
        lines.extend(earlier.map(|earlier| help(&earlier.help())));
        if let Some(hint) = error.evcxr_extra_hint() {
            lines.push(format!("{:gutter$} {BLUE}={END} {BOLD}help{END}: {}", "", hint.replace("Evcxr", "a notebook")));
        }
        Failure { name: error.code().unwrap_or("Error").to_owned(), message: told, traceback: lines }
    }

    /// The places of an error in the cell, in their order.
    fn spans(&self, error: &CompilationError) -> Vec<Span> {
        let mut spans = match self.exact {
            Some(exact) => self.exact_spans(error, exact),
            None => self.spans_of_evcxr(error),
        };
        spans.sort();
        spans.dedup();
        spans
    }

    fn spans_of_evcxr(&self, error: &CompilationError) -> Vec<Span> {
        let all = error.spanned_messages().iter().filter_map(|it| {
            let span = it.span?;
            let (from, until) =
                ((self.column)(span.start_line, span.start_column), (self.column)(span.end_line, span.end_column));
            let until = if span.start_line == span.end_line { until.max(from + 1) } else { usize::MAX };
            Some(Span { line: span.start_line, from, until, is_primary: it.is_primary, label: label(&it.label, error) })
        });
        all.collect()
    }

    /// evcxr gives no places in a cell's last expression.
    fn exact_spans(
        &self,
        error: &CompilationError,
        exact: &dyn Fn(usize, usize) -> Option<(usize, usize)>,
    ) -> Vec<Span> {
        let all = error.json["spans"].as_array().into_iter().flatten().filter_map(|span| {
            let text = span["label"].as_str().unwrap_or_default();
            let is_primary = span["is_primary"] == true;
            let span = in_our_file(span);
            let number = |name: &str| span[name].as_u64().and_then(|it| usize::try_from(it).ok());
            let (start, end) = (number("column_start")?, number("column_end")?);
            let (line, from) = exact(number("line_start")?, start)?;
            let until = if span["line_start"] == span["line_end"] {
                from + end.saturating_sub(start).max(1)
            } else {
                usize::MAX
            };
            Some(Span { line, from, until, is_primary, label: label(text, error) })
        });
        all.collect()
    }

    fn shown(&self, spans: &[Span], gutter: usize, with_place: bool) -> Vec<String> {
        let mut lines = Vec::new();
        let mut shown = 0;
        let place = spans.iter().find(|span| span.is_primary).or(spans.first());
        for span in spans {
            let Some(text) = self.cell.lines().nth(span.line - 1) else { continue };
            if shown != span.line {
                if let Some(place) = place.filter(|_| shown == 0 && with_place) {
                    lines.push(format!("{:gutter$}{BLUE}-->{END} line {}, column {}", "", place.line, place.from));
                    lines.push(format!("{:gutter$} {BLUE}|{END}", ""));
                }
                lines.push(format!("{BLUE}{:gutter$} |{END} {}", span.line, shortened(text)));
                shown = span.line;
            }
            lines.push(marked(gutter, text, span.from..span.until, span.is_primary, &span.label));
        }
        lines
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Span {
    line: usize,
    from: usize,
    until: usize,
    is_primary: bool,
    label: String,
}

/// What is said of a place; not where it names what is generated, or says what was said.
fn label(text: &str, error: &CompilationError) -> String {
    let is_said = text.strip_prefix("error: ").is_some_and(|rest| rest == error.message());
    if is_said || text.contains("EvcxrUserCodeError") { String::new() } else { words(text) }
}

/// The line below a line, with signs under these columns (from 1) of it.
fn marked(gutter: usize, text: &str, columns: Range<usize>, is_primary: bool, label: &str) -> String {
    let width = columns.end.min(text.chars().count() + 1).saturating_sub(columns.start).max(1);
    let (sign, colour) = if is_primary { ("^", RED) } else { ("-", BLUE) };
    let blank: String =
        text.chars().take(columns.start.saturating_sub(1)).map(|it| if it == '\t' { '\t' } else { ' ' }).collect();
    let space = if label.is_empty() { "" } else { " " };
    format!("{:gutter$} {BLUE}|{END} {blank}{colour}{}{space}{label}{END}", "", sign.repeat(width.min(200)))
}

/// What to do about something that the crates of the toolkit have been built without.
fn missing(message: &str) -> Option<&'static str> {
    (message.contains("`blocking` in `reqwest`") || message.contains("`reqwest::blocking`")).then_some(
        "reqwest is asked with `.await` here, which a cell may say at its top: `reqwest::get(url).await?.text().await?`; \
         a function that is not `async` says `wait(reqwest::get(url))?`",
    )
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
pub(super) fn words(text: &str) -> String {
    let mut text = text.replace("await_in_cell()", "await");
    for path in BARE {
        text = text.replace(path, "");
    }
    text.replace("roborm_toolkit::", "roborm::")
}

fn shortened(line: &str) -> String {
    if line.chars().count() <= 300 { line.to_owned() } else { line.chars().take(300).chain(['…']).collect() }
}
