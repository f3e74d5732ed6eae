//! A value in several forms, by MIME type.

use roborm_wire::cell::Event;
use serde_json::{Map, Value, json};

/// A value in several forms: the notebook shows the richest that it can.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bundle {
    pub(super) data: Map<String, Value>,
    pub(super) metadata: Map<String, Value>,
}

/// Text is cut behind so many characters.
const LONGEST: usize = 200_000;

impl Bundle {
    /// A value with its plain text.
    pub fn text(text: impl Into<String>) -> Self {
        let mut text = text.into();
        if let Some((cut, _)) = text.char_indices().nth(LONGEST) {
            let left = text.len() - cut;
            text.truncate(cut);
            text.push_str(&format!("… ({left} bytes more)"));
        }
        Self::default().with("text/plain", text)
    }

    /// The same with one more form: text, base64 of a picture, or JSON.
    #[must_use]
    pub fn with(mut self, mime: &str, form: impl Into<Value>) -> Self {
        self.data.insert(mime.to_owned(), form.into());
        self
    }

    /// The same with a form as HTML.
    #[must_use]
    pub fn html(self, html: impl Into<String>) -> Self {
        self.with("text/html", html.into())
    }

    /// A picture as PNG, and a line of what it shows.
    pub fn picture(image: &image::RgbImage, what: &str) -> Self {
        use base64::Engine as _;
        let bundle = Self::text(format!("{what} ({} x {} pixels)", image.width(), image.height()));
        match crate::frames::png_bytes(image) {
            Ok(png) => {
                let mut bundle = bundle.with("image/png", base64::engine::general_purpose::STANDARD.encode(png));
                bundle
                    .metadata
                    .insert("image/png".to_owned(), json!({ "width": image.width(), "height": image.height() }));
                bundle
            }
            Err(_) => bundle,
        }
    }

    /// The plain text.
    pub fn plain(&self) -> &str {
        self.data.get("text/plain").and_then(Value::as_str).unwrap_or_default()
    }

    pub(super) fn event(self, id: Option<String>, update: bool, result: bool) -> Event {
        Event::Display { id, update, result, data: self.data, metadata: self.metadata }
    }
}

/// HTML that a cell shows as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Html(pub String);

/// Markdown that a cell shows set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Markdown(pub String);
