//! Resampling whole trajectories with replacement.

use polars::prelude::PlHashMap;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

/// Sums over the trajectories of each resample, in the order of resamples.
///
/// Trajectories with equal sums are one *kind*: a resample counts the kinds it draws and multiplies once a kind, which
/// is the same sum in fewer additions.
pub(super) fn resample<const N: usize>(trajectories: &[[f64; N]], resamples: usize, seed: u64) -> Vec<[f64; N]> {
    let Ok(n) = u32::try_from(trajectories.len()) else {
        // Four thousand million trajectories in one group: no interval rather than a wrong one.
        return Vec::new();
    };
    if n == 0 || resamples == 0 {
        return Vec::new();
    }
    let (kinds, kind_of) = kinds(trajectories);
    let base = Xoshiro256PlusPlus::seed_from_u64(seed).next_u64();
    (0..resamples)
        .into_par_iter()
        .with_min_len(8)
        .map_init(
            || vec![0u32; kinds.len()],
            |counts, r| {
                counts.fill(0);
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(base.wrapping_add(r as u64));
                draw(&mut rng, n, &kind_of, counts);
                let mut sums = [0.0; N];
                for (&count, kind) in counts.iter().zip(&kinds) {
                    let count = f64::from(count);
                    for (sum, value) in sums.iter_mut().zip(kind) {
                        *sum += count * value;
                    }
                }
                sums
            },
        )
        .collect()
}

/// The different rows, in order of first appearance, and which of them each row is.
fn kinds<const N: usize>(rows: &[[f64; N]]) -> (Vec<[f64; N]>, Vec<u32>) {
    let mut places: PlHashMap<[u64; N], u32> = PlHashMap::default();
    let mut kinds = Vec::new();
    let kind_of = rows
        .iter()
        .map(|row| {
            *places.entry(row.map(f64::to_bits)).or_insert_with(|| {
                kinds.push(*row);
                kinds.len() as u32 - 1
            })
        })
        .collect();
    (kinds, kind_of)
}

/// Draws `n` of `n` with replacement; two draws from each 64 random bits, without bias (Lemire 2019, "Fast random
/// integer generation in an interval").
fn draw(rng: &mut Xoshiro256PlusPlus, n: u32, kind_of: &[u32], counts: &mut [u32]) {
    let threshold = n.wrapping_neg() % n;
    let mut left = n;
    while left > 0 {
        let bits = rng.next_u64();
        for half in [bits as u32, (bits >> 32) as u32] {
            let product = u64::from(half) * u64::from(n);
            if (product as u32) >= threshold && left > 0 {
                counts[kind_of[(product >> 32) as usize] as usize] += 1;
                left -= 1;
            }
        }
    }
}

/// The percentile interval at `level` of those resamples that have a value; none where none has.
pub(super) fn interval(values: impl Iterator<Item = Option<f64>>, level: f64) -> Option<(f64, f64)> {
    let mut values: Vec<f64> = values.flatten().collect();
    values.sort_unstable_by(f64::total_cmp);
    let tail = (1.0 - level) / 2.0;
    Some((quantile(&values, tail)?, quantile(&values, 1.0 - tail)?))
}

/// The quantile of sorted values, with linear interpolation between the two nearest.
fn quantile(sorted: &[f64], q: f64) -> Option<f64> {
    let place = q * (sorted.len().checked_sub(1)? as f64);
    let low = *sorted.get(place.floor() as usize)?;
    let high = *sorted.get(place.ceil() as usize)?;
    Some(low + (high - low) * place.fract())
}
