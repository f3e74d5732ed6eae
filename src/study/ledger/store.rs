//! The statements of a run.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, named_params, params};

use super::owner::{Mine, Owner, now_ms};
use super::{PairKey, record};
use crate::reward::{Fault, FaultKind, Reply};
use crate::study::reading;

/// A pair as the ledger keeps it.
#[derive(Clone)]
pub(crate) struct Facts {
    pub key: PairKey,
    /// Row of `configs`.
    pub config: i64,
    pub dataset: Arc<str>,
    pub trajectory: Arc<str>,
    pub instruction: Arc<str>,
    pub repeat: u32,
    pub images: usize,
    pub frame_rule: Arc<str>,
}

/// What a run wants of the pairs it asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wants {
    /// Call those again that failed for good.
    pub retry_failed: bool,
    /// Call those again whose reply gives no score.
    pub retry_unparsed: bool,
    /// Call those again whose intent was left open.
    pub resend: bool,
    /// Take a lease on those to be called; else only tell.
    pub take: bool,
}

/// What the ledger has of a pair.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Claim {
    /// To be called, by the run that asked: it has the lease.
    Taken {
        pair: i64,
        /// An intent was left open.
        unknown: bool,
        /// The id that the open call had received.
        request_id: Option<String>,
    },
    /// To be called by whoever takes it.
    Free,
    /// Answered.
    Answered(Box<Reply>),
    /// Failed, and not to be tried again.
    Failed(Fault),
    /// An intent was left open, and it is not to be sent again.
    Unknown,
    /// In another run's hand, or already in this one's.
    Held,
}

/// The row of a model's settings.
pub(super) fn config(
    db: &Connection,
    model: &str,
    digest: &str,
    settings: &str,
    prompt_version: &str,
) -> rusqlite::Result<i64> {
    let values = params![model, digest, settings, prompt_version];
    db.execute("INSERT OR IGNORE INTO configs (model, digest, settings, prompt_version) VALUES (?, ?, ?, ?)", values)?;
    db.query_row(
        "SELECT id FROM configs WHERE model = ? AND digest = ? AND settings = ? AND prompt_version = ?",
        values,
        |row| row.get(0),
    )
}

/// What there is of each pair, and a lease on those to be called.
pub(super) fn claim(
    db: &Connection,
    run: i64,
    here: &Owner,
    facts: &[Facts],
    wants: Wants,
) -> rusqlite::Result<Vec<Claim>> {
    let mut alive = HashMap::new();
    facts.iter().map(|facts| claim_one(db, run, here, facts, wants, &mut alive)).collect()
}

fn claim_one(
    db: &Connection,
    run: i64,
    here: &Owner,
    facts: &Facts,
    wants: Wants,
    alive: &mut HashMap<i64, bool>,
) -> rusqlite::Result<Claim> {
    let mut find = db.prepare_cached("SELECT id, lease, open, request_id FROM pairs WHERE key = ?")?;
    let found = find
        .query_row([facts.key.as_bytes()], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, Option<i64>>(1)?, row.get::<_, bool>(2)?, row.get(3)?))
        })
        .optional()?;
    let Some((pair, lease, open, request_id)) = found else {
        return match wants.take {
            true => insert(db, run, facts),
            false => Ok(Claim::Free),
        };
    };

    if let Some((reply, by)) = answer(db, pair)? {
        // What this run has asked again is not asked a third time.
        let again = wants.retry_unparsed && by != Some(run) && reading::score(&reply).is_none();
        if !again {
            return Ok(Claim::Answered(Box::new(reply)));
        }
    }
    if let Some(holder) = lease
        && (holder == run || is_alive(db, holder, here, alive)?)
    {
        return Ok(Claim::Held);
    }
    if open && !wants.resend {
        return Ok(Claim::Unknown);
    }
    if !open && let Some((fault, by)) = last_fault(db, pair)? {
        // A fault that passes and cost nothing is simply tried again by the next run.
        let again =
            by != Some(run) && (wants.retry_failed || (fault.kind == FaultKind::Passing && !fault.maybe_billed));
        if !again {
            return Ok(Claim::Failed(fault));
        }
    }
    if !wants.take {
        return Ok(Claim::Free);
    }
    db.prepare_cached("UPDATE pairs SET lease = ? WHERE id = ?")?.execute([run, pair])?;
    // The id of a pair that is settled is that of the answer or the fault which it is asked again for.
    let request_id = if open { request_id } else { None };
    Ok(Claim::Taken { pair, unknown: open, request_id })
}

