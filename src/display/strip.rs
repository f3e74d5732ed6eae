//! One trajectory's scores on the scale from 1 to 5.

use super::terminal::{Terminal, Tone};

/// Columns between two whole scores.
const UNIT: f64 = 8.0;
/// Columns from 1 to 5.
const LENGTH: usize = 33;

/// Where the scores of a trajectory's paraphrases lie, in two lines of 33 columns: how many at each place (`+` for more
/// than nine, which a third line says), and the scale with the success boundary.
///
/// ```text
/// 1       2       4               1
/// 1-------2-------3---|---4-------5
/// ```
///
/// Scores outside 1 to 5 are left out; so are those that are not there, which the caller counts. A boundary outside the
/// scale is not drawn. Failures and successes differ in colour, and lie on two sides of the boundary.
pub fn strip(scores: &[f64], boundary: f64, terminal: &Terminal) -> String {
    let place = |value: f64| (1.0..=5.0).contains(&value).then(|| ((value - 1.0) * UNIT).round() as usize);
    let mut counts = [(0_u32, false); LENGTH];
    for &score in scores {
        if let Some(count) = place(score).and_then(|place| counts.get_mut(place)) {
            *count = (count.0 + 1, score > boundary);
        }
    }
    let mut above = String::new();
    let mut owed = 0;
    for (count, success) in counts {
        let mark = match count {
            0 => {
                owed += 1;
                continue;
            }
            1..=9 => count.to_string(),
            _ => "+".to_owned(),
        };
        above.push_str(&" ".repeat(std::mem::take(&mut owed)));
        above.push_str(&terminal.paint(if success { Tone::Good } else { Tone::Bad }, &mark));
    }
    let legend = if counts.iter().any(|count| count.0 > 9) { "+: more than nine\n" } else { "" };
    let wall = place(boundary);
    let scale: String = (0..LENGTH)
        .map(|column| {
            if Some(column) == wall {
                terminal.either("┃", "|").to_owned()
            } else if column % (UNIT as usize) == 0 {
                (column / UNIT as usize + 1).to_string()
            } else {
                terminal.either("─", "-").to_owned()
            }
        })
        .collect();
    format!("{above}\n{scale}\n{legend}")
}
