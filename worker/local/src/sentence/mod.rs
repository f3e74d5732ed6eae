//! Sentences as vectors: encoders of the make of all-MiniLM-L6-v2 (BERT, mean of the tokens, length 1), by which one
//! tells whether two wordings mean the same.

mod config;
#[cfg(feature = "libtorch")]
mod encoder;
mod words;

pub use config::SentenceConfig;
#[cfg(feature = "libtorch")]
pub use encoder::SentenceModel;
pub use words::WordPieces;
