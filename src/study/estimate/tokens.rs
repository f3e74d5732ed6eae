//! Tokens by rule of thumb, where the ledger has no past calls of the model to go by.
//!
//! The rules are the providers' own, as their documentation had them in 2025 and 2026. They are for estimates before
//! spending: what is billed is what the replies say.

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
        // Gemini 2.5: 258 up to 384 x 384, else 258 a tile of 768.
        if width <= 384.0 && height <= 384.0 { 258.0 } else { 258.0 * tiles(768.0) }
    } else if name.contains("gemma") {
        // Gemma 3: 256 an image, whatever its size.
        256.0
    } else if name.contains("llama-4") {
        // Llama 4: tiles of 336 with 144 tokens, at most 16, and the whole image once more where there are several.
        let tiles = tiles(336.0).min(16.0);
        144.0 * if tiles > 1.0 { tiles + 1.0 } else { 1.0 }
    } else {
        // Qwen3-VL and what is built on it: one a block of 32 x 32. Also taken for models that are not known.
        (width / 32.0).round() * (height / 32.0).round()
    }
}

/// Tokens of so many bytes of English.
pub(super) fn of_text(bytes: usize) -> f64 {
    bytes as f64 / 4.0
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
