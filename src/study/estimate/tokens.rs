//! Tokens by rule of thumb, where the ledger has no past calls of the model to go by.
//!
//! The rules are the providers' own, as their documentation had them in 2025 and 2026, where those are silent the published
//! processors'. They are for estimates before spending, and may be off by half: documentation is rough (does an image that is
//! smaller than a tile grow to it?) and models change. What is billed is what the replies say, and once there are some, an
//! estimate goes by them.

use serde_json::Value;

/// Width and height of an image as sent, its longer side brought down to `max_side`.
pub(super) fn shown(width: u32, height: u32, max_side: Option<u32>) -> (f64, f64) {
    let (width, height) = (f64::from(width), f64::from(height));
    let scale = max_side.map_or(1.0, |side| (f64::from(side) / width.max(height)).min(1.0));
    (width * scale, height * scale)
}

/// Prompt tokens of one image of this size.
pub(super) fn per_image(model: &str, size: (f64, f64)) -> f64 {
    let (width, height) = size;
    let name = model.to_lowercase();
    let tiles = |side: f64| (width / side).ceil() * (height / side).ceil();
    if name.starts_with("simulated") {
        0.0
    } else if name.contains("gpt-") {
        // OpenAI, detail high: within 2048 x 2048, the shorter side at most 768, then tiles of 512; a base and so many a
        // tile (85 and 170 for GPT-4o, 70 and 140 for GPT-5).
        let fit = (2048.0 / width.max(height)).min(1.0).min(768.0 / width.min(height));
        let tiles = (width * fit / 512.0).ceil() * (height * fit / 512.0).ceil();
        if name.contains("gpt-4") { 85.0 + 170.0 * tiles } else { 70.0 + 140.0 * tiles }
    } else if name.contains("claude") {
        // Anthropic: pixels / 750, the longer side at most 1568.
        let fit = (1568.0 / width.max(height)).min(1.0);
        width * fit * height * fit / 750.0
    } else if name.contains("gemini-3") {
        // Gemini 3: 1120 an image at the resolution it takes by default.
        1120.0
    } else if name.contains("gemini") {
        // Gemini 2.5: 258 up to 384 x 384, else 258 a tile, whose side is the shorter side / 1.5: 960 x 540 has 3 x 2.
        let unit = (width.min(height) / 1.5).floor().max(1.0);
        if width <= 384.0 && height <= 384.0 { 258.0 } else { 258.0 * tiles(unit) }
    } else if name.contains("gemma") {
        // Gemma 3: 256 an image, whatever its size.
        256.0
    } else if name.contains("llama-4") {
        // Llama 4: tiles of 336 with 144 tokens, at most 16, and the whole image once more where there are several.
        let tiles = tiles(336.0).min(16.0);
        144.0 * if tiles > 1.0 { tiles + 1.0 } else { 1.0 }
    } else {
        // Qwen3-VL and what is built on it: one a block of 32 x 32, of at least 65,536 pixels (smaller images are scaled
        // up), and a mark on either side. Also taken for models that are not known.
        let blocks = |side: f64| (side / 32.0).round().max(1.0);
        let few = 65_536.0;
        let pixels = blocks(width) * blocks(height) * 1024.0;
        let up = (few / (width * height)).sqrt();
        let grown = |side: f64| (side * up / 32.0).ceil();
        2.0 + if pixels < few { grown(width) * grown(height) } else { blocks(width) * blocks(height) }
    }
}

/// Tokens of so many bytes of English, with those of the message around it.
pub(super) fn of_text(bytes: usize) -> f64 {
    bytes as f64 / 4.0 + 8.0
}

/// Completion tokens: an integer and little around it; with reasoning what a short puzzle takes, by effort.
pub(super) fn of_answer(settings: &Value) -> f64 {
    let reasoning = settings.get("reasoning");
    let word = reasoning.and_then(|setting| setting.as_str().or_else(|| setting.get("effort")?.as_str()));
    match (word, reasoning) {
        (Some("none" | "off"), _) | (None, None | Some(Value::Null | Value::Bool(false))) => 8.0,
        (Some("minimal"), _) => 64.0,
        (Some("low"), _) => 256.0,
        (Some("high" | "xhigh"), _) => 2048.0,
        _ => 768.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_count_as_the_documentation_of_each_has_it() {
        for (model, size, right) in [
            // 1024 x 1024: scaled to 768 x 768, 4 tiles (OpenAI's own example, 765 of GPT-4o).
            ("openai/gpt-4o", (1024.0, 1024.0), 765.0),
            ("openai/gpt-5.1", (1024.0, 1024.0), 630.0),
            // Google's own example: 960 x 540 has a unit of 360, 3 x 2 tiles.
            ("google/gemini-2.5-flash", (960.0, 540.0), 6.0 * 258.0),
            ("google/gemini-2.5-flash", (640.0, 480.0), 4.0 * 258.0),
            ("google/gemini-2.5-flash", (384.0, 384.0), 258.0),
            // Anthropic's own example: 1000 x 1000 is about 1334.
            ("anthropic/claude-sonnet-4.6", (1000.0, 1000.0), 1000.0 * 1000.0 / 750.0),
            ("google/gemma-3-27b-it", (640.0, 480.0), 256.0),
            // Of transformers' Qwen2VLImageProcessor.get_number_of_image_patches / 4, and the two marks.
            ("qwen/qwen3-vl-8b-instruct", (640.0, 480.0), 20.0 * 15.0 + 2.0),
            ("qwen/qwen3-vl-8b-instruct", (64.0, 48.0), 10.0 * 7.0 + 2.0),
            ("simulated", (640.0, 480.0), 0.0),
        ] {
            assert!((per_image(model, size) - right).abs() < 1e-9, "{model} at {size:?}: {}", per_image(model, size));
        }
    }
}
