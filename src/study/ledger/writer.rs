//! The one thread that writes: commits of concurrent calls share one transaction, and so one wait for the disk.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::sync::{Arc, Mutex};

use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::oneshot;

use super::trouble;
use crate::{Error, Result};

/// At most so many jobs share a transaction, so that the first of them does not wait for ever.
const GROUP: usize = 4096;

/// A piece of work inside a transaction. It may run twice: a second time alone, where the group failed.
trait Job: Send {
    fn run(&mut self, db: &Connection) -> rusqlite::Result<()>;
    /// Called once: after the commit, or with what went wrong.
    fn deliver(self: Box<Self>, committed: Result<()>);
}

/// Hands work to the thread; ends it when dropped, all work done.
pub(super) struct Writer {
    jobs: Mutex<Option<Sender<Box<dyn Job>>>>,
    thread: Mutex<Option<std::thread::JoinHandle<()>>>,
    path: PathBuf,
}

impl Writer {
    pub fn start(db: Connection, path: &Path) -> Result<Self> {
        let (jobs, inbox) = mpsc::channel();
        let place: Arc<Path> = path.into();
        let thread = std::thread::Builder::new()
            .name("roborm-ledger".to_owned())
            .spawn(move || work(db, &inbox, &place))
            .map_err(|error| Error::io("cannot start the ledger's thread", &error))?;
        Ok(Self { jobs: Mutex::new(Some(jobs)), thread: Mutex::new(Some(thread)), path: path.to_owned() })
    }

    /// Does `work` in a transaction; ready once it is committed. It has its place in the queue when this returns, before
    /// the future is polled: what is handed over later is committed with it or after it.
    pub fn commit<T, F>(&self, work: F) -> impl Future<Output = Result<T>> + use<'_, T, F>
    where
        T: Send + 'static,
        F: FnMut(&Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        let (done, wait) = oneshot::channel();
        self.send(Work { work, value: None, done: move |result| drop(done.send(result)) });
        async move { wait.await.unwrap_or_else(|_| Err(self.closed())) }
    }

    /// As [`Writer::commit`], blocking the thread.
    pub fn commit_blocking<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnMut(&Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        let (done, wait) = mpsc::sync_channel(1);
        self.send(Work { work, value: None, done: move |result| drop(done.send(result)) });
        off_the_runtime(|| wait.recv()).unwrap_or_else(|_| Err(self.closed()))
    }

    /// Does `work` some time, and does not wait for it.
    pub fn later<F>(&self, work: F)
    where
        F: FnMut(&Connection) -> rusqlite::Result<()> + Send + 'static,
    {
        self.send(Work { work, value: None, done: |_| {} });
    }

    fn send<T, F, D>(&self, job: Work<T, F, D>)
    where
        T: Send + 'static,
        F: FnMut(&Connection) -> rusqlite::Result<T> + Send + 'static,
        D: FnOnce(Result<T>) + Send + 'static,
    {
        let jobs = self.jobs.lock().unwrap_or_else(|poison| poison.into_inner());
        if let Some(jobs) = jobs.as_ref() {
            // Where the thread is gone, the job is dropped, and with it the channel that its sender waits on.
            drop(jobs.send(Box::new(job)));
        }
    }

    fn closed(&self) -> Error {
        Error::ledger(format!("ledger {}: its thread has ended", self.path.display()))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs.lock().unwrap_or_else(|poison| poison.into_inner()).take();
        let thread = self.thread.lock().unwrap_or_else(|poison| poison.into_inner()).take();
        if let Some(thread) = thread {
            drop(thread.join());
        }
    }
}

/// Lets other tasks of a tokio runtime go on while this thread waits.
fn off_the_runtime<T>(wait: impl FnOnce() -> T) -> T {
    match tokio::runtime::Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(tokio::runtime::RuntimeFlavor::MultiThread) => tokio::task::block_in_place(wait),
        _ => wait(),
    }
}

struct Work<T, F, D> {
    work: F,
    value: Option<T>,
    done: D,
}

impl<T, F, D> Job for Work<T, F, D>
where
    T: Send,
    F: FnMut(&Connection) -> rusqlite::Result<T> + Send,
    D: FnOnce(Result<T>) + Send,
{
    fn run(&mut self, db: &Connection) -> rusqlite::Result<()> {
        self.value = Some((self.work)(db)?);
        Ok(())
    }

    fn deliver(self: Box<Self>, committed: Result<()>) {
        let value = self.value;
        (self.done)(committed.and_then(|()| value.ok_or_else(|| Error::ledger("the ledger's thread lost a value"))));
    }
}

fn work(mut db: Connection, inbox: &Receiver<Box<dyn Job>>, path: &Path) {
    while let Ok(first) = inbox.recv() {
        let mut group = vec![first];
        while group.len() < GROUP {
            match inbox.try_recv() {
                Ok(job) => group.push(job),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
            }
        }
        match transact(&mut db, &mut group) {
            Ok(()) => group.into_iter().for_each(|job| job.deliver(Ok(()))),
            Err(error) if group.len() == 1 => {
                group.into_iter().for_each(|job| job.deliver(Err(trouble(path, &error))));
            }
            // One that fails must not take the others with it.
            Err(_) => {
                for job in group {
                    let mut alone = [job];
                    let outcome = transact(&mut db, &mut alone).map_err(|error| trouble(path, &error));
                    let [job] = alone;
                    job.deliver(outcome);
                }
            }
        }
    }
}

fn transact(db: &mut Connection, group: &mut [Box<dyn Job>]) -> rusqlite::Result<()> {
    let step = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for job in group {
        job.run(&step)?;
    }
    step.commit()
}
