//! Where the answer stands among the generated tokens.

use crate::tokenizer::Tokenizer;

/// The place of the token that is the answer: the first digit from 1 to 5 after the word ANSWER, or, where that word is
/// not there, the first at all. The text itself is read by roborm; this place only says which probabilities to report.
pub fn answer_place(ids: &[i64], digits: &[i64; 5], tokenizer: &Tokenizer) -> Option<usize> {
    let mut places = (0..ids.len()).filter(|&place| digits.contains(&ids[place]));
    let marked = |place: &usize| tokenizer.decode(&ids[..*place], true).to_uppercase().contains("ANSWER");
    let first = places.clone().next();
    places.find(marked).or(first)
}
