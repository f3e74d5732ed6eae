//! The checksums that the hub names its files by.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use ring::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY, SHA256};

/// What a file's bytes have to come to, in lower-case hex digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Checksum {
    /// SHA-256 of the bytes: of large files.
    Sha256(String),
    /// The name that git gives a blob, SHA-1 over its length and its bytes: of small files.
    Git(String),
}

impl Checksum {
    /// The name of the file's blob in the cache.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Sha256(hex) | Self::Git(hex) => hex,
        }
    }

    /// Whether a file has it.
    pub(super) fn is_of(&self, path: &Path) -> io::Result<bool> {
        let mut file = File::open(path)?;
        let mut context = match self {
            Self::Sha256(_) => Context::new(&SHA256),
            Self::Git(_) => {
                let mut context = Context::new(&SHA1_FOR_LEGACY_USE_ONLY);
                context.update(format!("blob {}\0", file.metadata()?.len()).as_bytes());
                context
            }
        };
        let mut buffer = vec![0; 1 << 20];
        loop {
            match file.read(&mut buffer)? {
                0 => break,
                read => context.update(&buffer[..read]),
            }
        }
        let digest = context.finish();
        let hex: String = digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(hex == self.name())
    }
}
