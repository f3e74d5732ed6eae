//! One question, asked until it is answered, refused, or no longer worth it.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

use super::HttpModel;
use super::answer::{self, Answer};
use super::breaker::Pass;
use super::endpoint::{Dialect, Endpoint};
use super::fault::{ServerError, Verdict, one_line};
use super::limiter::Place;
use super::lookup;
use super::providers::{Blame, Route};
use super::retry::{back_off, rate_limit_reset};
use super::send::{Errand, Lost, Progress, Received};
use crate::reward::{Call, Fault, FaultKind, Reply, Request};

/// Sends of one question that may each have been billed without bringing an answer, at most: money is not thrown after a
/// server that takes requests and gives nothing.
const LOSSES: u32 = 3;

/// Failures to reach a server that has never been reached, before it is given up.
const FIRST_CONTACTS: u32 = 5;

/// Empty replies of one question, at most.
const EMPTY: u32 = 6;

/// Tries of a look-up: a reply can be looked up some seconds after it was given only.
const LOOK_UPS: u32 = 4;

impl HttpModel {
    pub(super) async fn ask_server(&self, request: &Request, call: &dyn Call) -> Result<Reply, Fault> {
        if let Some(fault) = self.keyless() {
            return Err(fault);
        }
        let siblings = self.families.of(request);
        let session = (self.dialect == Dialect::OpenRouter).then(|| self.session(request));
        let turn = if self.warms { Some(siblings.turn().await) } else { None };
        let envelope = siblings.envelope(&self.template, &request.images, session.as_deref());

        let mut tally = Tally::default();
        loop {
            let endpoint = self.endpoint_for(request);
            let left = tally.left(self.patience.deadline);
            let admitted = tokio::select! {
                biased;
                () = call.stopping() => return Err(tally.stopped()),
                admitted = tokio::time::timeout(left, self.admitted(endpoint)) => admitted,
            };
            let (place, pass) = match admitted {
                Ok(Some(admitted)) => admitted,
                Ok(None) => {
                    let name = endpoint.name();
                    return Err(tally.over(match endpoint.breaker.long_pause() {
                        Some(pause) => format!("{name}: {}", too_long(pause)),
                        None => format!("{name} has let no call through for too long"),
                    }));
                }
                Err(_) => return Err(tally.over(format!("{} let no call through", endpoint.name()))),
            };
            call.ready(tally.attempts + 1).await.map_err(|fault| tally.marked(fault))?;
            tally.started.get_or_insert_with(Instant::now);
            tally.attempts += 1;
            // Not cut short by the deadline: what has been sent may be billed, and is waited for.
            let errand = Errand { client: &self.client, endpoint, timeout: self.patience.attempt };
            let mut progress = Progress::default();
            let route = self.providers.route();
            let body = || self.template.body(envelope, &request.instruction, request.repeat, route.ignored());
            let sent = errand.post("chat/completions", body, &mut progress, &|id| call.id_came(id)).await;
            let step = match sent {
                Ok(received) => self.received(received, endpoint, place, pass, route),
                Err(lost) => {
                    // Whoever waits may have the place while this one backs off.
                    drop(place);
                    match lost {
                        Lost::Redirected(_) => pass.answered(),
                        _ => pass.failed(),
                    }
                    Step::lost(lost, endpoint, tally.failures)
                }
            };
            match step {
                Step::Done(mut reply) => {
                    if let Some(turn) = turn {
                        turn.answered();
                    }
                    reply.attempts = tally.attempts;
                    reply.request_id = reply.request_id.or(progress.id);
                    return Ok(*reply);
                }
                Step::Stop(fault) => {
                    if fault.maybe_billed {
                        call.lost(&fault);
                    }
                    return Err(tally.marked(self.named(fault, endpoint)));
                }
                Step::Again { wait: Some(wait), fault, .. } if wait > self.patience.deadline => {
                    let message = format!("{}; {}", fault.message, too_long(wait));
                    return Err(tally.marked(self.named(Fault { message, ..fault }, endpoint)));
                }
                Step::Again { fault, cut, empty, wait } => {
                    if fault.maybe_billed {
                        // Before anything is sent again: is the answer to be had without?
                        if let Some(id) = progress.id.as_ref().filter(|_| cut)
                            && let Some(mut reply) = self.answer_of(&errand, id).await
                        {
                            reply.attempts = tally.attempts;
                            return Ok(reply);
                        }
                        tally.losses += 1;
                        call.lost(&fault);
                    }
                    tally.empty += u32::from(empty);
                    tally.failures += 1;
                    // Those who were told the same moment do not come back at the same moment.
                    let wait = match wait {
                        Some(wait) => wait + back_off(&self.patience, 1),
                        None => back_off(&self.patience, tally.failures),
                    };
                    if tally.losses >= LOSSES || tally.empty >= EMPTY || wait >= tally.left(self.patience.deadline) {
                        return Err(tally.marked(fault));
                    }
                    call.trying_again(&fault, wait);
                    tally.last = Some(fault);
                    tokio::select! {
                        biased;
                        () = call.stopping() => return Err(tally.stopped()),
                        () = tokio::time::sleep(wait) => {}
                    }
                }
            }
        }
    }

