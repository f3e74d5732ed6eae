//! How near two wordings are in meaning, by the vectors that a small encoder makes of them.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use roborm_wire::local::{Ask, Embed, Say};

use crate::local::{Broken, PROGRAM, Worker};
use crate::{Error, Result};

/// Sentences in one question to the worker.
const BATCH: usize = 1024;

/// A worker that says nothing for so long is taken to hang; a batch takes seconds.
const SILENCE: Duration = Duration::from_secs(600);

/// An encoder of sentences of the make of all-MiniLM-L6-v2 (a BERT of sentence-transformers: mean of the tokens, length 1),
/// run on the CPU by the worker of local checkpoints.
pub struct SentenceModel {
    folder: PathBuf,
    program: PathBuf,
    /// None where it ended: the next question starts another.
    worker: Mutex<Option<Worker>>,
}

/// What a sentence means, as a vector of length 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding(Vec<f32>);

impl Embedding {
    /// Its numbers, 384 for all-MiniLM-L6-v2.
    pub fn as_slice(&self) -> &[f32] {
        &self.0
    }

    /// The cosine of the angle to another vector of the same model, from -1 to 1; 1 is the same meaning.
    pub fn cosine(&self, other: &Self) -> f64 {
        let products = self.0.iter().zip(&other.0).map(|(&one, &other)| f64::from(one) * f64::from(other));
        // Of length 1 within the rounding of 32-bit floats.
        products.sum::<f64>().clamp(-1.0, 1.0)
    }
}

impl SentenceModel {
    /// Opens the encoder in a folder, or in a model's folder in the cache of the hub: `config.json`, `tokenizer.json`,
    /// `model.safetensors`.
    ///
    /// # Errors
    /// Where the folder holds no such encoder, or the worker of local checkpoints is not installed.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self> {
        Self::open_with(folder, &PROGRAM.find()?)
    }

    /// [`SentenceModel::open`] with this worker program.
    ///
    /// # Errors
    /// As [`SentenceModel::open`].
    pub fn open_with(folder: impl Into<PathBuf>, program: &Path) -> Result<Self> {
        let model = Self { folder: folder.into(), program: program.to_owned(), worker: Mutex::new(None) };
        // Nothing asked loads it all the same: what is wrong with the folder is said here.
        model.ask(Vec::new())?;
        Ok(model)
    }

    /// The vectors of sentences, in their order. Only the beginning of a long sentence is looked at: 256 tokens of
    /// all-MiniLM-L6-v2.
    ///
    /// # Errors
    /// Where the worker ends.
    pub fn embed<T: AsRef<str>>(&self, sentences: &[T]) -> Result<Vec<Embedding>> {
        let mut embeddings = Vec::with_capacity(sentences.len());
        for batch in sentences.chunks(BATCH) {
            let vectors = self.ask(batch.iter().map(|sentence| sentence.as_ref().to_owned()).collect())?;
            embeddings.extend(vectors.into_iter().map(Embedding));
        }
        Ok(embeddings)
    }

    fn ask(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
        let mut place = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        let mut worker = match place.take() {
            Some(worker) => worker,
            None => {
                let mut worker = Worker::start(&self.program, SILENCE)?;
                worker.look()?;
                worker
            }
        };
        let count = texts.len();
        let ask = Ask::Embed(Embed { folder: self.folder.display().to_string(), texts, threads: None });
        let mut vectors = Vec::new();
        let result = worker.ask(&ask, &[], |say| {
            if let Say::Embedded { vectors: made } = say {
                vectors = made;
            }
        });
        match result {
            Ok(()) if vectors.len() == count => {
                *place = Some(worker);
                Ok(vectors)
            }
            Ok(()) => Err(Error::worker("the worker of local checkpoints did not answer what was asked")),
            Err(broken) => {
                if matches!(broken, Broken::Failed(_)) {
                    *place = Some(worker);
                }
                Err(broken.into())
            }
        }
    }
}
