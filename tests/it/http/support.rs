//! A stub, a model that asks it, and a call that takes notes.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use roborm::frames::{EncodedImage, Frames};
use roborm::reward::{
    Call, Environment, Fault, FaultKind, ModelOptions, Patience, Reply, Request, RewardModel, Secret, open,
};
use roborm_stub::{Config, Stub};

/// Short waits: what is tested is that and not how long.
pub fn patience() -> Patience {
    Patience {
        connect: Duration::from_secs(5),
        read: Duration::from_secs(10),
        attempt: Duration::from_secs(20),
        deadline: Duration::from_secs(60),
        first_wait: Duration::from_millis(2),
        longest_wait: Duration::from_millis(20),
    }
}

/// The stub in OpenRouter's place.
pub fn environment(stub: &Stub) -> Environment {
    Environment {
        openrouter_key: Secret::new("sk-or-v1-openrouter"),
        openrouter_base_url: Some(stub.base_url()),
        other_key: Secret::new("sk-other"),
        ca_bundle: None,
    }
}

pub fn options(stub: &Stub) -> ModelOptions {
    ModelOptions { environment: Some(environment(stub)), patience: patience(), ..ModelOptions::default() }
}

pub fn stub(config: Config) -> Stub {
    Stub::start(config).expect("a free port on loopback")
}

/// A model of the catalogue at the stub in OpenRouter's place.
pub fn model(stub: &Stub, name: &str) -> Arc<dyn RewardModel> {
    open(name, &options(stub)).expect("in the catalogue")
}

/// Frames as they are sent: bytes that start like a JPEG, different for each trajectory.
pub fn images(trajectory: usize, count: usize) -> Arc<Vec<EncodedImage>> {
    let image = |index: usize| {
        let mut bytes = vec![0xFF, 0xD8, 0xFF];
        bytes.extend_from_slice(format!("trajectory {trajectory}, frame {index}").as_bytes());
        EncodedImage { mime: "image/jpeg", width: 64, height: 48, bytes: bytes.into() }
    };
    Arc::new((0..count).map(image).collect())
}

pub fn request(trajectory: usize, images: &Arc<Vec<EncodedImage>>, instruction: &str) -> Request {
    Request {
        trajectory: format!("trajectory {trajectory}"),
        frames: Arc::new(Frames { source: "test".into(), rule: "test".into(), frames: Vec::new() }),
        images: Arc::clone(images),
        instruction: instruction.to_owned(),
        repeat: 0,
        label: None,
        strategies: Vec::new(),
    }
}

/// One request of one trajectory with two frames.
pub fn one() -> Request {
    request(1, &images(1, 2), "open the top drawer")
}

/// A call that takes notes, and forbids sends beyond `allowed`.
pub struct Notes {
    pub sends: Mutex<Vec<u32>>,
    pub ids: Mutex<Vec<String>>,
    pub lost: Mutex<u32>,
    pub allowed: usize,
    /// Whether the study stops when the call is to be tried again, and what tells of it.
    pub stops_at_retry: bool,
    pub stop: tokio::sync::Notify,
}

impl Notes {
    pub fn new() -> Self {
        Self::allowing(usize::MAX)
    }

    pub fn allowing(allowed: usize) -> Self {
        Self {
            sends: Mutex::default(),
            ids: Mutex::default(),
            lost: Mutex::default(),
            allowed,
            stops_at_retry: false,
            stop: tokio::sync::Notify::new(),
        }
    }

    pub fn sends(&self) -> Vec<u32> {
        self.sends.lock().expect("not poisoned").clone()
    }

    pub fn lost(&self) -> u32 {
        *self.lost.lock().expect("not poisoned")
    }
}

impl Call for Notes {
    fn before_send(&self, attempt: u32) -> Result<(), Fault> {
        let mut sends = self.sends.lock().expect("not poisoned");
        if sends.len() >= self.allowed {
            return Err(Fault::new(FaultKind::Budget, "used up"));
        }
        sends.push(attempt);
        Ok(())
    }

    fn id_came(&self, id: &str) {
        self.ids.lock().expect("not poisoned").push(id.to_owned());
    }

    fn lost(&self, _fault: &Fault) {
        *self.lost.lock().expect("not poisoned") += 1;
    }

    fn trying_again(&self, _fault: &Fault, _wait: Duration) {
        if self.stops_at_retry {
            self.stop.notify_one();
        }
    }

    fn stopping<'a>(&'a self) -> roborm::reward::Future<'a, ()> {
        Box::pin(self.stop.notified())
    }
}

/// Asks once, with notes.
pub async fn ask(model: &dyn RewardModel, request: &Request) -> (Result<Reply, Fault>, Notes) {
    let notes = Notes::new();
    (model.ask(request, &notes).await, notes)
}

/// The reply of one question to a stub whose requests go wrong as scripted.
pub async fn after(faults: impl IntoIterator<Item = roborm_stub::Fault>) -> (Result<Reply, Fault>, Notes, Stub) {
    let stub = stub(Config { script: faults.into_iter().collect(), ..Config::default() });
    let (reply, notes) = ask(&*model(&stub, "openai/gpt-5.1"), &one()).await;
    (reply, notes, stub)
}
