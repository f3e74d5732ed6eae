//! Lists of words that tell what a number beside them says.

/// Words that may follow a score without being counted by it.
#[rustfmt::skip]
pub(super) const MAY_FOLLOW: &[&str] = &[
    "a", "all", "although", "and", "as", "at", "based", "because", "being", "but", "by", "considering",
    "corresponds", "denotes", "due", "final", "finally", "for", "from", "given", "good", "here", "however", "i",
    "if", "in", "indicates", "indicating", "instead", "is", "it", "judging", "meaning", "means", "minimal", "my",
    "near", "no", "not", "on", "out", "overall", "partial", "perfect", "rather", "reflecting", "reflects",
    "representing", "represents", "seems", "since", "so", "star", "stars", "that", "the", "there", "therefore",
    "this", "though", "to", "under", "was", "we", "when", "where", "which", "while", "with", "would",
];

/// Words that a number after them names or measures one of: "step 3", "frames: 8".
#[rustfmt::skip]
pub(super) const NAMED: &[&str] = &[
    "april", "attempt", "attempts", "august", "block", "bowl", "box", "bullet", "button", "cam", "camera", "case",
    "certainty", "claude", "condition", "confidence", "count", "criterion", "cube", "cup", "day", "december",
    "door", "drawer", "episode", "example", "february", "fig", "figure", "frame", "frames", "gemini", "gpt", "id",
    "image", "images", "index", "item", "january", "july", "june", "line", "llama", "march", "may", "model",
    "november", "object", "october", "option", "page", "part", "phase", "photo", "picture", "point", "question",
    "qwen", "requirement", "robot", "rule", "second", "seconds", "section", "seed", "september", "stage", "step",
    "steps", "subtask", "table", "task", "time", "timestamp", "trial", "trials", "try", "v", "version", "video",
    "weight",
];

/// Of those, the ones that say so across a colon too ("Confidence: 4"); "For this task: 4" is an answer.
#[rustfmt::skip]
pub(super) const MEASURED: &[&str] = &[
    "attempt", "attempts", "certainty", "confidence", "count", "duration", "episode", "frame", "frames", "id",
    "image", "images", "index", "seconds", "seed", "step", "steps", "time", "timestamp", "trial", "trials",
    "version", "weight",
];

/// Words after which a number is denied or compared with.
#[rustfmt::skip]
pub(super) const COMPARED: &[&str] = &[
    "about", "above", "almost", "approximately", "around", "below", "beyond", "exceed", "exceeding", "exceeds", "except",
    "max", "maximum", "min", "minimum", "nearly", "neither", "never", "nor", "not", "over", "roughly", "than",
    "under", "unless", "until", "without",
];
