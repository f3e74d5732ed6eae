//! `DATASET#ID`: one trajectory of a dataset.

use std::path::Path;

use super::{Dataset, Trajectory};
use crate::error::nearest;
use crate::{Error, Result};

/// How many ids an error lists before it says how many more there are.
const LISTED: usize = 8;

/// Parts `DATASET#ID` into the dataset and the id; a plain DATASET has none.
///
/// Both halves may hold a `#` themselves: a spec that exists on the disk as it stands is all dataset; else the first
/// `#` after something that exists (or after `demo`) parts it; else the last `#`, so that the error of opening it names
/// the right folder.
pub fn split_spec(spec: &str) -> (&str, Option<&str>) {
    if Path::new(spec).exists() {
        return (spec, None);
    }
    let at = spec
        .match_indices('#')
        .map(|(at, _)| at)
        .find(|&at| &spec[..at] == "demo" || Path::new(&spec[..at]).exists())
        .or_else(|| spec.rfind('#'));
    match at {
        Some(at) => (&spec[..at], Some(&spec[at + 1..])),
        None => (spec, None),
    }
}

impl Dataset {
    /// [`split_spec`], found from the type.
    pub fn split_spec(spec: &str) -> (&str, Option<&str>) {
        split_spec(spec)
    }

    /// The trajectory of this id, or the only one whose id ends in it. Episode numbers of LeRobot are matched whole,
    /// with or without leading zeros.
    ///
    /// # Errors
    /// Unknown: with the nearest ids. Several that end in it: with those. Both are wrong usage.
    pub fn get(&self, id: &str) -> Result<&Trajectory> {
        let Self(inner) = self;
        if id.is_empty() {
            return Err(Error::usage(format!("no trajectory is named after the # of {}#", self.name()))
                .with_help(format!("`roborm trajectories {}` lists the ids", self.name())));
        }
        let unpadded =
            inner.numbered.then(|| id.trim_start_matches('0')).map(|id| if id.is_empty() { "0" } else { id });
        if let Some(&place) = inner.places.get(unpadded.unwrap_or(id)) {
            return Ok(&inner.trajectories[place]);
        }
        let mut ending = Vec::new();
        if !inner.numbered {
            ending.extend(self.iter().filter(|trajectory| trajectory.id.ends_with(id)));
        }
        match ending[..] {
            [only] => Ok(only),
            [] => Err(self.unknown(id)),
            _ => Err(Error::usage(format!("{} trajectories of {} end in {id}", ending.len(), self.name()))
                .with_help(format!("name one of: {}", listed(ending.iter().map(|it| it.id.as_str()))))),
        }
    }

    fn unknown(&self, id: &str) -> Error {
        let ids = || self.iter().map(|trajectory| trajectory.id.as_str());
        // Only the end of an id need be named, so that is what a slip is compared with.
        let near = nearest(last_part(id), ids().map(last_part));
        let near: Vec<&str> =
            near.iter().flat_map(|end| ids().filter(move |id| last_part(id) == *end)).take(3).collect();
        let help = if self.is_empty() {
            "it has no trajectories".to_owned()
        } else if near.is_empty() || self.0.numbered {
            format!("its trajectories: {}", listed(ids()))
        } else {
            format!("did you mean {}?", near.join(", "))
        };
        Error::usage(format!("no trajectory {id} in {}", self.name())).with_help(help)
    }
}

/// `franka/put_carrot` is `put_carrot`.
fn last_part(id: &str) -> &str {
    id.rsplit('/').next().unwrap_or(id)
}

fn listed<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    let mut ids: Vec<&str> = ids.collect();
    let more = ids.len().saturating_sub(LISTED);
    ids.truncate(LISTED);
    match more {
        0 => ids.join(", "),
        more => format!("{} and {more} more", ids.join(", ")),
    }
}
