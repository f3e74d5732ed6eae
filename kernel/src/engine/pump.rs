//! Takes in what the process that runs cells says: text on two pipes, events on a connection.
//!
//! The process waits for the answer to every event, and has emptied its buffers before it sends one: so what is in the
//! pipes when an event is read was printed before it. The pipes have no end that is waited for. A copy of the process that
//! the user's code forked may hold them for as long as it likes.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::mpsc;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use roborm_wire::cell::{self, Failed, Hello, Reply, Role, TableColumns};
use roborm_wire::{receive, send};
use rustix::event::{PollFd, PollFlags, poll};
use serde_json::Value;

use super::event::{Bundle, Event, InputReply};
use super::interrupt::Control;
use super::places::{Place, Places};
use super::session::Files;
use super::text::{MOST, Piece, Text};
use super::{Error, Result};

/// Shows of one cell, beyond which they are dropped and counted.
const MOST_SHOWN: usize = 10_000;

/// How long a question is waited for before it is looked whether it is interrupted.
const LOOK: Duration = Duration::from_millis(50);

/// Where events go.
pub(super) type Events = Arc<dyn Fn(Event) + Send + Sync>;

/// What is shared with the threads that read.
pub(super) struct Pump {
    streams: Mutex<Streams>,
    events: Events,
    heard: Mutex<Heard>,
    connected: Condvar,
    /// Connections that came and are not taken yet.
    links: Mutex<Links>,
    control: Arc<Control>,
    /// Characters that a line of text may have.
    columns: Mutex<Option<usize>>,
    /// Those of the piece of a cell that runs, or ran last.
    places: Mutex<Option<Places>>,
}

#[derive(Default)]
struct Links {
    work: Option<UnixStream>,
    questions: Option<UnixStream>,
    /// The event connection of the process of now is open.
    listening: bool,
}

/// What a cell told besides what it showed.
#[derive(Default)]
pub(super) struct Heard {
    /// The value of its last expression.
    pub result: Option<Bundle>,
    /// How it failed.
    pub failed: Option<Failed>,
    /// The tables among the variables.
    pub tables: Vec<TableColumns>,
    /// Whether a chart of this cell brings what draws it.
    carries: bool,
    shown: usize,
    dropped: usize,
}

struct Streams {
    out: Stream,
    err: Stream,
}

struct Stream {
    pipe: File,
    text: Text,
}

