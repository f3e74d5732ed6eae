//! The tables of a ledger, and its version.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::trouble;
use crate::{Error, Result};

/// Changes with the tables; a ledger of another version is refused.
pub(super) const VERSION: i64 = 1;

/// Marks a database as a ledger of roborm, and is what file(1) sees: "rbrm".
const APPLICATION_ID: i64 = 0x7262_726d;

/// How long to wait for another process that is writing.
const PATIENCE: Duration = Duration::from_secs(60);

const TABLES: &str = "
-- A run of a study: the holder of leases.
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    token BLOB NOT NULL UNIQUE,
    place TEXT NOT NULL,
    pid INTEGER NOT NULL,
    pid_started INTEGER NOT NULL,
    started_ms INTEGER NOT NULL,
    alive_until_ms INTEGER NOT NULL,
    ended_ms INTEGER,
    version TEXT NOT NULL
) STRICT;

-- The settings of a model.
CREATE TABLE configs (
    id INTEGER PRIMARY KEY,
    model TEXT NOT NULL,
    digest TEXT NOT NULL,
    settings TEXT NOT NULL,
    prompt_version TEXT NOT NULL,
    UNIQUE (model, digest, settings, prompt_version)
) STRICT;

-- One call to be paid for once. Everything but `key` is for people and for estimates.
CREATE TABLE pairs (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    config INTEGER NOT NULL REFERENCES configs (id),
    dataset TEXT NOT NULL,
    trajectory TEXT NOT NULL,
    instruction TEXT NOT NULL,
    repeat INTEGER NOT NULL,
    images INTEGER NOT NULL,
    frame_rule TEXT NOT NULL,
    lease INTEGER REFERENCES runs (id),     -- the run that has it in hand
    open INTEGER NOT NULL DEFAULT 0,        -- 1: an intent is committed, and nothing has come back yet
    attempts INTEGER NOT NULL DEFAULT 0,    -- intents ever committed
    sent_ms INTEGER,                        -- of the last intent
    request_id TEXT                         -- of the open intent, where one had come
) STRICT;

CREATE TABLE replies (
    pair INTEGER PRIMARY KEY REFERENCES pairs (id),
    run INTEGER REFERENCES runs (id),
    at_ms INTEGER NOT NULL,
    text TEXT NOT NULL,
    reasoning TEXT,
    finish_reason TEXT,
    native_finish_reason TEXT,
    model_returned TEXT,
    provider TEXT,
    request_id TEXT,
    prompt_tokens INTEGER,
    cached_tokens INTEGER,
    completion_tokens INTEGER,
    cost_usd REAL,
    latency_ms REAL,
    attempts INTEGER NOT NULL,
    extra TEXT                              -- JSON object of numbers
) STRICT;

-- Replies that a later one took the place of (asked again on request, or by two ledgers): paid for, so kept.
CREATE TABLE old_replies AS SELECT * FROM replies WHERE 0;

-- The last fault of a pair without a reply.
CREATE TABLE faults (
    pair INTEGER PRIMARY KEY REFERENCES pairs (id),
    run INTEGER REFERENCES runs (id),
    at_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    message TEXT NOT NULL,
    maybe_billed INTEGER NOT NULL
) STRICT;
";

/// Came after the first ledgers of this version, which get it when they are opened.
const LATER_TABLES: &str = "
-- Sends that may have been billed and brought no reply. The id tells them apart when ledgers are merged.
CREATE TABLE IF NOT EXISTS losses (
    id BLOB PRIMARY KEY,
    pair INTEGER NOT NULL REFERENCES pairs (id),
    at_ms INTEGER NOT NULL,
    cost_usd REAL,                          -- told by the server
    assumed_usd REAL NOT NULL               -- at most, where it was not told
) STRICT;
";

/// Opens the database at `path`, making it where there is none, and checks that it is a ledger of this version.
pub(super) fn open(path: &Path) -> Result<Connection> {
    let fail = |error: rusqlite::Error| trouble(path, &error);
    // Without SQLITE_OPEN_URI: a path is a path.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut db = Connection::open_with_flags(path, flags).map_err(fail)?;
    db.busy_timeout(PATIENCE).map_err(fail)?;
    db.set_prepared_statement_cache_capacity(64);
    if db.is_readonly(rusqlite::MAIN_DB).map_err(fail)? {
        return Err(Error::ledger(format!("ledger {} is read-only", path.display()))
            .with_help("give yourself write access to it, or name another file with --ledger FILE"));
    }
    let (application, version, tables) = identity(&db).map_err(fail)?;
    match (application, version, tables) {
        (0, 0, 0) => create(&mut db).map_err(fail)?,
        (APPLICATION_ID, VERSION, _) => {}
        (APPLICATION_ID, other, _) => {
            let help = if other > VERSION {
                "use the roborm that made it, or a newer one; or name another file with --ledger FILE"
            } else {
                "use the roborm that made it, or name another file with --ledger FILE"
            };
            let message = format!("ledger {} has version {other}, this roborm writes {VERSION}", path.display());
            return Err(Error::ledger(message).with_help(help));
        }
        _ => {
            return Err(Error::ledger(format!("{} is a database, but no ledger of roborm", path.display()))
                .with_help("name another file with --ledger FILE"));
        }
    }
    // FULL: a commit is on the disk before a call is sent, power cuts included. Commits of concurrent calls are
    // grouped, so that this costs one fsync for many.
    db.pragma_update(None, "journal_mode", "wal").map_err(fail)?;
    db.pragma_update(None, "synchronous", "full").map_err(fail)?;
    db.pragma_update(None, "foreign_keys", true).map_err(fail)?;
    db.execute_batch(LATER_TABLES).map_err(fail)?;
    // Pages in the log before they are moved into the file: 16 MiB, since each move waits for the disk twice.
    db.pragma_update(None, "wal_autocheckpoint", 4000).map_err(fail)?;
    Ok(db)
}

fn identity(db: &Connection) -> rusqlite::Result<(i64, i64, i64)> {
    Ok((
        db.pragma_query_value(None, "application_id", |row| row.get(0))?,
        db.pragma_query_value(None, "user_version", |row| row.get(0))?,
        db.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0))?,
    ))
}

fn create(db: &mut Connection) -> rusqlite::Result<()> {
    let step = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    // Another process may have been quicker.
    if identity(&step)? == (0, 0, 0) {
        step.execute_batch(TABLES)?;
        step.execute_batch("CREATE INDEX old_replies_pair ON old_replies (pair);")?;
        step.pragma_update(None, "application_id", APPLICATION_ID)?;
        step.pragma_update(None, "user_version", VERSION)?;
    }
    step.commit()
}
