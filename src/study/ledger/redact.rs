//! No key in the ledger.

use std::borrow::Cow;

use crate::reward::Reply;

/// `text` without the user's keys, should a server have echoed one or a model put one into its settings. The last line of
/// defence: nothing is meant to bring a key this far.
pub(super) fn text(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    for name in ["OPENROUTER_API_KEY", "ROBORM_API_KEY"] {
        // Too short a key would take words with it.
        let Some(key) = std::env::var(name).ok().filter(|key| key.len() >= 8) else { continue };
        if text.contains(&key) {
            text = Cow::Owned(text.replace(&key, "[key]"));
        }
    }
    text
}

pub(super) fn reply(mut reply: Reply) -> Reply {
    let clean = |field: &mut String| {
        if let Cow::Owned(cleaned) = text(field) {
            *field = cleaned;
        }
    };
    clean(&mut reply.text);
    [
        &mut reply.reasoning,
        &mut reply.finish_reason,
        &mut reply.native_finish_reason,
        &mut reply.model_returned,
        &mut reply.provider,
        &mut reply.request_id,
    ]
    .into_iter()
    .flatten()
    .for_each(clean);
    reply
}
