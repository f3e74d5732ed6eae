//! The server: connections, routes, and the handle that holds it.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use crate::answer::PRICES;
use crate::chat::{Delivery, chat, error, unauthorised};
use crate::http::{Incoming, Outgoing, read};
use crate::state::State;
use crate::{Config, Expected, Fault, Tally};

/// A stub that runs until it is dropped.
pub struct Stub {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Stub {
    /// Starts one on a thread of its own.
    ///
    /// # Errors
    /// Where the address cannot be listened on.
    pub fn start(config: Config) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        // Bound here and not on the runtime, so that a test may start one from within its own.
        let listener = std::net::TcpListener::bind(config.address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let state = Arc::new(Mutex::new(State::new(config)));
        let (stop, stopped) = oneshot::channel();
        let shared = Arc::clone(&state);
        let thread = std::thread::spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    () = serve(listener, shared) => {}
                    _ = stopped => {}
                }
            });
        });
        Ok(Self { address, state, stop: Some(stop), thread: Some(thread) })
    }

    /// The base URL, version path included.
    pub fn base_url(&self) -> String {
        format!("http://{}/api/v1", self.address)
    }

    /// What it has counted so far.
    pub fn tally(&self) -> Tally {
        let state = lock(&self.state);
        Tally { last_body: String::from_utf8_lossy(&state.last_body).into_owned(), ..state.tally.clone() }
    }

    /// From now on these providers, and no others, fail whatever they are asked.
    pub fn fail(&self, providers: &[&str]) {
        lock(&self.state).down = providers.iter().map(|name| (*name).to_owned()).collect();
    }

    /// From now on only these trajectories are expected.
    pub fn expect(&self, expected: impl IntoIterator<Item = Expected>) {
        let mut state = lock(&self.state);
        for one in expected {
            state.expected.insert(one.images.clone(), one);
        }
    }

    /// What goes wrong with the next requests, one after another.
    pub fn script(&self, faults: impl IntoIterator<Item = Fault>) {
        lock(&self.state).script.extend(faults);
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // Where the thread has ended by itself there is nobody to tell.
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(listener: std::net::TcpListener, state: Arc<Mutex<State>>) {
    // It is not blocking, and the runtime is there: nothing else can go wrong.
    let Ok(listener) = TcpListener::from_std(listener) else { return };
    loop {
        // Out of files, most of all: the connections that end make room again.
        let Ok((stream, _)) = listener.accept().await else {
            tokio::task::yield_now().await;
            continue;
        };
        let state = Arc::clone(&state);
        tokio::spawn(async move {
            // A client that goes away in the middle is no trouble of the server's.
            let _ = connection(stream, &state).await;
        });
    }
}

async fn connection(mut stream: TcpStream, state: &Mutex<State>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = Vec::new();
    while let Some(incoming) = read(&mut stream, &mut buffer).await? {
        let is_chat = incoming.method == "POST" && incoming.path.ends_with("/chat/completions");
        if !is_chat {
            let outgoing = other(&mut lock(state), &incoming);
            outgoing.write(&mut stream).await?;
            continue;
        }
        let (delivery, latency) = {
            let mut state = lock(state);
            state.under_way += 1;
            state.tally.most_at_a_time = state.tally.most_at_a_time.max(state.under_way);
            let delivery = chat(&mut state, &incoming);
            state.last_body = incoming.body;
            delivery
        };
        let under_way = UnderWay(state);
        if !latency.is_zero() {
            tokio::time::sleep(latency).await;
        }
        // Before the client can know of the answer and send the next request.
        drop(under_way);
        if !deliver(&mut stream, delivery).await? {
            return Ok(());
        }
    }
    Ok(())
}

/// A chat request under way; counted out when dropped, however the connection ends.
struct UnderWay<'a>(&'a Mutex<State>);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        lock(self.0).under_way -= 1;
    }
}

/// Sends a response; whether the connection goes on.
async fn deliver(stream: &mut TcpStream, delivery: Delivery) -> io::Result<bool> {
    match delivery {
        Delivery::Whole(outgoing) => outgoing.write(stream).await.map(|()| true),
        Delivery::Closed => Ok(false),
        Delivery::Cut(outgoing, bytes) => {
            let (head, body) = outgoing.bytes();
            stream.write_all(&head).await?;
            stream.write_all(&body[..bytes.min(body.len())]).await?;
            stream.shutdown().await?;
            Ok(false)
        }
        Delivery::Stalled => {
            std::future::pending::<()>().await;
            Ok(false)
        }
        Delivery::Trickled(outgoing, pause) => {
            let (head, body) = outgoing.bytes();
            stream.write_all(&head).await?;
            for byte in body {
                stream.write_all(std::slice::from_ref(byte)).await?;
                tokio::time::sleep(pause).await;
            }
            Ok(true)
        }
    }
}

/// Everything but chat.
fn other(state: &mut State, incoming: &Incoming) -> Outgoing {
    match (incoming.method.as_str(), incoming.path.as_str()) {
        ("GET", "/stub/tally") => Outgoing::json(200, &state.tally.to_json()),
        ("POST", "/stub/expect") => expect(state, &incoming.body),
        ("GET", path) if path.ends_with("/models") => Outgoing::json(200, &models()),
        ("GET", path) if path.ends_with("/key") => match unauthorised(state, incoming) {
            Some(refusal) => refusal,
            None => Outgoing::json(
                200,
                &json!({"data": {"label": "stub", "limit": 10.0, "limit_remaining": 10.0 - state.tally.cost}}),
            ),
        },
        ("GET", path) if path.ends_with("/generation") || path.ends_with("/generation/content") => {
            if let Some(refusal) = unauthorised(state, incoming) {
                return refusal;
            }
            let id = incoming.query.split('&').find_map(|pair| pair.strip_prefix("id=")).unwrap_or_default();
            let Some(given) = state.given.get(id) else { return error(404, "not_found", "no such generation") };
            if path.ends_with("/content") {
                state.tally.looked_up += 1;
                return Outgoing::json(200, &given.content());
            }
            Outgoing::json(200, &given.generation())
        }
        _ => error(404, "not_found", "no such path"),
    }
}

fn expect(state: &mut State, body: &[u8]) -> Outgoing {
    let Ok(Value::Array(entries)) = serde_json::from_slice(body) else {
        return error(400, "invalid_request", "a list of {images, instructions, label} is expected");
    };
    let strings = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(|text| text.as_str().map(str::to_owned)).collect()
    };
    for entry in &entries {
        let label =
            entry["label"].as_u64().and_then(|label| u8::try_from(label).ok()).filter(|label| (1..=5).contains(label));
        let one = Expected { images: strings(&entry["images"]), instructions: strings(&entry["instructions"]), label };
        state.expected.insert(one.images.clone(), one);
    }
    Outgoing::json(200, &json!({"expected": state.expected.len()}))
}

/// Two models with prices, and a router without.
fn models() -> Value {
    let [prompt, cached, completion] = PRICES.map(|price| format!("{price:.9}"));
    let model = |id: &str| {
        json!({
            "id": id,
            "canonical_slug": id,
            "context_length": 400_000,
            "architecture": {"input_modalities": ["text", "image"]},
            "pricing": {"prompt": prompt, "completion": completion, "input_cache_read": cached, "image": "0"},
            "supported_parameters": ["max_tokens", "temperature", "top_p", "seed", "reasoning"],
        })
    };
    let router = json!({"id": "openrouter/auto", "pricing": {"prompt": "-1", "completion": "-1"}});
    json!({"data": [model("openai/gpt-5.1"), model("qwen/qwen3-vl-8b-instruct"), router]})
}
