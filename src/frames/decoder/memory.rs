//! The memory file that a worker hands pictures over in, and this process's view of it.

use std::fs::File;
use std::io;
use std::ptr::{self, NonNull};

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// A memory file that can grow and never shrink.
pub(super) struct PictureMemory {
    file: File,
    view: Option<View>,
}

/// The file as it was when it was last looked at, mapped for reading.
struct View {
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: a view is a mapping of its own that nothing else points into; it may move between threads with its owner.
unsafe impl Send for View {}

impl PictureMemory {
    pub fn new() -> io::Result<Self> {
        let file = memfd_create("roborm-pictures", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        // What a worker could shorten, this process must not map: reading behind the end would be a signal. The seal is
        // set before any worker has the file, and nobody can lift it.
        fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::SEAL)?;
        Ok(Self { file: file.into(), view: None })
    }

    /// A second handle, for the worker.
    pub fn handle(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Copies bytes from `offset` on.
    ///
    /// # Errors
    /// `UnexpectedEof` where the file ends before.
    pub fn copy_to(&mut self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        let start = usize::try_from(offset).map_err(|_| io::ErrorKind::UnexpectedEof)?;
        let end = start.checked_add(bytes.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        if self.view.as_ref().is_none_or(|view| view.length < end) {
            self.look(end)?;
        }
        let view = self.view.as_ref().ok_or(io::ErrorKind::UnexpectedEof)?;
        // SAFETY: start..end lies in the mapping, which the seal keeps backed; `bytes` is memory of this process. A worker
        // that writes there at the same time, against the protocol, spoils its own picture: any bytes are valid pixels.
        unsafe { ptr::copy_nonoverlapping(view.start.as_ptr().add(start), bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    /// Maps the file anew, as long as it is now.
    fn look(&mut self, least: usize) -> io::Result<()> {
        self.view = None;
        let length = usize::try_from(self.file.metadata()?.len()).map_err(|_| io::ErrorKind::OutOfMemory)?;
        if length < least {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        // SAFETY: a fresh mapping for reading, at an address of the kernel's choice.
        let start = unsafe { mmap(ptr::null_mut(), length, ProtFlags::READ, MapFlags::SHARED, &self.file, 0)? };
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        self.view = Some(View { start, length });
        Ok(())
    }
}

impl Drop for View {
    fn drop(&mut self) {
        // SAFETY: exactly the mapping that `look` made, which ends with its view.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.length) };
    }
}
