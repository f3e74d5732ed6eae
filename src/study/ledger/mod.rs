//! The ledger: every call that was meant, every reply that was paid for.
//!
//! One SQLite file. An intent is committed before each call is sent, the reply when it comes; a run that is killed leaves
//! intents without replies, which the next run finds as unknown. Several processes of one host may share a ledger: a
//! run holds a lease on each pair in hand, which ends with the run, with its process, or when the run has not been heard
//! of for [`LedgerOptions::lease`].

mod key;
mod merge;
mod owner;
mod place;
mod record;
mod redact;
mod rescue;
mod run;
mod schema;
mod store;
mod totals;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use rusqlite::Connection;

pub use key::PairKey;
pub(crate) use key::{ImagesDigest, KeyPrefix};
pub use merge::Merged;
pub use place::FileSystem;
pub(crate) use run::{Grip, Run};
pub(crate) use store::{Claim, Facts, Wants};
pub(crate) use totals::{Answered, Past};
pub use totals::{Spend, Totals};
use writer::Writer;

use crate::reward::Reply;
use crate::{Error, Result, whole};

/// A ledger. Cheap to clone; all clones write through one thread.
#[derive(Clone)]
pub struct Ledger(Arc<Inner>);

struct Inner {
    path: PathBuf,
    options: LedgerOptions,
    writer: Writer,
    reader: Mutex<Connection>,
    /// The folder of a [`Ledger::scratch`], to be removed after the rest is closed.
    _scratch: Option<tempfile::TempDir>,
}

/// What can be set about a ledger.
#[derive(Clone, Copy, Debug)]
pub struct LedgerOptions {
    /// How long a run that is not heard of keeps its leases, where its process cannot be seen to have ended.
    pub lease: Duration,
    /// What tells the file system of a path.
    pub probe: fn(&Path) -> std::io::Result<FileSystem>,
}

impl Default for LedgerOptions {
    fn default() -> Self {
        Self { lease: Duration::from_secs(60), probe: FileSystem::of }
    }
}

