//! The chat template of a checkpoint, read for whether it writes what is written here.
//!
//! It is a program in Jinja and is not run. Its branches are followed as far as their conditions are known: there is one
//! message, of the user, with a list of parts, and no tools. What it then writes for certain must be the marks of the chat
//! and the names of the roles alone.

use std::path::Path;

use crate::checkpoint::{read_json, read_text};
use crate::{Error, Result};

/// Marks that go into a prompt as they stand.
const MARKS: [&str; 7] =
    ["<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|video_pad|>", "<|image_pad|>", "<think>"];

/// What a template says about the prompt.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Template {
    /// The answer opens with a thought.
    pub(super) thinks: bool,
    /// The line that the answer is opened with does not end: the template itself ended there, and Jinja takes the last line
    /// end of a template away.
    pub(super) is_cut: bool,
    /// What cannot be decided here.
    pub(super) note: Option<String>,
}

impl Template {
    /// Reads the template of a folder, from the file that transformers would take it from; without any, it is that of
    /// Qwen3-VL.
    ///
    /// # Errors
    /// Where it writes other words around a message than are written here.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let Some((file, text)) = find(folder)? else {
            let note = "no chat template: a prompt is written as that of Qwen3-VL writes it".to_owned();
            return Ok(Self { note: Some(note), ..Self::default() });
        };
        let place = folder.join(file).display().to_string();
        let mut template = Self::parse(&text).map_err(|error| error.at(&place))?;
        template.note = template.note.map(|note| format!("{file}: {note}"));
        Ok(template)
    }

    fn parse(text: &str) -> Result<Self> {
        let written = written(text);
        let refuse = |what: String| {
            Error::setup(format!("a chat template that {what} is not known here"))
                .with_help("run the checkpoint behind a server instead: --base-url")
        };
        // A template may put them together from parts: that they stand in it is all that is asked.
        let lacking = ["<|im_start|>", "<|im_end|>"].into_iter().find(|mark| !text.contains(mark));
        let pictured = text.contains("<|vision_start|>") || text.contains("<|video_pad|>");
        if let Some(mark) = lacking.or((!pictured).then_some("<|video_pad|>")) {
            return Err(refuse(format!("writes no {mark}")));
        }
        let certain = written.iter().filter(|(when, _)| *when == Some(true));
        let mut words: String = certain.map(|(_, text)| text.as_str()).collect();
        for mark in MARKS {
            words = words.replace(mark, " ");
        }
        let words: Vec<&str> = words.split_whitespace().filter(|word| !["user", "assistant"].contains(word)).collect();
        if !words.is_empty() {
            let words: String = words.join(" ").chars().take(60).collect();
            return Err(refuse(format!("writes '{words}' around a message")));
        }
        let system = written.iter().any(|(when, text)| when.is_none() && text.contains("<|im_start|>system"));
        let note = system.then(|| {
            "whether the chat template puts a system turn in front by itself cannot be told; none is put here"
                .to_owned()
        });
        let thinks = text.contains("assistant\n<think>") || text.contains("assistant\\n<think>");
        let is_cut = ["<|im_start|>assistant\n", "<think>\n"].iter().any(|end| text.ends_with(end));
        Ok(Self { thinks, is_cut, note })
    }
}

/// The file that the template is in, and the template.
fn find(folder: &Path) -> Result<Option<(&'static str, String)>> {
    let plain = "chat_template.jinja";
    if folder.join(plain).exists() {
        return Ok(Some((plain, read_text(&folder.join(plain))?)));
    }
    for file in ["chat_template.json", "processor_config.json", "tokenizer_config.json"] {
        let path = folder.join(file);
        if !path.exists() {
            continue;
        }
        let value = read_json(&path)?;
        let template = &value["chat_template"];
        // Older files have several, each with a name.
        let named = template.as_array().and_then(|all| all.iter().find(|one| one["name"] == "default"));
        match named.map_or(template, |one| &one["template"]) {
            serde_json::Value::String(text) => return Ok(Some((file, text.clone()))),
            serde_json::Value::Null => {}
            _ => return Err(Error::setup(format!("{}: chat_template is not a text", path.display()))),
        }
    }
    Ok(None)
}

/// What a template writes, piece by piece, but for values that it takes from elsewhere: for certain, or perhaps (none).
/// What it cannot write for one message of the user is left out.
fn written(template: &str) -> Vec<(Option<bool>, String)> {
    let mut pieces: Vec<(Option<bool>, String)> = Vec::new();
    let mut branches: Vec<Branch> = Vec::new();
    let mut rest = template;
    while !rest.is_empty() {
        let start = ["{{", "{%", "{#"].iter().filter_map(|open| rest.find(open)).min().unwrap_or(rest.len());
        let here = all(branches.iter().map(|branch| branch.now));
        let mut add = |text: &str| {
            // One text runs on over the tags between its pieces.
            match pieces.last_mut() {
                _ if here == Some(false) || text.is_empty() => {}
                Some((when, before)) if *when == here => before.push_str(text),
                _ => pieces.push((here, text.to_owned())),
            }
        };
        add(&rest[..start]);
        rest = &rest[start..];
        let close = match rest.get(..2) {
            Some("{{") => "}}",
            Some("{%") => "%}",
            Some(_) => "#}",
            None => break,
        };
        let end = end(rest, close);
        let inside = rest.get(2..end).unwrap_or_default();
        let inside = inside.trim_matches(|c: char| c == '-' || c == '+' || c.is_whitespace());
        match close {
            "}}" => literals(inside).iter().for_each(|text| add(text)),
            "%}" => follow(inside, &mut branches),
            _ => {}
        }
        rest = rest.get(end + 2..).unwrap_or_default();
    }
    pieces
}

