//! The memory file that pictures are handed over in.

use std::io;
use std::os::fd::AsFd;
use std::ptr::{self, NonNull};

use roborm_wire::SLOTS;
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// `SLOTS` places of equal size in the memory file at descriptor 1, mapped for writing.
pub struct Memory {
    map: Option<Map>,
    next: usize,
}

struct Map {
    start: NonNull<u8>,
    slot_bytes: usize,
}

impl Memory {
    pub fn new() -> Self {
        Self { map: None, next: 0 }
    }

    /// Does a picture of so many bytes fit without growing? Growing moves every slot, so none may be in use then.
    pub fn fits(&self, bytes: usize) -> bool {
        self.map.as_ref().is_some_and(|map| bytes <= map.slot_bytes)
    }

    /// Makes every slot at least so large.
    pub fn grow(&mut self, bytes: usize) -> io::Result<()> {
        if self.fits(bytes) {
            return Ok(());
        }
        self.map = None;
        self.next = 0;
        // Whole pages, so that a vector store past a picture's end stays in its slot or faults here, never elsewhere.
        let slot_bytes = bytes.checked_next_multiple_of(4096).ok_or(io::ErrorKind::OutOfMemory)?;
        let total = slot_bytes.checked_mul(SLOTS).ok_or(io::ErrorKind::OutOfMemory)?;
        let stdout = io::stdout();
        // Never shorter: the parent has sealed it against that.
        rustix::fs::ftruncate(stdout.as_fd(), total as u64)?;
        // SAFETY: a fresh mapping at an address of the kernel's choice; nothing else in this process maps this file,
        // and the parent only reads it.
        let start = unsafe {
            mmap(ptr::null_mut(), total, ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED, stdout.as_fd(), 0)?
        };
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        self.map = Some(Map { start, slot_bytes });
        Ok(())
    }

    /// The next slot and its offset in the file. The caller sees to it that the parent has released it.
    pub fn next_slot(&mut self) -> Option<(u64, &mut [u8])> {
        let map = self.map.as_mut()?;
        let offset = self.next * map.slot_bytes;
        self.next = (self.next + 1) % SLOTS;
        // SAFETY: offset + slot_bytes is within the mapping, which lives as long as `self`, and the borrow of `self`
        // lets no second slice exist.
        let slot = unsafe { std::slice::from_raw_parts_mut(map.start.as_ptr().add(offset), map.slot_bytes) };
        Some((offset as u64, slot))
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: exactly the mapping that `grow` made; no slice of it outlives the `Memory` that owns it.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.slot_bytes * SLOTS) };
    }
}
