//! One ledger out of several: how a study that ran in shards comes together.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{Ledger, PairKey, record, schema, store, trouble};
use crate::reward::Reply;
use crate::study::reading;
use crate::{Error, Result};

/// What a merge came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Pairs with a reply in the joined ledger.
    pub rows: u64,
    /// Replies of the inputs to pairs that already had one.
    pub duplicates: u64,
}

pub(super) fn merge(out: &Path, inputs: &[PathBuf]) -> Result<Merged> {
    for input in inputs {
        if !input.exists() {
            return Err(Error::ledger(format!("no ledger {}", input.display()))
                .with_help("name ledgers that are there: `roborm ledger merge OUT IN…`"));
        }
        if let (Ok(a), Ok(b)) = (out.canonicalize(), input.canonicalize())
            && a == b
        {
            return Err(Error::usage(format!("ledger {} would be merged into itself", input.display()))
                .with_help("name another file as OUT: `roborm ledger merge OUT IN…`"));
        }
        // Checks where it lies and what it is, and takes in its rescue files: before there is an OUT.
        drop(Ledger::open(input).map_err(|error| hint(error, input))?);
    }
    let out = Ledger::open(out)?;
    let mut duplicates = 0;
    for input in inputs {
        let from = schema::open(input)?;
        let pairs = read(&from).map_err(|error| trouble(input, &error))?;
        duplicates += out.0.writer.commit_blocking(move |db| add(db, &pairs))?;
    }
    Ok(Merged { rows: out.totals()?.replies, duplicates })
}

fn hint(error: Error, input: &Path) -> Error {
    match error.to_string().contains("network file system") {
        true => {
            error.with_help(format!("copy {} to a local disk first, its -wal file too if it has one", input.display()))
        }
        false => error,
    }
}

/// A pair with all that hangs on it.
struct Pair {
    key: PairKey,
    config: [String; 4],
    texts: [String; 4],
    repeat: i64,
    images: i64,
    open: bool,
    attempts: i64,
    sent_ms: Option<i64>,
    request_id: Option<String>,
    /// The current reply first, with the time it came.
    replies: Vec<(i64, Reply)>,
    /// Whether the first of `replies` is the current one.
    answered: bool,
    fault: Option<(i64, String, String, bool)>,
    losses: Vec<Loss>,
}

/// A send without a reply: id, time, cost told, cost assumed.
type Loss = (Vec<u8>, i64, Option<f64>, f64);

fn read(db: &Connection) -> rusqlite::Result<Vec<Pair>> {
    let mut pairs = db.prepare(
        "SELECT p.id, p.key, c.model, c.digest, c.settings, c.prompt_version, p.dataset, p.trajectory, p.instruction,
                p.frame_rule, p.repeat, p.images, p.open, p.attempts, p.sent_ms, p.request_id
         FROM pairs p JOIN configs c ON c.id = p.config ORDER BY p.id",
    )?;
    let mut current = db.prepare(&format!("SELECT at_ms, {} FROM replies WHERE pair = ?", record::COLUMNS))?;
    let mut old = db.prepare(&format!("SELECT at_ms, {} FROM old_replies WHERE pair = ?", record::COLUMNS))?;
    let mut fault = db.prepare("SELECT at_ms, kind, message, maybe_billed FROM faults WHERE pair = ?")?;
    let mut lost = db.prepare("SELECT id, at_ms, cost_usd, assumed_usd FROM losses WHERE pair = ?")?;
    let loss = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
    let timed = |row: &Row<'_>| Ok((row.get(0)?, record::reply(row, 1)?));
    let mut rows = pairs.query(())?;
    let mut out = Vec::new();
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        let mut replies: Vec<(i64, Reply)> = current.query_map([id], timed)?.collect::<rusqlite::Result<_>>()?;
        let answered = !replies.is_empty();
        for earlier in old.query_map([id], timed)? {
            replies.push(earlier?);
        }
        out.push(Pair {
            key: PairKey::from_bytes(row.get(1)?),
            config: [row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?],
            texts: [row.get(6)?, row.get(7)?, row.get(8)?, row.get(9)?],
            repeat: row.get(10)?,
            images: row.get(11)?,
            open: row.get(12)?,
            attempts: row.get(13)?,
            sent_ms: row.get(14)?,
            request_id: row.get(15)?,
            replies,
            answered,
            losses: lost.query_map([id], loss)?.collect::<rusqlite::Result<_>>()?,
            fault: fault.query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))).optional()?,
        });
    }
    Ok(out)
}