    /// What an answer that came in full means, and what limiter and breaker learn from it.
    fn received(
        &self,
        received: Received,
        endpoint: &Endpoint,
        place: Place<'_>,
        pass: Pass<'_>,
        route: Route<'_>,
    ) -> Step {
        endpoint.reached.store(true, Ordering::Relaxed);
        let answer = match received.status {
            200..=299 => answer::read(&received.body),
            status => Answer::Error(ServerError::of_body(&received.body, status)),
        };
        let error = match answer {
            Answer::Reply(mut reply) => {
                endpoint.has_answered.store(true, Ordering::Relaxed);
                place.answered();
                pass.answered();
                route.answered(reply.provider.as_deref());
                reply.latency_ms = Some(received.latency.as_secs_f64() * 1e3);
                return Step::Done(reply);
            }
            Answer::Empty => {
                pass.answered();
                let fault = Fault::new(FaultKind::Passing, "an empty reply");
                return Step::Again { fault, cut: false, empty: true, wait: received.retry_after };
            }
            Answer::Broken => {
                pass.failed();
                let fault = Fault { maybe_billed: true, ..Fault::new(FaultKind::Passing, "a reply that breaks off") };
                return Step::Again { fault, cut: true, empty: false, wait: received.retry_after };
            }
            // Of a server that has answered: something on the way, for the moment. Else the address is wrong.
            Answer::WebPage => {
                let status = if endpoint.has_answered.load(Ordering::Relaxed) { 502 } else { 404 };
                let message = "a web page and no answer".to_owned();
                ServerError { message, ..ServerError::of(&serde_json::Value::Null, status) }
            }
            Answer::Error(error) => error,
        };
        let reset = || error.reset.as_deref().and_then(|text| rate_limit_reset(text, SystemTime::now()));
        let too_many = error.verdict() == Verdict::TooMany;
        let retry_after = received.retry_after.or_else(|| reset().filter(|_| too_many));
        let fault = Fault { retry_after, ..error.fault(endpoint.key.as_ref()) };
        let provider = error.provider.as_deref();
        let again = |fault, wait| Step::Again { fault, cut: false, empty: false, wait };
        // Nobody else serves the model (404), or the names of those left out are not taken (400, 422).
        if !route.ignored().is_empty() && matches!(error.status, 400 | 404 | 422) {
            pass.answered();
            route.nobody_left();
            return again(Fault { kind: FaultKind::Passing, ..fault }, Some(Duration::ZERO));
        }
        match error.verdict() {
            Verdict::TooMany => {
                place.too_many();
                // A long pause of one provider need not be waited for where there are others.
                let long = retry_after.filter(|wait| *wait > self.patience.longest_wait);
                if long.is_some_and(|wait| route.paused(provider, wait)) {
                    pass.answered();
                    return again(fault, Some(Duration::ZERO));
                }
                pass.pressed();
                // It holds for everyone who would send now, not for this question alone.
                if let Some(wait) = retry_after {
                    endpoint.breaker.pause(wait);
                }
                again(fault, retry_after)
            }
            Verdict::Again => {
                let mut wait = retry_after;
                match route.failed(provider) {
                    Blame::Server => pass.failed(),
                    Blame::Provider { left_out } => {
                        pass.answered();
                        // Somebody else serves it next: there is nobody to wait for, however often this one has failed.
                        wait = wait.or(left_out.then_some(Duration::ZERO));
                    }
                }
                again(fault, wait)
            }
            Verdict::Refused | Verdict::Fatal => {
                pass.answered();
                route.answered(provider);
                Step::Stop(fault)
            }
        }
    }