fn insert(db: &Connection, run: i64, facts: &Facts) -> rusqlite::Result<Claim> {
    let mut insert = db.prepare_cached(
        "INSERT INTO pairs (key, config, dataset, trajectory, instruction, repeat, images, frame_rule, lease)
         VALUES (:key, :config, :dataset, :trajectory, :instruction, :repeat, :images, :frame_rule, :lease)",
    )?;
    insert.execute(named_params! {
        ":key": facts.key.as_bytes(),
        ":config": facts.config,
        ":dataset": &*facts.dataset,
        ":trajectory": &*facts.trajectory,
        ":instruction": &*facts.instruction,
        ":repeat": facts.repeat,
        ":images": i64::try_from(facts.images).unwrap_or(i64::MAX),
        ":frame_rule": &*facts.frame_rule,
        ":lease": run,
    })?;
    Ok(Claim::Taken { pair: db.last_insert_rowid(), unknown: false, request_id: None })
}

fn answer(db: &Connection, pair: i64) -> rusqlite::Result<Option<(Reply, Option<i64>)>> {
    let mut find = db.prepare_cached(&format!("SELECT run, {} FROM replies WHERE pair = ?", record::COLUMNS))?;
    find.query_row([pair], |row| Ok((record::reply(row, 1)?, row.get(0)?))).optional()
}

fn last_fault(db: &Connection, pair: i64) -> rusqlite::Result<Option<(Fault, Option<i64>)>> {
    let mut find = db.prepare_cached("SELECT kind, message, maybe_billed, run FROM faults WHERE pair = ?")?;
    find.query_row([pair], |row| {
        let kind: String = row.get(0)?;
        Ok((record::fault(&kind, row.get(1)?, row.get(2)?), row.get(3)?))
    })
    .optional()
}

fn is_alive(db: &Connection, run: i64, here: &Owner, known: &mut HashMap<i64, bool>) -> rusqlite::Result<bool> {
    if let Some(alive) = known.get(&run) {
        return Ok(*alive);
    }
    let mut find =
        db.prepare_cached("SELECT place, pid, pid_started, alive_until_ms, ended_ms, token FROM runs WHERE id = ?")?;
    let alive = find
        .query_row([run], |row| {
            let owner = Owner { place: row.get(0)?, pid: row.get(1)?, started: row.get(2)? };
            let until: i64 = row.get(3)?;
            let ended: Option<i64> = row.get(4)?;
            let over = match owner == *here {
                true => !Mine::has(&row.get(5)?),
                false => owner.is_gone(here),
            };
            Ok(ended.is_none() && until > now_ms() && !over)
        })
        .optional()?
        .unwrap_or(false);
    known.insert(run, alive);
    Ok(alive)
}

