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
    let said = first.strip_prefix(&heading).filter(|rest| rest.is_empty() || rest.starts_with([';', ':', ' ']));
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
        let (text, shift) = around(text, column);
        let column = column.saturating_sub(shift).max(1);
        let blank: String =
            text.chars().take(column - 1).map(|letter| if letter == '\t' { '\t' } else { ' ' }).collect();
        lines.push(format!("{:gutter$} {BLUE}|{END}", ""));
        lines.push(format!("{BLUE}{line} |{END} {text}"));
        lines.push(format!("{:gutter$} {BLUE}|{END} {blank}{RED}^{END}", ""));
    }
    // Behind the message, before the help.
    failure.traceback.splice(1..1, lines);
    failure
}

/// The failure, that happened at a column (from 1) of this line of an earlier cell.
pub(super) fn earlier(mut failure: Failure, place: &str, line: &str, column: usize) -> Failure {
    failure.message = format!("{} ({place})", failure.message);
    let (text, shift) = around(line, column);
    let sign = marked(1, &text, column.saturating_sub(shift)..column.saturating_sub(shift) + 1, true, "");
    let lines = [format!(" {BLUE}-->{END} {place}"), format!("  {BLUE}|{END} {text}"), sign];
    failure.traceback.splice(1..1, lines);
    failure
}

/// The failure, that happened in another file.
pub(super) fn elsewhere(mut failure: Failure, file: &str, line: usize) -> Failure {
    let place = format!("{}, line {line}", short(file));
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

/// Maps a line and a column (from 1) to others, where there are any.
pub(super) type Exact<'e> = dyn Fn(usize, usize) -> Option<(usize, usize)> + 'e;

/// What errors of the compiler are told with.
pub(super) struct Reader<'r> {
    pub cell: &'r str,
    /// Maps a line and a column (from 1) of what evcxr was given to the column in the cell.
    pub column: &'r dyn Fn(usize, usize) -> usize,
    /// Maps a line and a column of what rustc was given to those of the cell, where that is known.
    pub exact: Option<&'r Exact<'r>>,
    /// The item of an earlier cell that an error is in.
    pub earlier: &'r dyn Fn(&CompilationError) -> Option<Earlier>,
}

impl Reader<'_> {
    /// Errors of the compiler.
    pub fn failure(&self, errors: &[CompilationError]) -> Failure {
        let mut failure: Option<Failure> = None;
        let errors = told_once(errors);
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
        let passing = not_static(&message).map(str::to_owned);
        let message = match &passing {
            Some(name) => {
                format!(
                    "the variable `{name}` refers to another one of the cell, which cannot be kept for the next cell"
                )
            }
            None => message,
        };
        let spans = self.spans(error);
        let message = self.with_what_follows(message, &spans);
        // cargo says so too.
        let message = message.strip_prefix("error: ").map_or_else(|| message.clone(), str::to_owned);
        let mut lines = vec![format!("{RED}error{code}{END}{BOLD}: {message}{END}")];
        let first = message.lines().next().unwrap_or_default();
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
            let Range { start, end } = earlier.columns.clone();
            let (text, shift) = around(&earlier.line, start);
            lines.push(format!("{:gutter$} {BLUE}|{END} {text}", ""));
            let columns = start.saturating_sub(shift)..end.saturating_sub(shift);
            lines.push(marked(gutter, &text, columns, true, &words(&earlier.label)));
        }
        lines.extend(self.shown(&spans, gutter, earlier.is_none()));
        lines.extend(advice::notes(&error.json).into_iter().map(|(kind, note)| {
            let note = note.replace('\n', &format!("\n{:gutter$}   ", ""));
            format!("{:gutter$} {BLUE}={END} {BOLD}{kind}{END}: {note}", "")
        }));
        lines.extend(question.map(|(_, what)| help(what)));
        lines.extend(passing.map(|name| {
            help(&format!(
                "keep a value in `{name}` (`.clone()`, `.to_owned()`, an index), or put the code in braces, so that `{name}` \
                 need not last"
            ))
        }));
        lines.extend(missing(&message).map(help));
        lines.extend(earlier.map(|earlier| help(&earlier.help())));
        if let Some(hint) = error.evcxr_extra_hint() {
            lines.push(format!("{:gutter$} {BLUE}={END} {BOLD}help{END}: {}", "", hint.replace("Evcxr", "a notebook")));
        }
        Failure { name: error.code().unwrap_or("Error").to_owned(), message: told, traceback: lines }
    }

    /// The message with what follows in the cell: before the last expression rustc finds a `let` that nobody has typed.
    fn with_what_follows(&self, message: String, spans: &[Span]) -> String {
        const LET: &str = "found keyword `let`";
        let Some(span) = spans.iter().find(|span| span.is_primary).filter(|_| message.ends_with(LET)) else {
            return message;
        };
        let byte = |line: &str| line.char_indices().nth(span.from.saturating_sub(1)).map_or(line.len(), |(at, _)| at);
        let mut lines = self.cell.lines().skip(span.line.saturating_sub(1));
        let rest = lines.next().map(|line| &line[byte(line)..]).unwrap_or_default();
        let following = std::iter::once(rest).chain(lines).map(str::trim).find(|line| !line.is_empty());
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        match following.map(|line| (line, line.find(|c| !is_word(c)).unwrap_or(line.len()))) {
            Some((line, end)) if end > 0 && &line[..end] != "let" => {
                message.replace(LET, &format!("found `{}`", &line[..end]))
            }
            Some((_, 0)) => message.replace(&format!(", {LET}"), ""),
            _ => message,
        }
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
    fn exact_spans(&self, error: &CompilationError, exact: &Exact<'_>) -> Vec<Span> {
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
        let (mut text, mut shift) = (String::new(), 0);
        let place = spans.iter().find(|span| span.is_primary).or(spans.first());
        for span in spans {
            let Some(whole) = self.cell.lines().nth(span.line - 1) else { continue };
            if shown != span.line {
                if let Some(place) = place.filter(|_| shown == 0 && with_place) {
                    lines.push(format!("{:gutter$}{BLUE}-->{END} line {}, column {}", "", place.line, place.from));
                    lines.push(format!("{:gutter$} {BLUE}|{END}", ""));
                }
                let primary = spans.iter().find(|other| other.line == span.line && other.is_primary).unwrap_or(span);
                (text, shift) = around(whole, primary.from);
                lines.push(format!("{BLUE}{:gutter$} |{END} {text}", span.line));
                shown = span.line;
            }
            let columns = span.from.saturating_sub(shift)..span.until.saturating_sub(shift);
            lines.push(marked(gutter, &text, columns, span.is_primary, &span.label));
        }
        lines
    }
}

