//! Which digit of an answer is its score.

use roborm_wire::local::Answer;

use crate::reward::read_text;

/// The probabilities of the answers 1 to 5 in the place of the digit that is the score.
///
/// That digit is found through the reader itself, so that the two cannot part: it is the first whose exchange for another
/// one makes that other one the score ("ANSWER: 4", and not the digits of a scale, a count, a time). Where the score is
/// said twice, so that an exchange makes the answer contradict itself, it is the first such digit.
///
/// None where the answer is unparsed, or says its score in other ways than by a digit from 1 to 5.
pub(super) fn shares(answer: &Answer) -> Option<[f64; 5]> {
    let read = |text: &str| read_text(text, None, Some(&answer.finish)).score();
    let score = read(&answer.text)?;
    let other = if score == 5 { 4 } else { score + 1 };
    let exchanged = |at: usize| {
        let end = at.checked_add(1)?;
        (answer.text.get(at..end)? == score.to_string()).then_some(())?;
        let mut text = answer.text.clone();
        text.replace_range(at..end, &other.to_string());
        Some(read(&text))
    };
    let after: Vec<_> = answer.digits.iter().filter_map(|digit| Some((digit.shares, exchanged(digit.at)?))).collect();
    let place = |wanted: &dyn Fn(Option<u8>) -> bool| after.iter().find(|(_, after)| wanted(*after));
    place(&|after| after == Some(other)).or_else(|| place(&|after| after.is_none())).map(|(shares, _)| *shares)
}