impl Pump {
    /// Begins to listen.
    pub fn start(files: &Files, events: Events, control: Arc<Control>) -> Result<Arc<Self>> {
        let socket = files.socket();
        let cannot = |error: io::Error| Error::io(format!("cannot listen at {}", socket.display()), &error);
        let listener = UnixListener::bind(&socket).map_err(cannot)?;
        // Opened for both: a pipe without a writer would be at its end, and one that is opened for reading alone would
        // wait for a writer.
        let open = |name: &str| {
            OpenOptions::new()
                .read(true)
                .write(true)
                .custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed())
                .open(files.streams().join(name))
                .map_err(|error| Error::io(format!("cannot open the pipe {name}"), &error))
        };
        let stream = |pipe| Stream { pipe, text: Text::default() };
        let pump = Arc::new(Self {
            streams: Mutex::new(Streams { out: stream(open("stdout")?), err: stream(open("stderr")?) }),
            events,
            heard: Mutex::default(),
            connected: Condvar::new(),
            links: Mutex::default(),
            control,
            columns: Mutex::default(),
            places: Mutex::default(),
        });
        let poll_of = [open("stdout")?, open("stderr")?];
        let (accepting, reading) = (Arc::downgrade(&pump), Arc::downgrade(&pump));
        let spawn = |name: &str, work: Box<dyn FnOnce() + Send>| {
            std::thread::Builder::new()
                .name(name.to_owned())
                .spawn(work)
                .map_err(|error| Error::io("cannot start a thread", &error))
        };
        spawn(
            "roborm-accept",
            Box::new(move || {
                for stream in listener.incoming() {
                    let (Ok(stream), Some(pump)) = (stream, accepting.upgrade()) else { return };
                    pump.accept(stream);
                }
            }),
        )?;
        spawn(
            "roborm-streams",
            Box::new(move || {
                loop {
                    let mut ready = [PollFd::new(&poll_of[0], PollFlags::IN), PollFd::new(&poll_of[1], PollFlags::IN)];
                    // Looks up now and then whether anybody is left to read for.
                    let second = rustix::event::Timespec { tv_sec: 1, tv_nsec: 0 };
                    let _ = poll(&mut ready, Some(&second));
                    let Some(pump) = reading.upgrade() else { return };
                    pump.drain();
                }
            }),
        )?;
        Ok(pump)
    }

    fn accept(self: &Arc<Self>, mut stream: UnixStream) {
        let Ok(Some(hello)) = receive::<Hello>(&mut stream) else { return };
        let mut links = lock(&self.links);
        match hello.role {
            Role::Work => links.work = Some(stream),
            Role::Questions => links.questions = Some(stream),
            Role::Streams => {
                let pump = Arc::downgrade(self);
                // Without the thread the process finds nobody to wait for, and only the order of its streams is lost.
                let _ = std::thread::Builder::new().name("roborm-turns".to_owned()).spawn(move || {
                    let mut turn = [0];
                    while stream.read_exact(&mut turn).is_ok() {
                        let Some(pump) = pump.upgrade() else { return };
                        pump.drain();
                        if stream.write_all(&turn).is_err() {
                            return;
                        }
                    }
                });
            }
            Role::Events => {
                links.listening = true;
                let pump = Arc::downgrade(self);
                // Without the thread the process finds its events unanswered, and ends.
                let _ = std::thread::Builder::new().name("roborm-events".to_owned()).spawn(move || {
                    while let Ok(Some(event)) = receive::<cell::Event>(&mut stream) {
                        let Some(pump) = pump.upgrade() else { return };
                        let reply = pump.take_in(event);
                        if send(&mut stream, &reply).is_err() {
                            break;
                        }
                    }
                    if let Some(pump) = pump.upgrade() {
                        lock(&pump.links).listening = false;
                        pump.connected.notify_all();
                    }
                });
            }
        }
        self.connected.notify_all();
    }

    /// The connection of the process of now for commands, when it is there.
    pub fn work(&self, patience: Duration) -> Option<UnixStream> {
        self.link(patience, |links| links.work.take())
    }

    /// The connection for questions, when it is there.
    pub fn questions(&self, patience: Duration) -> Option<UnixStream> {
        self.link(patience, |links| links.questions.take())
    }

    /// Waits until there is a connection for questions, and leaves it there.
    pub fn wait_for_questions(&self, patience: Duration) {
        self.link(patience, |links| links.questions.is_some().then_some(()));
    }

    fn link<T>(&self, patience: Duration, take: impl Fn(&mut Links) -> Option<T>) -> Option<T> {
        let end = Instant::now() + patience;
        let mut links = lock(&self.links);
        loop {
            if let Some(stream) = take(&mut links) {
                return Some(stream);
            }
            let left = end.checked_duration_since(Instant::now())?;
            links = self.connected.wait_timeout(links, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Lines of text may have so many characters from now on; `None`: no limit is known.
    pub fn set_columns(&self, columns: Option<usize>) {
        *lock(&self.columns) = columns;
    }

    /// A cell or a command begins.
    pub fn begin(&self, carries: bool) {
        self.drain();
        let mut heard = lock(&self.heard);
        *heard = Heard { carries, tables: std::mem::take(&mut heard.tables), ..Heard::default() };
        drop(heard);
        let mut streams = lock(&self.streams);
        for stream in streams.both() {
            stream.text.begin();
        }
    }

    /// A cell or a command is over, whatever it came to: tells of all that was printed.
    pub fn end(&self) -> Heard {
        self.drain();
        let mut streams = lock(&self.streams);
        let mut left_out = 0;
        for (is_out, stream) in [true, false].into_iter().zip(streams.both()) {
            let rest = stream.text.end();
            left_out += stream.text.left_out();
            self.text(is_out, rest);
        }
        drop(streams);
        let mut heard = lock(&self.heard);
        if left_out > 0 {
            let shown = MOST >> 20;
            self.text(false, format!("\n… {left_out} bytes more of output are not shown (a cell shows {shown} MiB)\n"));
        }
        if heard.dropped > 0 {
            self.text(false, format!("… {} more displays are not shown\n", heard.dropped));
        }
        let tables = heard.tables.clone();
        std::mem::replace(&mut *heard, Heard { tables, ..Heard::default() })
    }

    /// A section of a cell is over: its value, and how it failed.
    pub fn end_of_section(&self) -> Heard {
        self.drain();
        let mut heard = lock(&self.heard);
        Heard { result: heard.result.take(), failed: heard.failed.take(), ..Heard::default() }
    }

    /// Tells a line of the evaluator's own on standard error.
    pub fn note(&self, line: &str) {
        self.drain();
        self.text(false, format!("{line}\n"));
    }

    /// Shows a value of the evaluator's own.
    pub fn show(&self, bundle: Bundle) {
        self.drain();
        (self.events)(Event::Display { id: None, update: false, bundle });
    }

    /// Reads what is in the pipes, as of now: a thread that goes on printing on one of them does not keep the other waiting.
    pub fn drain(&self) {
        let mut streams = lock(&self.streams);
        let mut buffer = vec![0; 1 << 16];
        let waiting = streams.both().map(|stream| rustix::io::ioctl_fionread(&stream.pipe).unwrap_or(0));
        for ((is_out, mut left), stream) in [true, false].into_iter().zip(waiting).zip(streams.both()) {
            while left > 0 {
                match stream.pipe.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(got) => {
                        left = left.saturating_sub(got as u64);
                        for piece in stream.text.take(&buffer[..got], is_out) {
                            match piece {
                                Piece::Text(text) => self.text(is_out, text),
                                Piece::Content(mime, text) => self.content(mime, text),
                            }
                        }
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    // Nothing more now.
                    Err(_) => break,
                }
            }
        }
    }

    fn text(&self, is_out: bool, text: String) {
        if text.is_empty() {
            return;
        }
        if is_out {
            return (self.events)(Event::Stdout(text));
        }
        let text = match &*lock(&self.places) {
            Some(places) => places.told(text),
            None => text,
        };
        (self.events)(Event::Stderr(text));
    }

    /// These are the places of the piece of a cell that runs next.
    pub fn set_places(&self, places: Places) {
        *lock(&self.places) = Some(places);
    }

    /// A place of what was compiled last.
    pub fn place(&self, line: usize, column: usize) -> Option<Place> {
        lock(&self.places).as_ref()?.of(line, column)
    }

    /// A value that was printed in evcxr's own way.
    fn content(&self, mime: String, text: String) {
        let mut heard = lock(&self.heard);
        let value = if mime.ends_with("json") {
            serde_json::from_str(&text).unwrap_or(Value::String(text))
        } else {
            text.into()
        };
        heard.result.get_or_insert_default().data.insert(mime, value);
    }

    fn take_in(&self, event: cell::Event) -> Reply {
        self.drain();
        match event {
            cell::Event::Display { id, update, result, data, metadata } => {
                let bundle = Bundle { data, metadata };
                let mut heard = lock(&self.heard);
                if result {
                    heard.result = Some(bundle);
                } else if heard.shown >= MOST_SHOWN {
                    heard.dropped += 1;
                } else {
                    heard.shown += 1;
                    drop(heard);
                    (self.events)(Event::Display { id, update, bundle });
                }
                Reply::Seen
            }
            cell::Event::Input { prompt, password } => {
                let (reply, answer) = mpsc::channel();
                (self.events)(Event::Input { prompt, password, reply: InputReply(reply) });
                // Whether an interrupt takes the question back is not left to whoever shows it.
                loop {
                    match answer.recv_timeout(LOOK) {
                        _ if self.control.is_interrupted() => break Reply::Stop,
                        Ok(line) => break Reply::Line(Some(line)),
                        Err(mpsc::RecvTimeoutError::Timeout) => {}
                        Err(mpsc::RecvTimeoutError::Disconnected) => break Reply::Line(None),
                    }
                }
            }
            cell::Event::Failed(failed) => {
                lock(&self.heard).failed = Some(failed);
                Reply::Seen
            }
            cell::Event::Begin => {
                if self.control.may_run() {
                    Reply::Begin { columns: *lock(&self.columns) }
                } else {
                    Reply::Stop
                }
            }
            cell::Event::Chart => Reply::Carry(std::mem::take(&mut lock(&self.heard).carries)),
            cell::Event::Over { tables } => {
                lock(&self.heard).tables = tables;
                Reply::Seen
            }
        }
    }

    /// The tables among the variables, as of the end of the last cell.
    pub fn tables(&self) -> Vec<TableColumns> {
        lock(&self.heard).tables.clone()
    }

    /// Whether a chart asked for what draws it since the last [`Pump::begin`] that offered it.
    pub fn carried(heard: &Heard) -> bool {
        !heard.carries
    }

    /// The process is gone, and another starts.
    pub fn lost(&self) {
        let mut links = lock(&self.links);
        // Connections of the new process may be here already.
        drop(links.work.take_if(|stream| is_closed(stream)));
        drop(links.questions.take_if(|stream| is_closed(stream)));
        drop(links);
        lock(&self.heard).tables = Vec::new();
    }
}

fn is_closed(stream: &UnixStream) -> bool {
    let mut ready = [PollFd::new(stream, PollFlags::IN)];
    let now = rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 };
    // Neither connection is spoken on by the process unasked.
    poll(&mut ready, Some(&now)).is_ok_and(|ready| ready > 0)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A thread that died in an event's handler leaves whole values behind.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Streams {
    fn both(&mut self) -> [&mut Stream; 2] {
        [&mut self.out, &mut self.err]
    }
}
