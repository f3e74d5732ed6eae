//! What evcxr makes of a cell, and what is made of that before rustc sees it.
//!
//! evcxr compiles a store of variables into every cell that has any, and prints its notices to standard output. Both have
//! a better place in the toolkit. Lines stay lines: evcxr maps errors by their numbers.

use std::collections::BTreeSet;

use serde_json::Value;

const STORE: &str = "mod evcxr_internal_runtime {\n";
const STORE_END: &str = "Box::into_raw(Box::new(VariableStore::new()))\n}\n}\n";
const NOTICE: &str = "println!(\"EVCXR_PANIC_NOTIFICATION\");";

/// How evcxr has a cell put a variable back into the store.
const PUT: &str = "evcxr_variable_store.put_variable::<";

/// What stands at the top of all that evcxr makes of a cell, and is taken out before rustc sees it. evcxr has rust-analyzer
/// infer what every cell comes to, with a call for each variable that there is; all types are written down here before, and
/// what this condition stands over has, to rust-analyzer, nothing in it.
pub(super) const UNREAD: &str = "#![cfg(roborm_unread)]";

/// How evcxr shows the value of the last expression, and how it is shown here.
const SHOW: &str = "\n).evcxr_display();";
const OURS: &str = "\n).roborm_display();";

/// Whether the code shows a value in a way that the names in scope do not know: evcxr's own first cell, which comes
/// before the prelude. The line that does.
pub(super) fn shows_too_early(code: &str) -> Option<usize> {
    let at = code.rfind(SHOW)?;
    (!code.contains("use roborm::prelude::*;")).then(|| code[..at + 1].matches('\n').count() + 1)
}

/// The same code with values shown in evcxr's own way, for types that have that, or are `Display` alone: the prelude has the
/// same name for those.
pub(super) fn shown_by_evcxr(code: &str) -> Option<String> {
    code.rfind(OURS).map(|at| format!("{}{SHOW}{}", &code[..at], &code[at + OURS.len()..]))
}

/// Whether the code is not for running: evcxr compiles it without its guard against panics, where that has failed, for better
/// errors.
pub(super) fn is_for_its_errors(code: &str) -> bool {
    !code.contains("catch_unwind")
}

/// How evcxr shows a value where its first way does not compile, for whatever reason: a variable that is moved by what is
/// shown is one.
const DEBUG: &str = "evcxr_send_text_plain(&format!(\"{:?}\",&(";
const DEBUG_END: &str = "\n)));";

/// The same code with a value shown as the toolkit shows it, where evcxr has fallen back to its second way.
pub(super) fn shown_otherwise(code: &str) -> Option<String> {
    let (start, end) = (code.rfind(DEBUG)?, code.rfind(DEBUG_END)?);
    if end < start || !code.contains("use roborm::prelude::*;") {
        return None;
    }
    let (value, rest) = (&code[start + DEBUG.len()..end], &code[end + DEBUG_END.len()..]);
    Some(format!("{}({value}{OURS}{rest}", &code[..start]))
}

/// The same code with values shown as the toolkit shows them, and nothing else changed.
pub(super) fn shown_by_us(code: &str) -> String {
    let mut code = code.to_owned();
    if let Some(at) = code.rfind(SHOW) {
        code.replace_range(at..at + SHOW.len(), OURS);
    }
    code
}

/// The same code with the toolkit's type for what `?` passes on in the place of evcxr's.
pub(super) fn with_shared_error(code: &str) -> String {
    const BEGIN: &str = "struct EvcxrUserCodeError {}\n";
    const END: &str = "EvcxrUserCodeError {}\n                }\n            }\n";
    let Some(start) = code.find(BEGIN) else { return code.to_owned() };
    let Some(length) = code[start + BEGIN.len()..].find(END).map(|at| BEGIN.len() + at + END.len()) else {
        return code.to_owned();
    };
    let lines = code[start..start + length].matches('\n').count();
    let ours = format!("use ::roborm::cell::EvcxrUserCodeError;{}", "\n".repeat(lines));
    format!("{}{ours}{}", &code[..start], &code[start + length..])
}

