//! Charts inside pages: plotly.js itself, JSON that is safe inside a script, the fragment for a notebook.

use std::sync::OnceLock;

use plotly::Plot;
use serde_json::Value;

use super::palette::dark_partners;
use super::text::{clean, plain};
use crate::{Error, Result};

const DRAW: &str = include_str!("../../templates/draw.js");
const FRAGMENT_CSS: &str = include_str!("../../templates/fragment.css");

/// The chart as plotly's JSON (`data`, `layout`, `config`): what `application/vnd.plotly.v1+json` holds.
///
/// # Errors
/// Where a trace of the caller's own making cannot be written as JSON.
pub fn plotly_json(plot: &Plot) -> Result<Value> {
    serde_json::to_value(plot).map_err(|error| Error::input(format!("chart cannot be written as JSON: {error}")))
}

/// The chart as a piece of HTML that draws by itself and offline, for a notebook's output or any page. It carries
/// plotly.js (about 4.6 MB), which is not run again where the page already has it.
///
/// # Errors
/// As [`plotly_json`].
pub fn fragment(plot: &Plot) -> Result<String> {
    let mut html = figure(plot)?;
    html.push_str("<script>if (!window.Plotly) {\n");
    html.push_str(plotly_js());
    html.push_str("\n}</script>\n<script>");
    html.push_str(&draw_js(true));
    html.push_str("</script>\n");
    Ok(html)
}

/// The chart as a piece of HTML for one output of several on a page: it draws with the plotly.js of the page, as soon as
/// there is one, and says so until then. The output that `carries` it brings it: 4.6 MB once, not once a chart.
pub(crate) fn output(plot: &Plot, carries: bool) -> Result<String> {
    let mut html = figure(plot)?;
    if carries {
        // Where a page has a module loader, plotly.js would hand itself to that and to nobody else.
        html.push_str("<script>if (!window.Plotly) { (function (define, module, exports) {\n");
        html.push_str(plotly_js());
        html.push_str("\n}).call(window); }</script>\n");
    }
    html.push_str("<script>(function draw() {\nif (!window.Plotly) { setTimeout(draw, 200); return; }\n");
    html.push_str(&draw_js(true));
    html.push_str("\n})();</script>\n");
    Ok(html)
}

/// What a chart is drawn into, its description for those who do not see it, and its data.
fn figure(plot: &Plot) -> Result<String> {
    let json = plotly_json(plot)?;
    let (title, subtitle) = headings(&json);
    let label = attribute(&format!("{title}. {subtitle}"));
    let data = script_json(&json);
    Ok(format!(
        "<style>{FRAGMENT_CSS}</style>\n<figure class=\"roborm-chart\"><div class=\"roborm-plot\" role=\"img\" \
         aria-label=\"{label}\"></div>\n<script type=\"application/json\">{data}</script></figure>\n"
    ))
}

/// plotly.min.js, without the MathJax that the crate hands out beside it: no label here is mathematics, and with MathJax
/// about, an instruction with two dollar signs would be typeset as a formula.
pub(super) fn plotly_js() -> &'static str {
    static SOURCE: OnceLock<String> = OnceLock::new();
    SOURCE.get_or_init(|| {
        let scripts = Plot::offline_js_sources();
        let first = scripts.split_once('>').map_or("", |(_, rest)| rest);
        first.split_once("</script>").map_or("", |(source, _)| source).to_owned()
    })
}

/// The script that draws every chart of the page that is not drawn yet. `titled` keeps the title inside the drawing, for
/// places that do not write it above.
pub(super) fn draw_js(titled: bool) -> String {
    let dark = script_json(&dark_partners());
    format!("{}({dark}, {titled});", DRAW.trim_end().trim_end_matches(';'))
}

/// JSON that cannot end the script it stands in, open a comment in it, or break a line of it.
pub(super) fn script_json(value: &Value) -> String {
    let json = value.to_string();
    let mut out = String::with_capacity(json.len() + json.len() / 16);
    for c in json.chars() {
        match c {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            c => out.push(c),
        }
    }
    out
}

/// Title and subtitle of a chart in plain text.
pub(crate) fn headings(json: &Value) -> (String, String) {
    let title = &json["layout"]["title"];
    let text = title["text"].as_str().or_else(|| title.as_str()).unwrap_or("Chart");
    let (title, subtitle) = text.split_once("<br>").unwrap_or((text, ""));
    (clean(&plain(title)), clean(&plain(subtitle)))
}

fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}
