//! The body of a request: what a trajectory's requests share is made once, the instruction is put in between.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use serde_json::{Map, Value};

use crate::frames::EncodedImage;
use crate::reward::{Part, Prompt};

/// Bytes that are sooner copied than sent on their own.
const SHORT: usize = 4096;

/// What all requests of a model share.
pub(super) struct Template {
    /// Every field but `messages`, `session_id`, `seed` and `provider`.
    pub(super) fields: Map<String, Value>,
    /// OpenRouter's `provider` object.
    pub(super) provider: Option<Value>,
    pub(super) prompt: Prompt,
    /// Whether the last shared part gets a `cache_control` mark.
    pub(super) marked: bool,
    /// Sent with the number of the repeat added: the same seed again would give the same answer again.
    pub(super) seed: Option<u64>,
}

/// What the requests of one trajectory share.
pub(super) struct Envelope {
    head: Bytes,
    tail: Bytes,
}

impl Template {
    /// The envelope of a trajectory; `session` keeps its requests on one provider.
    pub(super) fn envelope(&self, images: &[EncodedImage], session: Option<&str>) -> Envelope {
        let mut fields = self.fields.clone();
        if let Some(session) = session {
            fields.insert("session_id".to_owned(), Value::from(session));
        }
        let mut head = Value::Object(fields).to_string();
        // Before the closing brace.
        head.pop();
        let comma = if head.len() > 1 { "," } else { "" };
        head.push_str(comma);
        head.push_str(r#""messages":[{"role":"user","content":["#);
        head.reserve(images.iter().map(|image| image.bytes.len() * 4 / 3 + 128).sum());

        let mut tail = String::new();
        let mut text_done = false;
        for (index, part) in self.prompt.order.iter().enumerate() {
            let into = if text_done { &mut tail } else { &mut head };
            if index > 0 {
                into.push(',');
            }
            match part {
                Part::Frames => {
                    let last = images.len().saturating_sub(1);
                    for (index, image) in images.iter().enumerate() {
                        if index > 0 {
                            into.push(',');
                        }
                        push_image(into, image, self.marked && !text_done && index == last);
                    }
                }
                Part::Text => {
                    into.push_str(r#"{"type":"text","text":""#);
                    push_escaped(into, self.prompt.before);
                    text_done = true;
                    push_escaped(&mut tail, self.prompt.after);
                    tail.push_str(r#""}"#);
                }
            }
        }
        tail.push_str("]}]");
        Envelope { head: head.into(), tail: tail.into() }
    }

    /// The body of one request, which no provider of `ignored` is to serve.
    pub(super) fn body(&self, envelope: &Envelope, instruction: &str, repeat: u32, ignored: &[String]) -> Chunks {
        let mut middle = String::new();
        push_escaped(&mut middle, instruction);
        let mut end = String::new();
        if let Some(seed) = self.seed {
            end.push_str(&format!(r#","seed":{}"#, seed.wrapping_add(u64::from(repeat))));
        }
        if let Some(mut provider) = self.provider.clone() {
            if !ignored.is_empty() {
                provider["ignore"] = ignored.into();
            }
            end.push_str(&format!(r#","provider":{provider}"#));
        }
        end.push('}');
        if envelope.tail.len() > SHORT {
            return Chunks::new([envelope.head.clone(), middle.into(), envelope.tail.clone(), end.into()]);
        }
        // Short pieces go out together.
        let mut rest = middle.into_bytes();
        rest.extend_from_slice(&envelope.tail);
        rest.extend_from_slice(end.as_bytes());
        Chunks::new([envelope.head.clone(), rest.into()])
    }
}

fn push_image(into: &mut String, image: &EncodedImage, marked: bool) {
    into.push_str(r#"{"type":"image_url","image_url":{"url":"data:"#);
    into.push_str(image.mime);
    into.push_str(";base64,");
    BASE64.encode_string(&image.bytes, into);
    into.push_str(r#""}"#);
    if marked {
        into.push_str(r#","cache_control":{"type":"ephemeral"}"#);
    }
    into.push('}');
}

/// `text` as it stands inside a JSON string.
fn push_escaped(into: &mut String, text: &str) {
    let quoted = Value::from(text).to_string();
    into.push_str(&quoted[1..quoted.len() - 1]);
}

/// Bytes that are sent one after another without being put together first: of a trajectory's frames there is one copy,
/// however many requests are under way.
pub(super) struct Chunks {
    left: VecDeque<Bytes>,
    bytes: u64,
    gone: Arc<AtomicBool>,
}

impl Chunks {
    fn new(chunks: impl IntoIterator<Item = Bytes>) -> Self {
        let left: VecDeque<Bytes> = chunks.into_iter().filter(|chunk| !chunk.is_empty()).collect();
        let bytes = left.iter().map(|chunk| chunk.len() as u64).sum();
        Self { left, bytes, gone: Arc::default() }
    }

    /// Set once the last byte has been handed to the connection: from then on the server may have begun to work.
    pub(super) fn gone(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.gone)
    }
}

impl Body for Chunks {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = self.left.pop_front();
        if let Some(chunk) = &next {
            self.bytes -= chunk.len() as u64;
        }
        if self.left.is_empty() {
            self.gone.store(true, Ordering::Release);
        }
        Poll::Ready(next.map(|chunk| Ok(Frame::data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        self.left.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reward::{FRAMES_FIRST, TEXT_FIRST};
    use proptest::prelude::*;
    use serde_json::json;

    fn image(bytes: &[u8]) -> EncodedImage {
        EncodedImage { mime: "image/png", width: 1, height: 1, bytes: bytes.into() }
    }

    fn template(order: &'static [Part], marked: bool, seed: Option<u64>) -> Template {
        let fields = json!({"model": "m", "max_tokens": 8});
        let Value::Object(fields) = fields else { unreachable!("an object was written") };
        let prompt = Prompt { version: "test", before: "Task: \"", after: "\"\nEnd.", order };
        let provider = Some(json!({"require_parameters": true}));
        Template { fields, provider, prompt, marked, seed }
    }

    fn sent(template: &Template, instruction: &str, repeat: u32) -> Value {
        without(template, instruction, repeat, &[])
    }

    fn without(template: &Template, instruction: &str, repeat: u32, ignored: &[String]) -> Value {
        let envelope = template.envelope(&[image(b"one"), image(b"two")], Some("s"));
        let mut body = template.body(&envelope, instruction, repeat, ignored);
        let mut bytes = Vec::new();
        while let Some(chunk) = body.left.pop_front() {
            bytes.extend_from_slice(&chunk);
        }
        assert_eq!(bytes.len() as u64, body.bytes, "the length that is announced");
        serde_json::from_slice(&bytes).expect("JSON")
    }

    #[test]
    fn frames_come_first_and_the_last_of_them_carries_the_cache_mark() {
        assert_eq!(
            sent(&template(FRAMES_FIRST, true, Some(7)), "open \"it\"", 2),
            json!({
                "model": "m",
                "max_tokens": 8,
                "session_id": "s",
                "messages": [{"role": "user", "content": [
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,b25l"}},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,dHdv"},
                     "cache_control": {"type": "ephemeral"}},
                    {"type": "text", "text": "Task: \"open \"it\"\"\nEnd."},
                ]}],
                "seed": 9,
                "provider": {"require_parameters": true},
            })
        );
    }

    #[test]
    fn providers_are_left_out_of_one_request_and_not_of_the_next() {
        let template = template(FRAMES_FIRST, false, None);
        let body = without(&template, "x", 0, &["a".to_owned(), "b".to_owned()]);
        assert_eq!(body["provider"], json!({"require_parameters": true, "ignore": ["a", "b"]}));
        assert_eq!(sent(&template, "x", 0)["provider"], json!({"require_parameters": true}));
    }

    #[test]
    fn a_long_shared_end_is_sent_as_it_is() {
        let template = template(TEXT_FIRST, false, None);
        let envelope = template.envelope(&[image(&[7; 9000])], None);
        let body = template.body(&envelope, "x", 0, &[]);
        assert!(body.left.iter().any(|chunk| chunk.as_ptr() == envelope.tail.as_ptr()), "one copy for all requests");
    }

    #[test]
    fn text_first_has_no_shared_part_to_mark() {
        let body = sent(&template(TEXT_FIRST, true, None), "x", 0);
        let content = &body["messages"][0]["content"];
        assert_eq!(content[0], json!({"type": "text", "text": "Task: \"x\"\nEnd."}));
        assert_eq!(content[2], json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,dHdv"}}));
        assert!(body.get("seed").is_none());
    }

    proptest! {
        #[test]
        fn any_instruction_arrives_as_it_is(instruction in any::<String>()) {
            let body = sent(&template(FRAMES_FIRST, false, None), &instruction, 0);
            let text = format!("Task: \"{instruction}\"\nEnd.");
            prop_assert_eq!(body["messages"][0]["content"][2]["text"].as_str(), Some(text.as_str()));
        }
    }
}