/// How many runs besides `run` are at work on the ledger.
pub(super) fn others_alive(db: &Connection, run: i64, here: &Owner) -> rusqlite::Result<usize> {
    let mut find = db.prepare("SELECT id FROM runs WHERE ended_ms IS NULL AND id <> ?")?;
    let ids = find.query_map([run], |row| row.get::<_, i64>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    let mut known = HashMap::new();
    let mut count = 0;
    for id in ids {
        count += usize::from(is_alive(db, id, here, &mut known)?);
    }
    Ok(count)
}

/// Commits an intent; `false` where the lease is no longer this run's, and nothing may be sent.
pub(super) fn intend(db: &Connection, run: i64, pair: i64) -> rusqlite::Result<bool> {
    let mut update = db.prepare_cached(
        "UPDATE pairs SET open = 1, attempts = attempts + 1, sent_ms = ?, request_id = NULL WHERE id = ? AND lease = ?",
    )?;
    Ok(update.execute(params![now_ms(), pair, run])? == 1)
}

/// Keeps a reply. It is kept whoever has the lease by now: it was paid for.
pub(super) fn answered(db: &Connection, run: i64, pair: i64, reply: &Reply) -> rusqlite::Result<()> {
    replace_reply(db, Some(run), pair, now_ms(), reply)?;
    db.prepare_cached("UPDATE pairs SET open = 0, lease = iif(lease = ?, NULL, lease) WHERE id = ?")?
        .execute([run, pair])?;
    Ok(())
}

/// Puts a reply in its place; the one that was there becomes an old one.
pub(super) fn replace_reply(
    db: &Connection,
    run: Option<i64>,
    pair: i64,
    at_ms: i64,
    reply: &Reply,
) -> rusqlite::Result<()> {
    db.prepare_cached("INSERT INTO old_replies SELECT * FROM replies WHERE pair = ?")?.execute([pair])?;
    record::insert(db.prepare_cached(record::INSERT)?, pair, run, at_ms, reply)?;
    db.prepare_cached("DELETE FROM faults WHERE pair = ?")?.execute([pair])?;
    Ok(())
}

/// Keeps a fault, and gives the pair back.
pub(super) fn failed(db: &Connection, run: i64, pair: i64, fault: &Fault) -> rusqlite::Result<()> {
    db.prepare_cached(
        "INSERT OR REPLACE INTO faults (pair, run, at_ms, kind, message, maybe_billed) VALUES (?, ?, ?, ?, ?, ?)",
    )?
    .execute(params![
        pair,
        run,
        now_ms(),
        record::kind_name(fault.kind),
        super::redact::text(record::bounded(&fault.message, 4096)),
        fault.maybe_billed
    ])?;
    close(db, run, pair, false)
}

/// Keeps what a send without a reply cost: `told`, or else `assumed` at most.
pub(super) fn lost(db: &Connection, pair: i64, told: Option<f64>, assumed: f64) -> rusqlite::Result<()> {
    let finite = |dollars: f64| Some(dollars).filter(|dollars| dollars.is_finite());
    db.prepare_cached(
        "INSERT INTO losses (id, pair, at_ms, cost_usd, assumed_usd) VALUES (randomblob(16), ?, ?, ?, ?)",
    )?
    .execute(params![pair, now_ms(), told.and_then(finite), finite(assumed).unwrap_or(0.0)])?;
    Ok(())
}

/// Gives a pair back; `open` leaves its intent open, so that it counts as unknown.
pub(super) fn close(db: &Connection, run: i64, pair: i64, open: bool) -> rusqlite::Result<()> {
    db.prepare_cached("UPDATE pairs SET lease = NULL, open = ? WHERE id = ? AND lease = ?")?
        .execute(params![open, pair, run])?;
    Ok(())
}

/// The call has an id, by which its reply can be looked up.
pub(super) fn id_came(db: &Connection, run: i64, pair: i64, id: &str) -> rusqlite::Result<()> {
    db.prepare_cached("UPDATE pairs SET request_id = ? WHERE id = ? AND lease = ? AND open = 1")?.execute(params![
        super::redact::text(id),
        pair,
        run
    ])?;
    Ok(())
}

pub(super) fn reply(db: &Connection, key: &PairKey) -> rusqlite::Result<Option<Reply>> {
    let mut find = db.prepare_cached(&format!(
        "SELECT {} FROM replies JOIN (SELECT id FROM pairs WHERE key = ?) ON id = pair",
        record::COLUMNS
    ))?;
    // `request_id` stands in `replies` alone here: the inner query gives nothing but the pair's number.
    find.query_row([key.as_bytes()], |row| record::reply(row, 0)).optional()
}