/// Adds pairs; gives back how many replies met one that was there.
fn add(db: &Connection, pairs: &[Pair]) -> rusqlite::Result<u64> {
    let mut duplicates = 0;
    for pair in pairs {
        let id = row_of(db, pair)?;
        for (n, (at_ms, reply)) in pair.replies.iter().enumerate() {
            let current = pair.answered && n == 0;
            let known: Vec<(i64, Reply)> = known(db, id)?;
            duplicates += u64::from(current && !known.is_empty());
            if known.iter().any(|(when, known)| when == at_ms && known == reply) {
                continue;
            }
            let better = known
                .first()
                .is_none_or(|(_, first)| reading::score(first).is_none() && current && reading::score(reply).is_some());
            if better {
                store::replace_reply(db, None, id, *at_ms, reply)?;
            } else {
                record::insert(db.prepare_cached(&old_insert())?, id, None, *at_ms, reply)?;
            }
        }
        for (loss, at_ms, told, assumed) in &pair.losses {
            db.prepare_cached(
                "INSERT OR IGNORE INTO losses (id, pair, at_ms, cost_usd, assumed_usd) VALUES (?, ?, ?, ?, ?)",
            )?
            .execute(params![loss, id, at_ms, told, assumed])?;
        }
        let answered: bool =
            db.prepare_cached("SELECT count(*) FROM replies WHERE pair = ?")?.query_row([id], |row| row.get(0))?;
        if answered {
            db.prepare_cached("UPDATE pairs SET open = 0 WHERE id = ?")?.execute([id])?;
        } else if let Some((at_ms, kind, message, maybe_billed)) = &pair.fault {
            db.prepare_cached(
                "INSERT OR IGNORE INTO faults (pair, run, at_ms, kind, message, maybe_billed) VALUES (?, NULL, ?, ?, ?, ?)",
            )?
            .execute(params![id, at_ms, kind, message, maybe_billed])?;
        }
    }
    Ok(duplicates)
}

fn old_insert() -> String {
    record::INSERT.replace("INSERT OR REPLACE INTO replies", "INSERT INTO old_replies")
}

fn known(db: &Connection, id: i64) -> rusqlite::Result<Vec<(i64, Reply)>> {
    let columns = record::COLUMNS;
    let mut find = db.prepare_cached(&format!(
        "SELECT at_ms, {columns} FROM replies WHERE pair = ?1 UNION ALL SELECT at_ms, {columns} FROM old_replies WHERE pair = ?1"
    ))?;
    find.query_map([id], |row| Ok((row.get(0)?, record::reply(row, 1)?)))?.collect()
}

/// The pair's row in the joined ledger, made where it is missing; an open intent stays open.
fn row_of(db: &Connection, pair: &Pair) -> rusqlite::Result<i64> {
    let [model, digest, settings, prompt_version] = &pair.config;
    let config = store::config(db, model, digest, settings, prompt_version)?;
    let [dataset, trajectory, instruction, frame_rule] = &pair.texts;
    db.prepare_cached(
        "INSERT INTO pairs (key, config, dataset, trajectory, instruction, repeat, images, frame_rule, open, attempts,
                            sent_ms, request_id)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (key) DO UPDATE SET open = max(open, excluded.open), attempts = max(attempts, excluded.attempts),
                                         request_id = coalesce(request_id, excluded.request_id)",
    )?
    .execute(params![
        pair.key.as_bytes(),
        config,
        dataset,
        trajectory,
        instruction,
        pair.repeat,
        pair.images,
        frame_rule,
        pair.open,
        pair.attempts,
        pair.sent_ms,
        pair.request_id
    ])?;
    db.prepare_cached("SELECT id FROM pairs WHERE key = ?")?.query_row([pair.key.as_bytes()], |row| row.get(0))
}
