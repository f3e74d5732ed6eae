//! Expressions and types by their spelling: as far as that tells, what a chain of calls comes to.

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
    match of.split_once('<') {
        Some((head, inside)) if WRAPPERS.contains(&base(head).as_str()) => {
            inside.trim_end_matches('>').split(',').next().unwrap_or(inside).trim().to_owned()
        }
        _ => of.to_owned(),
    }
}

/// One link of a chain.
pub(super) struct Link {
    pub owner: Option<String>,
    pub name: String,
    pub is_call: bool,
    pub is_tried: bool,
}

/// `df.lazy().select([…])?` as its links, where the text ends in such a chain.
pub(super) fn chain(text: &str) -> Vec<Link> {
    let bytes = text.as_bytes();
    let mut end = bytes.len();
    let mut links = Vec::new();
    loop {
        while end > 0 && bytes[end - 1].is_ascii_whitespace() {
            end -= 1;
        }
        let mut is_tried = false;
        while end > 0 && bytes[end - 1] == b'?' {
            (is_tried, end) = (true, end - 1);
        }
        let mut is_call = false;
        if end > 0 && bytes[end - 1] == b')' {
            let Some(open) = opening(&bytes[..end]) else { return Vec::new() };
            (is_call, end) = (true, open);
        }
        let start = text[..end].rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        if start >= end {
            return Vec::new();
        }
        let name = text[start..end].to_owned();
        let owner = text[..start]
            .strip_suffix("::")
            .map(|head| base(head.rsplit([' ', '(', '=', ',', '&']).next().unwrap_or(head)));
        let is_first = owner.is_some() || !text[..start].trim_end().ends_with('.');
        links.push(Link { owner, name, is_call, is_tried });
        if is_first {
            links.reverse();
            return links;
        }
        end = text[..start].trim_end().len() - 1;
    }
}

/// Where the bracket opens that closes at the end; brackets in strings are rare enough.
fn opening(bytes: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in bytes.iter().enumerate().rev() {
        match byte {
            b')' | b']' | b'}' => depth += 1,
            b'(' | b'[' | b'{' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}
