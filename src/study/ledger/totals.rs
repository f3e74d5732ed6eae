//! A ledger in numbers.

use std::collections::HashSet;

use rusqlite::{Connection, Row};

/// How much of what a ledger holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Pairs that some run has taken up.
    pub pairs: u64,
    /// Pairs with a reply.
    pub replies: u64,
    /// Pairs without a reply whose last call failed.
    pub failed: u64,
    /// Pairs without a reply whose intent is open: in flight now, or left behind by a run that was killed.
    pub open: u64,
    /// Intents ever committed, retries included.
    pub attempts: u64,
}

/// What was spent on a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spend {
    /// Its name.
    pub model: String,
    /// Replies.
    pub calls: u64,
    /// Prompt tokens, cached ones included, where the replies tell.
    pub prompt_tokens: u64,
    /// Prompt tokens that the provider had cached.
    pub cached_tokens: u64,
    /// Completion tokens.
    pub completion_tokens: u64,
    /// Dollars, of the replies and the failures that tell.
    pub cost_usd: f64,
    /// How many replies and failures tell their cost.
    pub priced: u64,
    /// Sends that may have been billed and brought no reply.
    pub lost: u64,
    /// Dollars that those of them may have cost whose cost no server told; what was told is in `cost_usd`.
    pub lost_usd: f64,
}

impl Spend {
    /// The share of prompt tokens that the provider had cached; `None` where none were counted.
    pub fn cached_share(&self) -> Option<f64> {
        (self.prompt_tokens > 0).then(|| self.cached_tokens as f64 / self.prompt_tokens as f64)
    }
}

pub(super) fn totals(db: &Connection) -> rusqlite::Result<Totals> {
    db.query_row(
        "SELECT count(*), count(r.pair), count(*) FILTER (WHERE r.pair IS NULL AND NOT p.open AND f.pair IS NOT NULL),
                count(*) FILTER (WHERE r.pair IS NULL AND p.open), coalesce(sum(p.attempts), 0)
         FROM pairs p LEFT JOIN replies r ON r.pair = p.id LEFT JOIN faults f ON f.pair = p.id",
        (),
        |row| {
            Ok(Totals {
                pairs: count(row, 0)?,
                replies: count(row, 1)?,
                failed: count(row, 2)?,
                open: count(row, 3)?,
                attempts: count(row, 4)?,
            })
        },
    )
}

/// Old replies included: they were paid for.
pub(super) fn spend(db: &Connection) -> rusqlite::Result<Vec<Spend>> {
    let mut query = db.prepare(
        "WITH paid AS (
             SELECT pair, prompt_tokens, cached_tokens, completion_tokens, cost_usd FROM replies UNION ALL
             SELECT pair, prompt_tokens, cached_tokens, completion_tokens, cost_usd FROM old_replies)
         SELECT c.model, count(*), coalesce(sum(prompt_tokens), 0), coalesce(sum(cached_tokens), 0),
                coalesce(sum(completion_tokens), 0), total(cost_usd), count(cost_usd)
         FROM paid JOIN pairs p ON p.id = paid.pair JOIN configs c ON c.id = p.config
         GROUP BY c.model ORDER BY c.model",
    )?;
    let rows = query.query_map((), |row| {
        Ok(Spend {
            model: row.get(0)?,
            calls: count(row, 1)?,
            prompt_tokens: count(row, 2)?,
            cached_tokens: count(row, 3)?,
            completion_tokens: count(row, 4)?,
            cost_usd: row.get(5)?,
            priced: count(row, 6)?,
            ..Spend::default()
        })
    })?;
    let mut spend: Vec<Spend> = rows.collect::<rusqlite::Result<_>>()?;
    let mut query = db.prepare(
        "SELECT c.model, count(*), total(cost_usd), count(cost_usd), total(assumed_usd) FILTER (WHERE cost_usd IS NULL)
         FROM losses l JOIN pairs p ON p.id = l.pair JOIN configs c ON c.id = p.config GROUP BY c.model",
    )?;
    let mut rows = query.query(())?;
    while let Some(row) = rows.next()? {
        let model: String = row.get(0)?;
        let place = spend.binary_search_by(|spend| spend.model.cmp(&model)).unwrap_or_else(|place| {
            spend.insert(place, Spend { model, ..Spend::default() });
            place
        });
        let spend = &mut spend[place];
        spend.lost = count(row, 1)?;
        spend.cost_usd += row.get::<_, f64>(2)?;
        spend.priced += count(row, 3)?;
        spend.lost_usd = row.get(4)?;
    }
    Ok(spend)
}