    /// A place among the calls at a time, and leave of the breaker; `None` where the server has been down too long.
    async fn admitted<'a>(&self, endpoint: &'a Endpoint) -> Option<(Place<'a>, Pass<'a>)> {
        loop {
            // Waiting for the breaker takes up no place.
            drop(endpoint.breaker.pass().await?);
            let place = endpoint.limiter.place().await;
            if let Some(pass) = endpoint.breaker.pass_now() {
                return Some((place, pass));
            }
        }
    }

    /// The fault with the name of the server, where there are several.
    fn named(&self, fault: Fault, endpoint: &Endpoint) -> Fault {
        let known = self.endpoints.len() == 1 || fault.message.starts_with(&endpoint.name());
        let message = if known { fault.message } else { format!("{}: {}", endpoint.name(), fault.message) };
        Fault { message, ..fault }
    }

    /// The server of a trajectory: always the same (its prefix cache), unless that one is down. By rendezvous hashing, so
    /// that the load spreads evenly and a server more or less moves few trajectories.
    fn endpoint_for(&self, request: &Request) -> &Endpoint {
        let weight = |endpoint: &&Endpoint| {
            let mut hasher = blake3::Hasher::new();
            hasher.update(endpoint.base.as_str().as_bytes());
            hasher.update(&[0]);
            hasher.update(request.trajectory.as_bytes());
            (endpoint.breaker.is_closed(), *hasher.finalize().as_bytes())
        };
        // `new` has checked that there is one.
        self.endpoints.iter().max_by_key(weight).unwrap_or(&self.endpoints[0])
    }

    /// The name of a trajectory's session: tells nothing about it, and differs from model to model.
    fn session(&self, request: &Request) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.config.digest().as_bytes());
        hasher.update(request.trajectory.as_bytes());
        request.images.iter().for_each(|image| {
            hasher.update(&(image.bytes.len() as u64).to_le_bytes());
        });
        format!("roborm-{}", &hasher.finalize().to_hex()[..32])
    }

    /// The answer of an interrupted send, by its id.
    async fn answer_of(&self, errand: &Errand<'_>, id: &str) -> Option<Reply> {
        if self.dialect != Dialect::OpenRouter {
            return None;
        }
        for attempt in 1..=LOOK_UPS {
            match lookup::look_up(errand, id).await {
                Ok(Some(reply)) => return Some(reply),
                Ok(None) | Err(_) if attempt == LOOK_UPS => return None,
                Ok(None) | Err(_) => tokio::time::sleep(back_off(&self.patience, attempt)).await,
            }
        }
        None
    }
}

/// What one send comes to.
enum Step {
    Done(Box<Reply>),
    /// `cut`: the answer broke off, and may be had by its id.
    Again {
        fault: Fault,
        cut: bool,
        empty: bool,
        wait: Option<Duration>,
    },
    Stop(Fault),
}

impl Step {
    fn lost(lost: Lost, endpoint: &Endpoint, failures: u32) -> Self {
        let line = |why: &str| format!("{}: {}", endpoint.name(), one_line(why, endpoint.key.as_ref()));
        match lost {
            // A wrong address or a server that is not up is told at once, not after a quarter of an hour of patience.
            Lost::Unsent(why) if failures + 1 >= FIRST_CONTACTS && !endpoint.reached.load(Ordering::Relaxed) => {
                Self::Stop(Fault::new(
                    FaultKind::Fatal,
                    format!("{}; is the server up, and its address right?", line(&why)),
                ))
            }
            Lost::Unsent(why) => {
                let fault = Fault::new(FaultKind::Passing, line(&why));
                Self::Again { fault, cut: false, empty: false, wait: None }
            }
            Lost::Unanswered(why) => {
                let fault = Fault { maybe_billed: true, ..Fault::new(FaultKind::Passing, line(&why)) };
                Self::Again { fault, cut: true, empty: false, wait: None }
            }
            Lost::Redirected(why) => Self::Stop(Fault::new(
                FaultKind::Fatal,
                format!("{}; give the address it points to as the base url if you trust it", line(&why)),
            )),
        }
    }
}

/// What is said of a server that asks for more patience than there is.
fn too_long(wait: Duration) -> String {
    let minutes = wait.as_secs().div_ceil(60);
    let (hours, minutes) = (minutes / 60, minutes % 60);
    format!(
        "it asks for a pause of {hours} h {minutes:02} min, which is not waited for: give the same command again then"
    )
}

/// What has been tried of one question.
#[derive(Default)]
struct Tally {
    started: Option<Instant>,
    attempts: u32,
    failures: u32,
    empty: u32,
    /// Sends that may have been billed without an answer.
    losses: u32,
    /// What went wrong last.
    last: Option<Fault>,
}

impl Tally {
    /// What is left until the deadline, counted from the first send: before it there is only the queue, which may be long.
    fn left(&self, deadline: Duration) -> Duration {
        self.started.map_or(Duration::MAX, |started| deadline.saturating_sub(started.elapsed()))
    }

    /// The fault with what was lost before it.
    fn marked(&self, mut fault: Fault) -> Fault {
        fault.maybe_billed |= self.losses > 0;
        if self.attempts > 1 {
            fault.message = format!("{} (after {} attempts)", fault.message, self.attempts);
        }
        fault
    }

    /// The study sends nothing more.
    fn stopped(&self) -> Fault {
        self.marked(Fault::new(FaultKind::Interrupted, "the study was stopped"))
    }

    /// The end without a further send: what went wrong last says more than that time is up.
    fn over(&mut self, message: String) -> Fault {
        let fault = self.last.take().unwrap_or_else(|| Fault::new(FaultKind::Passing, message));
        self.marked(fault)
    }
}
