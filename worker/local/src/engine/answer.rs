//! Digits among the generated tokens.

use roborm_wire::local::Digit;

use crate::tokenizer::Tokenizer;

/// The generated tokens that are digits from 1 to 5 (`known`), each with its place in the decoded text and with the
/// probabilities that `shares` has for its step. Which of them is the score is the matter of whoever reads the text.
pub(super) fn digits(ids: &[i64], known: &[i64; 5], shares: &[[f64; 5]], tokenizer: &Tokenizer) -> Vec<Digit> {
    let steps = ids.iter().zip(shares).enumerate().filter(|(_, (id, _))| known.contains(id));
    // A digit is ASCII: bytes before it that are no whole character are replaced alike with and without what follows.
    steps.map(|(step, (_, &shares))| Digit { at: tokenizer.decode(&ids[..step], true).len(), shares }).collect()
}
