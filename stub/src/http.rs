//! Requests and responses of HTTP/1.1, as much of it as a stub needs.

use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The longest body that is taken: hosted models take 32 MB.
const LONGEST: usize = 64 << 20;

pub(crate) struct Incoming {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: String,
    pub(crate) authorization: Option<String>,
    pub(crate) body: Vec<u8>,
}

/// The next request of a connection; `None` where the client has closed it.
pub(crate) async fn read(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> io::Result<Option<Incoming>> {
    loop {
        if let Some((head, length, mut incoming)) = head(buffer)? {
            let here = buffer.len().min(head + length);
            let mut body = Vec::with_capacity(length);
            body.extend_from_slice(&buffer[head..here]);
            buffer.drain(..here);
            // Straight to its place: megabytes of images are not copied again.
            let mut rest = stream.take((length - body.len()) as u64);
            while body.len() < length {
                if rest.read_buf(&mut body).await? == 0 {
                    return Ok(None);
                }
            }
            incoming.body = body;
            return Ok(Some(incoming));
        }
        if stream.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    }
}

/// The head of a request, where it is there in full: its length, that of the body, and what it says.
fn head(buffer: &[u8]) -> io::Result<Option<(usize, usize, Incoming)>> {
    let bad = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut request = httparse::Request::new(&mut headers);
    let httparse::Status::Complete(head) = request.parse(buffer).map_err(|error| bad(&error.to_string()))? else {
        return if buffer.len() > 64 << 10 { Err(bad("a head without end")) } else { Ok(None) };
    };
    let find = |name: &str| {
        let header = request.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name))?;
        std::str::from_utf8(header.value).ok()
    };
    if find("transfer-encoding").is_some() {
        return Err(bad("a request without a length"));
    }
    let length = match find("content-length") {
        Some(length) => length.parse().map_err(|_| bad("a length that is no number"))?,
        None => 0,
    };
    if length > LONGEST {
        return Err(bad("a body too long"));
    }
    let (path, query) = request.path.unwrap_or("/").split_once('?').unwrap_or((request.path.unwrap_or("/"), ""));
    let incoming = Incoming {
        method: request.method.unwrap_or_default().to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        authorization: find("authorization").map(str::to_owned),
        body: Vec::new(),
    };
    Ok(Some((head, length, incoming)))
}

/// A response.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
}

impl Outgoing {
    pub(crate) fn json(status: u16, body: &serde_json::Value) -> Self {
        Self {
            status,
            headers: vec![("content-type", "application/json".to_owned())],
            body: body.to_string().into_bytes(),
        }
    }

    /// With a header more.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The head, and the body behind it.
    pub(crate) fn bytes(&self) -> (Vec<u8>, &[u8]) {
        let mut head = format!("HTTP/1.1 {} X\r\ncontent-length: {}\r\n", self.status, self.body.len());
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        (head.into_bytes(), &self.body)
    }

    pub(crate) async fn write(&self, stream: &mut TcpStream) -> io::Result<()> {
        let (mut bytes, body) = self.bytes();
        bytes.extend_from_slice(body);
        stream.write_all(&bytes).await
    }
}
