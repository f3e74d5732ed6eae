//! What a request asks, checked.

use base64::Engine as _;
use serde_json::Value;

/// One question as it arrived.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Question {
    /// The model.
    pub(crate) model: String,
    /// blake3 of each image's bytes, in order.
    pub(crate) images: Vec<String>,
    /// What stands after the last "Task: " of the text.
    pub(crate) instruction: String,
    /// The seed, where one is sent.
    pub(crate) seed: Option<u64>,
}

impl Question {
    /// From a body.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub(crate) fn read(body: &[u8]) -> Result<Self, String> {
        let body: Value = serde_json::from_slice(body).map_err(|error| format!("body is not JSON: {error}"))?;
        let model = body["model"].as_str().ok_or("no model")?.to_owned();
        if body["max_tokens"].as_u64().is_none_or(|tokens| tokens == 0) {
            return Err("no max_tokens".to_owned());
        }
        let messages = body["messages"].as_array().ok_or("no messages")?;
        let [message] = messages.as_slice() else { return Err("more than one message".to_owned()) };
        if message["role"] != "user" {
            return Err("the message is not the user's".to_owned());
        }
        let parts = message["content"].as_array().ok_or("the content is no list of parts")?;
        let mut images = Vec::new();
        let mut texts = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            match part["type"].as_str() {
                Some("image_url") => images.push((index, image(&part["image_url"]["url"])?)),
                Some("text") => texts.push((index, part["text"].as_str().ok_or("a text part without text")?)),
                _ => return Err(format!("part {index} is neither image nor text")),
            }
        }
        let [(at, text)] = texts.as_slice() else { return Err(format!("{} text parts", texts.len())) };
        if *at != 0 && *at + 1 != parts.len() {
            return Err("the text stands between images".to_owned());
        }
        let (_, instruction) = text.rsplit_once("Task: ").ok_or("no task in the text")?;
        Ok(Self {
            model,
            images: images.into_iter().map(|(_, digest)| digest).collect(),
            instruction: instruction.to_owned(),
            seed: body["seed"].as_u64(),
        })
    }

    /// A digest of the whole question.
    pub(crate) fn digest(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for part in
            [&self.model, &self.instruction, &self.seed.unwrap_or_default().to_string()].into_iter().chain(&self.images)
        {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }
}

/// The digest of the image in a data URI.
fn image(url: &Value) -> Result<String, String> {
    let url = url.as_str().ok_or("an image without url")?;
    let data = url.strip_prefix("data:image/").ok_or("an image that is no data URI")?;
    let (format, data) = data.split_once(";base64,").ok_or("a data URI that is not in base64")?;
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(data)
        .map_err(|error| format!("an image's base64: {error}"))?;
    let magic: &[u8] = match format {
        "jpeg" => &[0xFF, 0xD8, 0xFF],
        "png" => b"\x89PNG",
        other => return Err(format!("an image of format {other}")),
    };
    if !bytes.starts_with(magic) {
        return Err(format!("an image that is no {format}"));
    }
    Ok(blake3::hash(&bytes).to_hex().to_string())
}