/// The errors, without those which say again of the same name that there is no such thing.
fn told_once(errors: &[CompilationError]) -> Vec<&CompilationError> {
    const UNKNOWN: [&str; 6] = ["E0405", "E0412", "E0422", "E0425", "E0432", "E0433"];
    let mut told = Vec::new();
    let mut names = std::collections::BTreeSet::new();
    for error in errors.iter().filter(|error| error.level() != "warning") {
        let is_unknown = error.code().is_some_and(|code| UNKNOWN.contains(&code));
        if !is_unknown || names.insert(error.message()) {
            told.push(error);
        }
    }
    // That a reference must last for ever is said in better words of the variable that it is in.
    let is_static = |error: &&CompilationError| error.message().contains(NOT_STATIC);
    if told.iter().any(is_static) {
        let is_consequence = |error: &&CompilationError| ["E0502", "E0499", "E0506"].map(Some).contains(&error.code());
        told.retain(|error| !(is_consequence(error) && mentions_static(error)));
    }
    told
}

fn mentions_static(error: &CompilationError) -> bool {
    error.json["spans"]
        .as_array()
        .into_iter()
        .flatten()
        .any(|span| span["label"].as_str().is_some_and(|label| label.contains("'static")))
        || error.json.to_string().contains("is borrowed for `'static`")
}

/// What evcxr says of a variable that refers to what does not last.
const NOT_STATIC: &str = "contains a reference with a non-static lifetime";

/// The variable that refers to what does not last, in evcxr's words.
fn not_static(message: &str) -> Option<&str> {
    message.contains(NOT_STATIC).then(|| message.split('`').nth(1)).flatten()
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
    without_places(&text.replace("roborm_toolkit::", "roborm::"))
}

/// `{closure@target/build/src/lib.rs:12:9: 12:12}` is a closure: the place is one of generated code, and what it is of is
/// underlined.
fn without_places(text: &str) -> String {
    let mut told = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('@') {
        let (head, tail) = rest.split_at(at);
        let end = tail.find(['}', ')', '>', '`', '\n']).filter(|end| tail[*end..].starts_with('}'));
        told.push_str(head);
        let is_place = ["{closure", "{async block", "{async closure", "{coroutine", "{async fn body"];
        match end.filter(|_| is_place.iter().any(|what| head.ends_with(what))) {
            Some(end) => rest = &tail[end..],
            None => {
                told.push('@');
                rest = &tail[1..];
            }
        }
    }
    told + rest
}

/// A file of another crate as it is called there, and not where it lies on the machine that built it.
fn short(file: &str) -> &str {
    let of_registry = file.split_once("/registry/src/").and_then(|(_, rest)| rest.split_once('/'));
    let of_std = file.strip_prefix("/rustc/").and_then(|rest| rest.split_once('/'));
    of_registry.or(of_std).map_or(file, |(_, rest)| rest)
}

/// Characters of a line that are shown, and those before the place that it is shown for.
const WIDEST: usize = 300;
const BEFORE: usize = 100;

/// The line, or what of it stands around a column (from 1); and by how much the columns of that are less.
fn around(line: &str, column: usize) -> (String, usize) {
    if line.len() <= WIDEST || line.chars().count() <= WIDEST {
        return (line.to_owned(), 0);
    }
    let start = if column <= WIDEST - BEFORE { 0 } else { column.saturating_sub(BEFORE) };
    let mut text: String = line.chars().skip(start).take(WIDEST).collect();
    if line.chars().nth(start + WIDEST).is_some() {
        text.push('…');
    }
    // The sign has the place of a character.
    match start {
        0 => (text, 0),
        _ => (format!("…{text}"), start - 1),
    }
}
