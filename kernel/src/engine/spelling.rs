//! Types by their spelling.

/// What wraps a value that a `?` or a name inside unwraps.
const WRAPPERS: [&str; 4] = ["PolarsResult", "Result", "Option", "Box"];

pub(super) fn short(of: &str) -> String {
    if of.len() <= 60 { of.to_owned() } else { base(of) }
}

/// `&'static polars::frame::DataFrame` is `DataFrame`.
pub(super) fn base(of: &str) -> String {
    let mut of = of.trim().trim_start_matches('&');
    if let Some(rest) = of.strip_prefix('\'') {
        of = rest.split_once(' ').map_or(rest, |(_, rest)| rest);
    }
    let of = of.trim_start_matches("mut ").trim_start_matches("dyn ").trim_start_matches("impl ");
    if of.starts_with('[') {
        return "slice".to_owned();
    }
    let of = of.split('<').next().unwrap_or(of).trim();
    let name = of.rsplit("::").next().unwrap_or(of);
    // What iterators are made of are iterators.
    if ITERATORS.contains(&name) { "Iterator".to_owned() } else { name.to_owned() }
}

/// Iterators of std, by the names that variables and signatures call them.
const ITERATORS: [&str; 36] = [
    "Iter",
    "IterMut",
    "IntoIter",
    "Drain",
    "Map",
    "Filter",
    "FilterMap",
    "Enumerate",
    "Zip",
    "Chain",
    "Rev",
    "Take",
    "Skip",
    "TakeWhile",
    "SkipWhile",
    "StepBy",
    "Peekable",
    "Cloned",
    "Copied",
    "Cycle",
    "Flatten",
    "FlatMap",
    "Inspect",
    "Scan",
    "Fuse",
    "MapWhile",
    "Chars",
    "CharIndices",
    "Bytes",
    "Lines",
    "Split",
    "SplitWhitespace",
    "Windows",
    "Chunks",
    "Keys",
    "Values",
];

/// What a type is seen as where it has no method of the name itself.
pub(super) fn deref(owner: &str) -> Option<&'static str> {
    Some(match owner {
        "String" => "str",
        "Vec" => "slice",
        "PathBuf" => "Path",
        "OsString" => "OsStr",
        _ => return None,
    })
}

/// `PolarsResult<DataFrame>` is `DataFrame`.
pub(super) fn unwrapped(of: &str) -> String {
    let bare = stripped(of);
    match WRAPPERS.contains(&base(bare).as_str()) {
        true => arguments(bare).first().map_or_else(|| of.to_owned(), |inside| (*inside).to_owned()),
        false => of.to_owned(),
    }
}

/// Without what says how it is referred to: `&'static mut T` is `T`.
pub(super) fn stripped(of: &str) -> &str {
    let mut of = of.trim();
    while let Some(rest) = of.strip_prefix('&') {
        of = rest.trim_start();
        if of.starts_with('\'') {
            of = of.split_once(' ').map_or("", |(_, rest)| rest.trim_start());
        }
        of = of.strip_prefix("mut ").unwrap_or(of).trim_start();
    }
    of
}

/// `HashMap<K, (A, B)>` has `K` and `(A, B)`.
pub(super) fn arguments(of: &str) -> Vec<&str> {
    let inside = of.split_once('<').and_then(|(_, rest)| rest.rsplit_once('>'));
    inside.map_or_else(Vec::new, |(inside, _)| {
        let mut parts = split(inside);
        parts.retain(|part| !part.starts_with('\''));
        parts
    })
}

/// The parts of a tuple.
pub(super) fn parts(of: &str) -> Option<Vec<&str>> {
    Some(split(stripped(of).strip_prefix('(')?.strip_suffix(')')?))
}

/// What `[T]` and `[T; 3]` have.
pub(super) fn item_of_array(of: &str) -> Option<&str> {
    let inside = stripped(of).strip_prefix('[')?.strip_suffix(']')?;
    Some(inside.rsplit_once(';').map_or(inside, |(head, _)| head).trim())
}

/// At commas that are not in brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0_usize, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '<' | '(' | '[' => depth += 1,
            // `->`
            '>' if text[..at].ends_with('-') => {}
            '>' | ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(text[start..].trim());
    found.retain(|part| !part.is_empty());
    found
}

/// What stands for a value that is only pointed to.
const POINTERS: [&str; 4] = ["Box", "Rc", "Arc", "MutexGuard"];

/// The type, and what it is seen as where a name is looked for behind a dot.
pub(super) fn seen_as(of: &str) -> Vec<&str> {
    let mut now = stripped(of);
    let mut all = vec![now];
    while POINTERS.contains(&base(now).as_str()) {
        let Some(inside) = arguments(now).into_iter().next_back() else { break };
        now = stripped(inside);
        all.push(now);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelled_types() {
        assert_eq!(stripped("&'static mut Vec<i32>"), "Vec<i32>");
        assert_eq!(arguments("std::collections::HashMap<String, (i32, Vec<u8>)>"), ["String", "(i32, Vec<u8>)"]);
        assert_eq!(arguments("Iter<'a, Pt>"), ["Pt"]);
        assert_eq!(parts("(f64, fn(i32) -> i32)"), Some(vec!["f64", "fn(i32) -> i32"]));
        assert_eq!(item_of_array("&[Pt; 3]"), Some("Pt"));
        assert_eq!(seen_as("&Box<Arc<Pt>>"), ["Box<Arc<Pt>>", "Arc<Pt>", "Pt"]);
        assert_eq!(unwrapped("Result<(i32, u8), Error>"), "(i32, u8)");
        assert_eq!(unwrapped("Vec<u8>"), "Vec<u8>");
    }
}
