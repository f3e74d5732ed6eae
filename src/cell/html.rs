//! Tables as HTML that every notebook shows: plain elements, styles on them, nothing to load.

use super::bundle::Bundle;
use crate::display::{Bar, Table};

/// Longer text in one place of a table is cut there; the whole of it shows when the pointer rests on it.
const FOLDED: usize = 120;
/// Beyond this, not even then.
const TOLD: usize = 2_000;

/// Text inside elements and attributes.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Not allowed in HTML; shown as what they are.
            '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// What stands in one place of a table.
pub(super) struct Place {
    pub text: String,
    pub is_figure: bool,
    pub is_missing: bool,
    /// A colour of the text.
    pub colour: Option<&'static str>,
}

impl Place {
    pub fn words(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_figure: false, is_missing: false, colour: None }
    }

    fn write(&self, page: &mut String) {
        let align = if self.is_figure { "right" } else { "left" };
        let colour = match (self.colour, self.is_missing) {
            (Some(colour), _) => format!(";color:{colour}"),
            (None, true) => ";opacity:0.5".to_owned(),
            (None, false) => String::new(),
        };
        page.push_str(&format!("<td style=\"text-align:{align};vertical-align:top{colour}\""));
        match self.text.char_indices().nth(FOLDED) {
            Some((cut, _)) => {
                let told: String = self.text.chars().take(TOLD).collect();
                page.push_str(&format!(" title=\"{}\">{}…", escape(&told), escape(&self.text[..cut])));
            }
            None => page.push_str(&format!(">{}", escape(&self.text))),
        }
        page.push_str("</td>");
    }
}

/// A table of a head (each with a second line, or none) and rows; `None` is the row that stands for those left out.
pub(super) fn grid(head: &[(String, String)], rows: impl IntoIterator<Item = Option<Vec<Place>>>) -> String {
    let mut page = String::from("<table><thead><tr>");
    for (name, below) in head {
        page.push_str(&format!("<th style=\"text-align:left\">{}", escape(name)));
        if !below.is_empty() {
            page.push_str(&format!("<br><span style=\"font-weight:normal;opacity:0.7\">{}</span>", escape(below)));
        }
        page.push_str("</th>");
    }
    page.push_str("</tr></thead><tbody>");
    for row in rows {
        page.push_str("<tr>");
        match row {
            Some(places) => places.iter().for_each(|place| place.write(&mut page)),
            None => head.iter().for_each(|_| page.push_str("<td style=\"opacity:0.5\">…</td>")),
        }
        page.push_str("</tr>");
    }
    page.push_str("</tbody></table>");
    page
}

/// A table of words with a line above it.
pub(super) fn listing<const N: usize>(
    what: &str,
    head: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> Bundle {
    let rows: Vec<[String; N]> = rows.into_iter().collect();
    let mut table = Table::new(head.map(crate::display::Column::text));
    for row in &rows {
        table.row(row.iter().map(crate::display::Cell::text));
    }
    let above = if what.is_empty() { String::new() } else { format!("<div>{}</div>", escape(what)) };
    let head = head.map(|name| (name.to_owned(), String::new()));
    let rows = rows.into_iter().map(|row| Some(row.into_iter().map(Place::words).collect()));
    let page = format!("{above}{}", grid(&head, rows));
    let plain = table.render(&super::width::terminal());
    Bundle::text(if what.is_empty() { plain } else { format!("{what}\n{plain}") }).html(page)
}

/// Bars with intervals, on a scale from 0 to `most`.
pub(super) fn bars(bars: &[Bar], most: f64) -> String {
    // Per cent of the scale; a bar beyond it ends at its edge.
    let share = |value: f64| if most > 0.0 { (value / most * 100.0).clamp(0.0, 100.0) } else { 0.0 };
    let mut page = String::from("<table><tbody>");
    for bar in bars {
        let length = bar.estimate.value.map_or(0.0, share);
        let interval = bar.estimate.interval.map_or_else(String::new, |(low, high)| {
            let (low, high) = (share(low), share(high));
            format!(
                "<div style=\"position:absolute;left:{low:.1}%;width:{:.1}%;top:0.45em;border-top:2px solid;opacity:0.7\"></div>",
                (high - low).max(0.0)
            )
        });
        page.push_str(&format!(
            "<tr><td style=\"text-align:left\">{}</td><td style=\"text-align:left\">\
             <div style=\"position:relative;width:18em;height:1em\">\
             <div style=\"position:absolute;left:0;width:{length:.1}%;height:1em;background:#3b82c4\"></div>{interval}</div></td>\
             <td style=\"text-align:left\">{}</td></tr>",
            escape(&bar.label),
            escape(&bar.estimate.parts().join(" "))
        ));
    }
    page.push_str("</tbody></table>");
    page
}

/// A table of a command.
pub(super) fn table(table: &Table) -> String {
    table.to_html(&escape)
}
