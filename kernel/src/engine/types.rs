//! Types of variables, as rustc names them.

/// The type as it can be written in source code, of what rustc calls it; or why it cannot.
pub(super) fn written(variable: &str, found: &str) -> Result<String, String> {
    let boxed = |what: &str, form: &str| {
        Err(format!(
            "the variable `{variable}` {what}, which cannot be kept for the next cell\n\
             box it (`let {variable}: {form};`), or put the code in braces, so that `{variable}` need not last"
        ))
    };
    let cannot = |what: &str| boxed(what, "Box<dyn …> = Box::new(…)");
    if found.contains("{closure@") || found.contains("{async closure@") || found.contains("{coroutine-closure") {
        return cannot("holds a closure");
    }
    if found.contains("{async block@") || found.contains("{async fn body") || found.contains("{coroutine") {
        return boxed("holds what an async block makes", "std::pin::Pin<Box<dyn Future<Output = _>>> = Box::pin(…)");
    }
    if found.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "impl") {
        return cannot(&format!("has a type without a name, `{found}`"));
    }
    let found = without_items(&found.replace("{integer}", "i32").replace("{float}", "f64"));
    if found.contains('{') || found.contains("/*") {
        return cannot(&format!("has a type without a name, `{found}`"));
    }
    if found == "_" || has_hole(&found) {
        return Err(format!(
            "the type of the variable `{variable}` is not settled by this cell: rustc sees `{found}`\nwrite it: `let {variable}: … = …;`"
        ));
    }
    Ok(with_lifetimes(&found.replace("roborm_toolkit::", "roborm::")))
}

fn has_hole(found: &str) -> bool {
    found.replace("'_", "").split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "_")
}

/// `fn(i32) -> i32 {double}` is a function of that type.
fn without_items(found: &str) -> String {
    let mut out = String::with_capacity(found.len());
    let mut rest = found;
    while let Some(at) = rest.find(" {") {
        let Some(end) = rest[at..].find('}') else { break };
        out.push_str(&rest[..at]);
        rest = &rest[at + end + 1..];
    }
    out.push_str(rest);
    out
}

/// What lasts from cell to cell can only refer to what lasts for ever.
fn with_lifetimes(found: &str) -> String {
    let found = found.replace("'_", "'static");
    let mut out = String::with_capacity(found.len() + 16);
    let mut letters = found.chars().peekable();
    while let Some(letter) = letters.next() {
        out.push(letter);
        if letter == '&' && letters.peek() != Some(&'\'') {
            out.push_str("'static ");
        }
    }
    // `for<'a> fn(&'a str)` names its own.
    out
}

#[cfg(test)]
mod tests {
    use super::written;

    fn ok(found: &str) -> String {
        written("x", found).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn names() {
        assert_eq!(ok("std::vec::Vec<{integer}>"), "std::vec::Vec<i32>");
        assert_eq!(ok("&str"), "&'static str");
        assert_eq!(ok("(&str, {float})"), "(&'static str, f64)");
        assert_eq!(ok("std::borrow::Cow<'_, str>"), "std::borrow::Cow<'static, str>");
        assert_eq!(ok("fn(i32) -> i32 {double}"), "fn(i32) -> i32");
        assert_eq!(ok("std::option::Option<fn() {main}>"), "std::option::Option<fn()>");
    }

    #[test]
    fn what_has_no_name_is_told_of() {
        for found in ["{closure@src/lib.rs:1:9: 1:12}", "impl Iterator<Item = u8>", "{async block@src/lib.rs:1:1: 1:2}"]
        {
            let error = written("x", found).expect_err(found);
            assert!(error.contains("`x`") && error.contains("cannot be kept"), "{error}");
        }
        let error = written("x", "{async block@src/lib.rs:1:1: 1:2}").expect_err("a future");
        assert!(error.contains("let x: std::pin::Pin<Box<dyn Future<Output = _>>> = Box::pin(…);"), "{error}");
        assert!(written("x", "std::vec::Vec<_>").expect_err("a hole").contains("not settled"));
    }
}
