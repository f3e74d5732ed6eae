//! What a command answers.

use super::bundle::Bundle;
use super::display::publish;
use super::html::{escape, table};
use super::width;
use crate::command::{Answer, Block};
use crate::display;

/// Shows an answer block by block: text and tables that follow each other as one, pictures each as one.
pub(super) fn publish_all(answer: &Answer) {
    for bundle in bundles(answer) {
        publish(bundle, None, false, false);
    }
}

/// All of an answer in one, as far as that goes: of pictures, what they show.
pub(super) fn one(answer: &Answer) -> Bundle {
    let mut all = bundles(answer);
    if all.len() == 1 {
        return all.remove(0);
    }
    let terminal = width::terminal().with_unicode(true);
    Bundle::text(answer.render(&terminal)).html(answer.blocks.iter().map(page).collect::<String>())
}

fn bundles(answer: &Answer) -> Vec<Bundle> {
    let terminal = width::terminal().with_unicode(true);
    let mut all = Vec::new();
    let mut open: Vec<&Block> = Vec::new();
    let close = |open: &mut Vec<&Block>, all: &mut Vec<Bundle>| {
        let blocks = std::mem::take(open);
        if !blocks.is_empty() {
            let text = blocks.iter().map(|block| block.render(&terminal)).collect::<Vec<_>>().join("\n");
            // A terminal's fonts are not needed for prose alone.
            all.push(Bundle::text(text.trim_end()).html(blocks.into_iter().map(page).collect::<String>()));
        }
    };
    for block in &answer.blocks {
        match block {
            Block::Picture { image, what } => {
                close(&mut open, &mut all);
                all.push(Bundle::picture(image, what));
            }
            other => open.push(other),
        }
    }
    close(&mut open, &mut all);
    all
}

fn page(block: &Block) -> String {
    let terminal = width::terminal().with_unicode(true);
    match block {
        Block::Text(text) => {
            let lines: Vec<String> = text.lines().map(display::text::clean).collect();
            format!("<div style=\"white-space:pre-wrap\">{}</div>", escape(&lines.join("\n")))
        }
        Block::Table(rows) => table(rows),
        Block::Picture { what, .. } => format!("<div>{}</div>", escape(what)),
        Block::Bars { bars, most } => super::html::bars(bars, *most),
        Block::Strip { .. } => format!("<pre>{}</pre>", escape(&block.render(&terminal))),
    }
}