/// What calls of a model came to, on average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Past {
    pub prompt_tokens: Option<f64>,
    pub completion_tokens: Option<f64>,
    pub cost_usd: Option<f64>,
    pub images: f64,
}

pub(super) fn past(db: &Connection, model: &str, digest: &str) -> rusqlite::Result<Option<Past>> {
    db.query_row(
        // What failures cost is paid for the replies that came in the end.
        "SELECT count(*), avg(r.prompt_tokens), avg(r.completion_tokens),
                avg(r.cost_usd) + (SELECT total(l.cost_usd) FROM losses l JOIN pairs lp ON lp.id = l.pair
                                   JOIN configs lc ON lc.id = lp.config WHERE lc.model = ?1 AND lc.digest = ?2)
                                  / count(r.cost_usd), avg(p.images)
         FROM configs c JOIN pairs p ON p.config = c.id JOIN replies r ON r.pair = p.id
         WHERE c.model = ?1 AND c.digest = ?2",
        [model, digest],
        |row| {
            let calls: i64 = row.get(0)?;
            Ok(match calls {
                0 => None,
                _ => Some(Past {
                    prompt_tokens: row.get(1)?,
                    completion_tokens: row.get(2)?,
                    cost_usd: row.get(3)?,
                    images: row.get::<_, Option<f64>>(4)?.unwrap_or(0.0),
                }),
            })
        },
    )
}

/// Answered calls, by dataset, trajectory, instruction and repeat.
#[derive(Debug, Default)]
pub(crate) struct Answered(HashSet<[u8; 16]>);

impl Answered {
    pub fn contains(&self, dataset: &str, trajectory: &str, instruction: &str, repeat: u32) -> bool {
        self.0.contains(&Self::mark(dataset, trajectory, instruction, repeat))
    }

    /// Half a digest: the texts of a large ledger would fill the memory.
    fn mark(dataset: &str, trajectory: &str, instruction: &str, repeat: u32) -> [u8; 16] {
        let mut hasher = blake3::Hasher::new();
        for text in [dataset, trajectory, instruction] {
            hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
        }
        let digest = hasher.update(&repeat.to_le_bytes()).finalize();
        std::array::from_fn(|n| digest.as_bytes()[n])
    }
}

pub(super) fn answered(db: &Connection, model: &str, digest: &str, prompt_version: &str) -> rusqlite::Result<Answered> {
    let mut query = db.prepare(
        "SELECT p.dataset, p.trajectory, p.instruction, p.repeat
         FROM configs c JOIN pairs p ON p.config = c.id JOIN replies r ON r.pair = p.id
         WHERE c.model = ? AND c.digest = ? AND c.prompt_version = ?",
    )?;
    let mut rows = query.query([model, digest, prompt_version])?;
    let mut answered = Answered::default();
    while let Some(row) = rows.next()? {
        let text = |at: usize| row.get_ref(at).and_then(|value| value.as_str().map_err(Into::into));
        answered.0.insert(Answered::mark(text(0)?, text(1)?, text(2)?, row.get(3)?));
    }
    Ok(answered)
}

fn count(row: &Row<'_>, at: usize) -> rusqlite::Result<u64> {
    Ok(u64::try_from(row.get::<_, i64>(at)?).unwrap_or(0))
}
