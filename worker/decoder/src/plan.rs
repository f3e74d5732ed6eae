//! What must be decoded to see given frames: pure arithmetic on the index.

/// One packet of the video stream, in decode order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Presentation time in ticks, where the file gives one.
    pub pts: Option<i64>,
    /// Decoding can start here.
    pub key: bool,
    /// It becomes a frame that is shown: it has a time, and neither the edit list nor damage takes it away.
    pub shown: bool,
    /// Nothing else refers to it.
    pub disposable: bool,
}

/// A packet that decoding can start at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Its place among the entries.
    pub at: usize,
    /// Its time in ticks.
    pub pts: i64,
}

/// The key packets of a stream, ascending.
pub fn keys(entries: &[Entry]) -> Vec<Key> {
    let keys = entries.iter().enumerate().filter(|(_, entry)| entry.key);
    keys.filter_map(|(at, entry)| Some(Key { at, pts: entry.pts? })).collect()
}

/// A stretch of packets that is decoded in one go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The key packet it starts at.
    pub key: usize,
    /// The last packet needed.
    pub end: usize,
    /// The packets whose frames are wanted, ascending.
    pub wanted: Vec<usize>,
}

/// The stretches needed for the packets `wanted`, in decode order; no packet is in two of them.
///
/// A frame is decoded from the last key packet before it whose time is not after its own: in an open group of pictures
/// the frames shown before a key packet but stored after it need the group before. `back` goes so many key packets
/// further to the front, for streams whose key packets promise too much.
pub fn runs(entries: &[Entry], keys: &[Key], wanted: &[usize], back: usize) -> Vec<Run> {
    let mut wanted = wanted.to_vec();
    wanted.sort_unstable();
    wanted.dedup();
    let mut runs: Vec<Run> = Vec::new();
    for target in wanted {
        let Some(time) = entries.get(target).and_then(|entry| entry.pts) else { continue };
        let before = keys.partition_point(|key| key.at <= target);
        let key = keys[..before].iter().rev().filter(|key| key.pts <= time).nth(back).map_or(0, |key| key.at);
        match runs.last_mut() {
            // Next to each other or overlapping: go on, so that nothing is decoded twice.
            Some(run) if key <= run.end + 1 => {
                run.end = run.end.max(target);
                run.wanted.push(target);
            }
            _ => runs.push(Run { key, end: target, wanted: vec![target] }),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(pts: i64, key: bool) -> Entry {
        Entry { pts: Some(pts), key, shown: true, disposable: false }
    }

    fn runs(entries: &[Entry], wanted: &[usize], back: usize) -> Vec<Run> {
        super::runs(entries, &keys(entries), wanted, back)
    }

    /// Two closed groups of four, then an open one: the frames 8 and 9 are stored after the key frame 10.
    fn stream() -> Vec<Entry> {
        [(0, true), (2, false), (1, false), (3, false), (4, true), (6, false), (5, false), (7, false)]
            .into_iter()
            .chain([(10, true), (8, false), (9, false), (11, false)])
            .map(|(pts, key)| entry(pts, key))
            .collect()
    }

    #[test]
    fn a_run_starts_at_the_key_of_its_group() {
        assert_eq!(runs(&stream(), &[6], 0), [Run { key: 4, end: 6, wanted: vec![6] }]);
    }

    #[test]
    fn a_frame_shown_before_its_key_needs_the_group_before() {
        assert_eq!(runs(&stream(), &[9], 0), [Run { key: 4, end: 9, wanted: vec![9] }]);
        assert_eq!(runs(&stream(), &[11], 0), [Run { key: 8, end: 11, wanted: vec![11] }]);
    }

    #[test]
    fn runs_that_meet_are_one_and_others_stay_apart() {
        assert_eq!(
            runs(&stream(), &[11, 0, 1], 0),
            [Run { key: 0, end: 1, wanted: vec![0, 1] }, Run { key: 8, end: 11, wanted: vec![11] }]
        );
        assert_eq!(runs(&stream(), &[3, 5], 0), [Run { key: 0, end: 5, wanted: vec![3, 5] }]);
    }

    #[test]
    fn further_back_ends_at_the_first_packet() {
        assert_eq!(runs(&stream(), &[6], 1), [Run { key: 0, end: 6, wanted: vec![6] }]);
        assert_eq!(runs(&stream(), &[6], 9), [Run { key: 0, end: 6, wanted: vec![6] }]);
    }
}
