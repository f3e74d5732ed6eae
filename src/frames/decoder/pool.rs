//! The workers: who is idle, who works on what.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use roborm_wire::File;

use super::buffers::Buffers;
use super::failure::{file_error, worker_error};
use super::process::{Fault, Worker};
use super::{DecoderInfo, DecoderOptions, WorkerStatus, hold};
use crate::Result;

pub(super) struct Pool {
    options: DecoderOptions,
    state: Mutex<State>,
    buffers: Arc<Buffers>,
    freed: Condvar,
}

#[derive(Default)]
struct State {
    /// Least recently used first.
    idle: Vec<Worker>,
    /// Process id and file of those at work.
    busy: Vec<(u32, PathBuf)>,
    /// Places taken by workers that are being started.
    starting: usize,
}

impl Pool {
    pub fn new(options: DecoderOptions) -> Self {
        Self { options, state: Mutex::default(), buffers: Arc::default(), freed: Condvar::new() }
    }

    /// Runs one request on a worker, best one that has the file open already.
    pub fn with<T>(
        &self,
        path: &Path,
        file: &File,
        request: impl FnOnce(&mut Worker) -> Result<T, Fault>,
    ) -> Result<T> {
        let mut lease = self.lease(path, Some(file)).map_err(|error| error.at(path.display()))?;
        match request(lease.worker()) {
            Ok(value) => Ok(value),
            Err(Fault::File(failure)) => Err(file_error(path, &failure)),
            Err(Fault::Worker(reason)) => {
                lease.worker = None;
                Err(worker_error(path, &reason))
            }
        }
    }

    pub fn status(&self) -> Vec<WorkerStatus> {
        let state = hold(&self.state);
        let idle = state.idle.iter().map(|worker| WorkerStatus { pid: worker.pid(), busy_with: None });
        let busy = state.busy.iter().map(|(pid, path)| WorkerStatus { pid: *pid, busy_with: Some(path.clone()) });
        idle.chain(busy).collect()
    }

    pub fn info(&self) -> Result<DecoderInfo> {
        let program = self.program()?;
        let mut lease = self.lease(&program, None)?;
        let hello = lease.worker().hello.clone();
        drop(lease);
        Ok(DecoderInfo { program, version: hello.version, library: hello.library })
    }

    fn program(&self) -> Result<PathBuf> {
        self.options.program.clone().map_or_else(|| super::PROGRAM.find(), Ok)
    }

    fn lease(&self, path: &Path, file: Option<&File>) -> Result<Lease<'_>> {
        let mut state = hold(&self.state);
        loop {
            // One that died while idle harmed nobody: it is forgotten and another one takes the work.
            state.idle.retain_mut(Worker::is_alive);
            let same = state.idle.iter().position(|worker| file.is_some() && worker.file.as_ref() == file);
            if let Some(at) = same.or((!state.idle.is_empty()).then_some(0)) {
                let worker = state.idle.remove(at);
                state.busy.push((worker.pid(), path.to_owned()));
                return Ok(Lease { pool: self, pid: worker.pid(), worker: Some(worker) });
            }
            if state.busy.len() + state.starting < self.options.workers.max(1) {
                break;
            }
            state = self.freed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.starting += 1;
        drop(state);
        let started = self.program().and_then(|program| Worker::start(&self.options, &program, self.buffers.clone()));
        let mut state = hold(&self.state);
        state.starting -= 1;
        match started {
            Ok(worker) => {
                state.busy.push((worker.pid(), path.to_owned()));
                Ok(Lease { pool: self, pid: worker.pid(), worker: Some(worker) })
            }
            Err(error) => {
                self.freed.notify_one();
                Err(error)
            }
        }
    }
}

/// A worker for one request: goes back to the idle ones, or is forgotten where it fell or its user panicked half-way.
struct Lease<'a> {
    pool: &'a Pool,
    pid: u32,
    worker: Option<Worker>,
}

impl Lease<'_> {
    fn worker(&mut self) -> &mut Worker {
        self.worker.as_mut().expect("a lease holds its worker until the request has ended")
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let worker = self.worker.take().filter(|_| !std::thread::panicking());
        let mut state = hold(&self.pool.state);
        state.busy.retain(|(pid, _)| *pid != self.pid);
        state.idle.extend(worker);
        self.pool.freed.notify_one();
    }
}