/// The code that is compiled.
pub(super) fn replace(code: &str) -> String {
    let mut code = code.to_owned();
    if let Some(start) = code.find(STORE)
        && let Some(length) = code[start..].find(STORE_END).map(|at| at + STORE_END.len())
    {
        let lines = code[start..start + length].matches('\n').count();
        let ours = format!("use ::roborm::cell::store as evcxr_internal_runtime;{}", "\n".repeat(lines));
        code.replace_range(start..start + length, &ours);
    }
    if let Some(at) = code.rfind(SHOW) {
        code.replace_range(at..at + SHOW.len(), OURS);
    }
    // The last is evcxr's: a cell that has the words comes before it.
    if let Some(at) = code.rfind(NOTICE) {
        const WITH_STORE: &str = "  Err(_) => {\n    ";
        const WITHOUT: &str = "}).is_err() {\n    ";
        if code[..at].ends_with(WITH_STORE) {
            let ours = "  Err(payload) => {\n    ::roborm::cell::panicked(&*payload);";
            code.replace_range(at - WITH_STORE.len()..at + NOTICE.len(), ours);
        } else if code[..at].ends_with(WITHOUT) {
            let ours = "}).map_err(|payload| ::roborm::cell::panicked(&*payload)).is_err() {\n    ";
            code.replace_range(at - WITHOUT.len()..at + NOTICE.len(), ours);
        }
    }
    code
}

/// The same code without the variables that the cell does not mention. evcxr has a cell take all variables out of the store
/// and put them back, and each of them costs code that moves and drops a value of its type. Here they stay in the store.
/// Lines stay lines.
pub(super) fn without_idle_variables(code: &str) -> String {
    const CHECK: &str = "vars_ok &= evcxr_variable_store.check_variable::<";
    const TAKE: &str = " = evcxr_variable_store.take_variable::<";
    let of = |line: &str| -> Option<String> {
        let is_ours =
            line.starts_with(CHECK) || line.starts_with(PUT) || (line.starts_with("let ") && line.contains(TAKE));
        // `…::<TYPE>(stringify!(NAME));` and `…::<TYPE>(stringify!(NAME), NAME);`
        let (_, rest) = is_ours.then(|| line.rsplit_once(">(stringify!("))??;
        rest.split_once(')').map(|(name, _)| name.to_owned())
    };
    let taken: BTreeSet<String> =
        code.lines().filter(|line| line.starts_with("let ") && line.contains(TAKE)).filter_map(of).collect();
    if taken.is_empty() {
        return code.to_owned();
    }
    let bare: BTreeSet<&str> = taken.iter().map(|name| name.trim_start_matches("r#")).collect();
    let mut mentioned = BTreeSet::new();
    for line in code.lines().filter(|line| of(line).is_none_or(|name| !taken.contains(&name))) {
        mentioned.extend(line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| bare.contains(*word)));
    }
    let is_idle = |line: &str| {
        of(line).is_some_and(|name| taken.contains(&name) && !mentioned.contains(name.trim_start_matches("r#")))
    };
    let kept = code.split_inclusive('\n').map(|line| if is_idle(line) { "\n" } else { line });
    kept.collect()
}

/// Takes their places from the notes of an error which says that a variable is put back that the cell has moved. evcxr
/// forgets such a variable, unless a note stands in the user's code where the error does not: it takes that note for the
/// error then. rustc has notes at the function, the method and the type that a variable is moved by or is of, and a last
/// expression is no code of the user's to evcxr, which can show it in two ways.
pub(super) fn keep_to_the_move(error: &mut Value) {
    let puts_back = |span: &Value| {
        let text = span["text"].as_array().into_iter().flatten();
        text.filter_map(|line| line["text"].as_str()).any(|line| line.trim_start().starts_with(PUT))
    };
    if error["code"]["code"] != "E0382" || !error["spans"].as_array().into_iter().flatten().any(puts_back) {
        return;
    }
    for child in error["children"].as_array_mut().into_iter().flatten() {
        child["spans"] = Value::Array(Vec::new());
    }
}