/// Where a tag ends: not inside a text that it holds.
fn end(tag: &str, close: &str) -> usize {
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in tag.char_indices().skip(2) {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if tag[at..].starts_with(close) => return at,
            None if close != "#}" && matches!(c, '\'' | '"') => quote = Some(c),
            None => {}
        }
    }
    tag.len()
}

/// A branch that is open.
struct Branch {
    /// Whether what stands here is written.
    now: Option<bool>,
    /// Whether one of the branches before was.
    before: Option<bool>,
}

/// Opens, changes or closes branches by a statement.
fn follow(statement: &str, branches: &mut Vec<Branch>) {
    let (word, condition) = statement.split_once(char::is_whitespace).unwrap_or((statement, ""));
    match word {
        "if" => branches.push(Branch { now: known(condition), before: Some(false) }),
        "for" => {
            let tools = condition.ends_with(" in tools") || condition.ends_with(".tool_calls");
            branches.push(Branch { now: Some(!tools), before: Some(false) });
        }
        // Written where it is called.
        "macro" => branches.push(Branch { now: None, before: None }),
        "elif" | "else" => {
            if let Some(branch) = branches.last_mut() {
                branch.before = any([branch.before, branch.now].into_iter());
                let this = if word == "else" { Some(true) } else { known(condition) };
                branch.now = all([branch.before.map(|before| !before), this].into_iter());
            }
        }
        "endif" | "endfor" | "endmacro" => drop(branches.pop()),
        _ => {}
    }
}

/// Whether a condition holds for one message of the user, of a list of parts, as far as that is known.
fn known(condition: &str) -> Option<bool> {
    let condition = condition.trim();
    let whole = condition.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    if let Some(whole) = whole.filter(|whole| !whole.contains(['(', ')'])) {
        return known(whole);
    }
    // A connective inside parentheses splits them: its parts are then unknown.
    if condition.contains(" or ") {
        return any(condition.split(" or ").map(known));
    }
    if condition.contains(" and ") {
        return all(condition.split(" and ").map(known));
    }
    if let Some(rest) = condition.strip_prefix("not ") {
        return known(rest).map(|holds| !holds);
    }
    let plain = condition.replace("['role']", ".role").replace("[\"role\"]", ".role").replace('"', "'");
    let plain: String = plain.split_whitespace().collect();
    for (sign, holds) in [(".role=='", true), (".role!='", false)] {
        if let Some((_, role)) = plain.split_once(sign) {
            return role.strip_suffix('\'').filter(|role| !role.contains('\'')).map(|role| (role == "user") == holds);
        }
    }
    match plain.as_str() {
        "add_generation_prompt" | "loop.first" | "loop.last" | "messages" => Some(true),
        "tools" | "toolsisdefined" | "add_vision_id" | "message.tool_calls" => Some(false),
        plain if plain.ends_with(".contentisstring") => Some(false),
        _ => None,
    }
}

/// Whether all hold.
fn all(mut conditions: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let fold = conditions.try_fold(Some(true), |so_far, condition| match condition {
        Some(false) => Err(()),
        Some(true) => Ok(so_far),
        None => Ok(None),
    });
    fold.unwrap_or(Some(false))
}

/// Whether one holds.
fn any(conditions: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    all(conditions.map(|condition| condition.map(|holds| !holds))).map(|holds| !holds)
}

/// The texts that an expression writes as they stand: those at its beginning and after a sign that joins, not those that
/// it hands to a function or looks up by.
fn literals(expression: &str) -> Vec<String> {
    let mut found = Vec::new();
    // What is written on a condition is not known.
    if expression.contains(" if ") {
        return found;
    }
    let (mut rest, mut joined) = (expression, true);
    while let Some(start) = rest.find(['\'', '"']) {
        let (before, quoted) = rest.split_at(start);
        let joins = before.trim_end().ends_with(['+', '~']) || (joined && before.trim().is_empty());
        let quote = if quoted.starts_with('\'') { '\'' } else { '"' };
        let mut escaped = false;
        let end = quoted.char_indices().skip(1).find(|&(_, c)| {
            let ends = c == quote && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        let end = end.map_or(quoted.len(), |(end, _)| end);
        if joins {
            let text = quoted.get(1..end).unwrap_or_default();
            found.push(text.replace("\\n", "\n"));
        }
        rest = quoted.get(end + 1..).unwrap_or_default();
        joined = false;
    }
    found
}
