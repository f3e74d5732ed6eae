//! A message of the protocol, on the wire and off it.

use std::time::{SystemTime, UNIX_EPOCH};

use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};
use serde_json::{Map, Value, json};

use super::zmtp::Frames;

/// The version of the protocol that is spoken.
pub(super) const PROTOCOL: &str = "5.5";

/// Between the identities of a message and its parts.
const DELIMITER: &[u8] = b"<IDS|MSG>";

/// A request as it came in.
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// Who asks and what; the parent of all that is said in answer.
    pub header: Value,
    /// The type of the message: `execute_request`.
    pub kind: String,
    /// What is asked.
    pub content: Value,
}

impl Request {
    /// A text of the content; empty where it is absent.
    pub fn text(&self, name: &str) -> &str {
        self.content[name].as_str().unwrap_or_default()
    }

    /// A yes or no of the content.
    pub fn flag(&self, name: &str, otherwise: bool) -> bool {
        self.content[name].as_bool().unwrap_or(otherwise)
    }

    /// The type of the reply.
    pub fn reply_kind(&self) -> String {
        format!("{}_reply", self.kind.strip_suffix("_request").unwrap_or(&self.kind))
    }
}

/// Makes messages and reads them: holds the key and the identifier of the session.
pub(super) struct Scribe {
    key: Option<hmac::Key>,
    session: String,
    random: SystemRandom,
}

/// Why bytes are not a message. What they hold is not repeated: it may be anyone's.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unread {
    Shape(&'static str),
    Signature,
}

impl std::fmt::Display for Unread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Shape(what) => f.write_str(what),
            Self::Signature => f.write_str("its signature is not made with the key of the connection file"),
        }
    }
}

impl Scribe {
    pub fn new(key: Option<hmac::Key>) -> Self {
        let random = SystemRandom::new();
        Self { key, session: identifier(&random), random }
    }

    /// Frames of a message. `to`: what stands before the delimiter, a topic or nothing.
    pub fn write(&self, to: Option<&[u8]>, kind: &str, parent: &Value, metadata: &Value, content: &Value) -> Frames {
        let header = json!({
            "msg_id": identifier(&self.random),
            "session": self.session,
            "username": "kernel",
            "date": date(SystemTime::now()),
            "msg_type": kind,
            "version": PROTOCOL,
        });
        let parts = [&header, parent, metadata, content].map(|part| part.to_string().into_bytes());
        let mut frames = Frames::with_capacity(7);
        frames.extend(to.map(<[u8]>::to_vec));
        frames.push(DELIMITER.to_vec());
        frames.push(self.sign(&parts).into_bytes());
        frames.extend(parts);
        frames
    }

    /// The request in the frames of a message, its signature checked.
    pub fn read(&self, frames: &Frames) -> Result<Request, Unread> {
        let place = frames.iter().position(|frame| frame == DELIMITER).ok_or(Unread::Shape("no delimiter"))?;
        let [_, signature, header, parent, metadata, content, ..] = &frames[place..] else {
            return Err(Unread::Shape("too few parts"));
        };
        self.check(signature, [header, parent, metadata, content])?;
        let header: Value = parse(header)?;
        let kind = header["msg_type"].as_str().ok_or(Unread::Shape("no type"))?.to_owned();
        let content = parse(content)?;
        Ok(Request { header, kind, content })
    }

    fn sign(&self, parts: &[Vec<u8>]) -> String {
        let Some(key) = &self.key else { return String::new() };
        let mut context = hmac::Context::with_key(key);
        parts.iter().for_each(|part| context.update(part));
        hex(context.sign().as_ref())
    }

    fn check(&self, signature: &[u8], parts: [&Vec<u8>; 4]) -> Result<(), Unread> {
        let Some(key) = &self.key else { return Ok(()) };
        let signature = unhex(signature).ok_or(Unread::Signature)?;
        let signed: Vec<u8> = parts.into_iter().flatten().copied().collect();
        hmac::verify(key, &signed, &signature).map_err(|_| Unread::Signature)
    }
}

fn parse(bytes: &[u8]) -> Result<Value, Unread> {
    let value: Value = serde_json::from_slice(bytes).map_err(|_| Unread::Shape("a part that is no JSON"))?;
    if value.is_object() { Ok(value) } else { Err(Unread::Shape("a part that is no object")) }
}

/// An empty object, for parents and metadata that there are not.
pub(super) fn empty() -> Value {
    Value::Object(Map::new())
}

/// 32 random hexadecimal digits.
fn identifier(random: &SystemRandom) -> String {
    let mut bytes = [0; 16];
    // Fails where the system has no randomness; the front then tells messages apart by their order.
    let _ = random.fill(&mut bytes);
    hex(&bytes)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(digits: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|value| value as u8);
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    digits.chunks_exact(2).map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
}

/// A time as ISO 8601 has it, in UTC: 2026-11-30T11:04:26.123456Z.
pub(super) fn date(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (seconds, micros) = (since.as_secs(), since.subsec_micros());
    // Days of the civil calendar, years counted from March so that the leap day is the last (Hinnant's civil_from_days).
    let days = seconds / 86_400 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z", year + era * 400)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00.000000Z"),
            (951_782_400, "2000-02-29T00:00:00.000000Z"),
            (1_835_438_400, "2028-02-29T12:00:00.000000Z"),
            (4_102_444_799, "2099-12-31T23:59:59.000000Z"),
        ] {
            assert_eq!(date(UNIX_EPOCH + Duration::from_secs(seconds)), expected);
        }
    }

    #[test]
    fn what_was_written_is_read_and_what_was_changed_is_not() {
        let scribe = Scribe::new(Some(hmac::Key::new(hmac::HMAC_SHA256, b"secret")));
        let frames = scribe.write(None, "execute_request", &empty(), &empty(), &json!({"code": "1+1"}));
        let request = scribe.read(&frames).expect("a request");
        assert_eq!((request.kind.as_str(), request.text("code")), ("execute_request", "1+1"));
        for part in 1..frames.len() {
            let mut changed = frames.clone();
            changed[part].push(b' ');
            assert_eq!(scribe.read(&changed).expect_err("refused"), Unread::Signature);
        }
        let stranger = Scribe::new(Some(hmac::Key::new(hmac::HMAC_SHA256, b"guess")));
        assert_eq!(stranger.read(&frames).expect_err("refused"), Unread::Signature);
    }

    #[test]
    fn a_signature_is_what_other_implementations_make_of_it() {
        // RFC 4231, test case 2: key "Jefe", data "what do ya want for nothing?".
        let scribe = Scribe::new(Some(hmac::Key::new(hmac::HMAC_SHA256, b"Jefe")));
        let parts = ["what do", " ya want", " for ", "nothing?"].map(|part| part.as_bytes().to_vec());
        let expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(scribe.sign(&parts), expected);
        assert_eq!(scribe.check(expected.as_bytes(), parts.each_ref()), Ok(()));
    }
}