impl Ledger {
    /// Opens the ledger at `path`, or makes one there. Replies that an earlier run could not write (a full disk) and
    /// left in a rescue file are taken in.
    ///
    /// # Errors
    /// The file lies on a network file system, is read-only, is no ledger or one of another version, its folder is
    /// missing, or the disk is full.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, LedgerOptions::default())
    }

    /// As [`Ledger::open`], with options.
    ///
    /// # Errors
    /// As [`Ledger::open`].
    pub fn open_with(path: impl AsRef<Path>, options: LedgerOptions) -> Result<Self> {
        let path = place::check(path.as_ref(), options.probe)?;
        let writer = Writer::start(schema::open(&path)?, &path)?;
        let reader = Mutex::new(schema::open(&path)?);
        let ledger = Self(Arc::new(Inner { path, options, writer, reader, _scratch: None }));
        rescue::take_in(&ledger)?;
        Ok(ledger)
    }

    /// Opens the ledger in the user's data folder, making the folder where it is missing.
    ///
    /// # Errors
    /// As [`Ledger::open`]; or the folder cannot be made, or is not known.
    pub fn open_default() -> Result<Self> {
        Self::check_default()?;
        Self::open(Self::default_path()?)
    }

    /// Makes the folder of the ledger of this user, where it is missing, and finds out whether it can be written to.
    ///
    /// # Errors
    /// There is no place for it, or it cannot be written to.
    pub fn check_default() -> Result<()> {
        let path = Self::default_path()?;
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)
                .map_err(|error| Error::io(format!("cannot make {}", folder.display()), &error))?;
        }
        whole::check(&path)
    }

    /// A ledger that is gone with its last handle: for counting before there is one.
    ///
    /// # Errors
    /// The system's folder for temporary files cannot be written to.
    pub fn scratch() -> Result<Self> {
        let folder = tempfile::tempdir().map_err(|error| Error::io("cannot make a temporary folder", &error))?;
        let path = folder.path().join("scratch.db");
        let writer = Writer::start(schema::open(&path)?, &path)?;
        let reader = Mutex::new(schema::open(&path)?);
        let options = LedgerOptions::default();
        Ok(Self(Arc::new(Inner { path, options, writer, reader, _scratch: Some(folder) })))
    }

    /// `$XDG_DATA_HOME/roborm/ledger.db`, else `~/.local/share/roborm/ledger.db`.
    ///
    /// # Errors
    /// Where neither `XDG_DATA_HOME` nor `HOME` is set.
    pub fn default_path() -> Result<PathBuf> {
        place::default_path()
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The reply to a pair, where there is one.
    ///
    /// # Errors
    /// The ledger cannot be read.
    pub fn reply(&self, key: &PairKey) -> Result<Option<Reply>> {
        self.read(|db| store::reply(db, key))
    }

    /// The replies to some pairs, in order.
    pub(crate) fn replies(&self, keys: &[PairKey]) -> Result<Vec<Option<Reply>>> {
        self.read(|db| keys.iter().map(|key| store::reply(db, key)).collect())
    }

    /// What calls of a model with these settings came to so far; `None` where there were none.
    pub(crate) fn past(&self, model: &str, digest: &str) -> Result<Option<Past>> {
        self.read(|db| totals::past(db, model, digest))
    }

    /// The answered calls of a model with these settings, by what people see of them.
    pub(crate) fn answered_calls(&self, model: &str, digest: &str, prompt_version: &str) -> Result<Answered> {
        self.read(|db| totals::answered(db, model, digest, prompt_version))
    }

    /// What is in the ledger, in numbers.
    ///
    /// # Errors
    /// The ledger cannot be read.
    pub fn totals(&self) -> Result<Totals> {
        self.read(totals::totals)
    }

    /// What was spent, by model.
    ///
    /// # Errors
    /// The ledger cannot be read.
    pub fn spend(&self) -> Result<Vec<Spend>> {
        self.read(totals::spend)
    }

    /// Joins ledgers into `out`, which may be there already. Runs and leases do not come along; intents without a reply
    /// do, and stay unknown. Of two replies to one pair the one that is there first stays, unless it is unparsed and
    /// the other is not; the other is kept among the old replies.
    ///
    /// # Errors
    /// A ledger cannot be opened or read, one of `inputs` is `out` itself, or `out` cannot be written. What was joined
    /// before the error stays.
    pub fn merge(out: impl AsRef<Path>, inputs: &[PathBuf]) -> Result<Merged> {
        merge::merge(out.as_ref(), inputs)
    }

    fn read<T>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        read(&self.reader()).map_err(|error| trouble(self.path(), &error))
    }

    fn reader(&self) -> MutexGuard<'_, Connection> {
        self.0.reader.lock().unwrap_or_else(|poison| poison.into_inner())
    }
}

impl std::fmt::Debug for Ledger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Ledger").field(&self.0.path).finish()
    }
}

/// What SQLite says, in words that help.
fn trouble(path: &Path, error: &rusqlite::Error) -> Error {
    use rusqlite::ErrorCode as Code;
    let path = path.display();
    let fail = |what: &str| Error::ledger(format!("ledger {path}: {what}"));
    let damaged = || {
        fail("the file is damaged")
            .with_help("save what is readable with `sqlite3 FILE .recover`, or go on with another --ledger FILE")
    };
    match error.sqlite_error_code() {
        Some(Code::DiskFull) => {
            fail("the disk is full").with_help("free some space and give the same command again: nothing is paid twice")
        }
        Some(Code::ReadOnly | Code::PermissionDenied) => fail("it cannot be written")
            .with_help("give yourself write access to it and its folder, or name another file with --ledger FILE"),
        Some(Code::NotADatabase) => {
            fail("not a ledger").with_help("name another file with --ledger FILE; this one was left as it is")
        }
        Some(Code::DatabaseCorrupt) => damaged(),
        Some(Code::CannotOpen) => {
            fail("it cannot be opened").with_help("is its folder there, and may you write in it?")
        }
        Some(Code::DatabaseBusy | Code::DatabaseLocked) => fail("another process has been writing for a minute")
            .with_help("wait for it, or find out why it hangs, then give the same command again"),
        _ => match error {
            rusqlite::Error::Utf8Error(..)
            | rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::IntegralValueOutOfRange(..) => damaged(),
            error => fail(&error.to_string()),
        },
    }
}