/// The optimisation that `:opt` asked for; none at first.
pub(super) fn opt_level(manifest: &str) -> &str {
    let level = manifest.lines().find_map(|line| line.strip_prefix("opt-level = ")).unwrap_or("0");
    let level = level.trim().trim_matches('"');
    if ["0", "1", "2", "3", "s", "z"].contains(&level) { level } else { "0" }
}

/// How the code that is checked is given the variables.
const ANALYSIS: &str = "async fn evcxr_analysis_wrapper(\n";
const ANALYSIS_BODY: &str = ") -> Result<(), EvcxrUserCodeError> {\n";

/// The code of a check with the variables bound in the body of its function. They are the parameters of one that is `async`,
/// where a type must name its lifetimes: `Wrapper` is not enough, if `Wrapper<'_>` was what a cell made. Lines stay lines.
pub(super) fn with_variables_in_body(code: &str) -> Option<String> {
    let start = code.rfind(ANALYSIS)?;
    let (head, rest) = code.split_at(start);
    let (parameters, body) = rest[ANALYSIS.len()..].split_once(ANALYSIS_BODY)?;
    let bound = parameters.split_inclusive('\n').map(|line| match line.trim_end().strip_suffix(',') {
        Some(parameter) => format!("let {parameter} = ::core::option::Option::None.unwrap();\n"),
        None => line.to_owned(),
    });
    let bound: String = bound.collect();
    let opening = ANALYSIS.trim_end();
    Some(format!("{head}{opening}{ANALYSIS_BODY}{bound}\n{body}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_takes_the_variables_that_it_mentions() {
        let code = "{let mut vars_ok = true;\n\
                    vars_ok &= evcxr_variable_store.check_variable::<Vec<i32>>(stringify!(used));\n\
                    vars_ok &= evcxr_variable_store.check_variable::<Plot>(stringify!(idle));\n\
                    if !vars_ok {return evcxr_variable_store;}}\n\
                    let used = evcxr_variable_store.take_variable::<Vec<i32>>(stringify!(used));\n\
                    let mut idle = evcxr_variable_store.take_variable::<Plot>(stringify!(idle));\n\
                    let new = format!(\"{used:?}\");\n\
                    evcxr_variable_store.put_variable::<String>(stringify!(new), new);\n\
                    evcxr_variable_store.put_variable::<Vec<i32>>(stringify!(used), used);\n\
                    evcxr_variable_store.put_variable::<Plot>(stringify!(idle), idle);\n";
        let without = without_idle_variables(code);
        assert!(!without.contains("idle"), "{without}");
        assert_eq!(without.matches('\n').count(), code.matches('\n').count());
        assert_eq!(without.matches("stringify!(used)").count(), 3, "{without}");
        assert!(without.contains("stringify!(new)"));
        let mentions = code.replace("let new = format!", "println!(\"{idle}\"); let new = format!");
        assert_eq!(without_idle_variables(&mentions), mentions);
    }

    #[test]
    fn variables_are_bound_in_the_body() {
        let code = "struct W<'a>(&'a str);\nasync fn evcxr_analysis_wrapper(\nmut w: W,\nn: i32,\n\
                    ) -> Result<(), EvcxrUserCodeError> {\nnothing;\n}\n";
        let bound = with_variables_in_body(code).expect("it is code of a check");
        assert!(bound.contains("wrapper() -> Result<(), EvcxrUserCodeError> {\nlet mut w: W = "), "{bound}");
        let line = |code: &str| code.lines().position(|line| line == "nothing;");
        assert_eq!(line(&bound), line(code));
        assert_eq!(with_variables_in_body("fn f() {}"), None);
    }
}
