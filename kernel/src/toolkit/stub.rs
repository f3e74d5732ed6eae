//! What cells are linked against: not the shared library itself but a stub of it.
//!
//! A cell's symbols are bound when it is loaded, to libraries that the process has already. To the linker they may stay
//! undefined; it need not read the 280 thousand names of the shared library, nor ask gcc where the system's libraries
//! are. rustc needs a library that says what crate it is: the stub has the section with that, and nothing else. Together
//! with calling the linker that rustc brings along directly, this is a quarter of what a small cell costs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Recorded;
use crate::engine::{Error, Result};

/// The folder of stubs in a toolkit.
pub(super) const FOLDER: &str = "stub";
/// What rustc asks the linker for whether anybody needs it or not.
const SYSTEM: [&str; 7] = ["gcc_s", "util", "rt", "pthread", "m", "dl", "c"];

/// Makes the stub of `library` and tries it. `None`: rustc brings no linker along, or this does not work with it; cells
/// are then linked as rustc links anything.
pub(super) fn make(toolkit: &Path, library: &Path, recorded: &Recorded) -> Result<Option<PathBuf>> {
    let Some(linker) = linker(recorded) else { return Ok(None) };
    let folder = toolkit.join(FOLDER);
    let refused = |error: std::io::Error| Error::io(format!("cannot write in {}", folder.display()), &error);
    fs::create_dir_all(&folder).map_err(refused)?;
    let bytes = fs::read(library).map_err(|error| Error::io(library.display(), &error))?;
    let Some(section) = section(&bytes, b".rustc") else { return Ok(None) };
    let name = library.file_name().unwrap_or_default();
    fs::write(folder.join("metadata"), section).map_err(refused)?;
    for system in SYSTEM {
        // A script that asks for nothing.
        fs::write(folder.join(format!("lib{system}.so")), "INPUT()\n").map_err(refused)?;
    }
    let source = folder.join("stub.rs");
    let code = "#![no_std]\n\
                #[unsafe(link_section = \".rustc\")]\n\
                #[used]\n\
                static METADATA: [u8; include_bytes!(\"metadata\").len()] = *include_bytes!(\"metadata\");\n\
                #[panic_handler]\n\
                fn panic(_: &core::panic::PanicInfo) -> ! {\n    loop {}\n}\n";
    fs::write(&source, code).map_err(refused)?;
    let mut rustc = Command::new(&recorded.rustc);
    rustc.args(["--crate-type=cdylib", "--edition=2024", "-Cpanic=abort"]).arg(&source);
    rustc.arg("-o").arg(folder.join(name));
    direct(&mut rustc, &linker, &folder);
    rustc.arg(format!("-Clink-arg=-soname={}", name.to_string_lossy()));
    let made = rustc.output().is_ok_and(|output| output.status.success());
    let _ = fs::remove_file(folder.join("metadata"));
    let _ = fs::remove_file(&source);
    Ok(made.then_some(linker))
}

/// Has rustc call the linker itself.
pub(super) fn direct(rustc: &mut Command, linker: &Path, folder: &Path) {
    rustc.arg("-Clinker-flavor=ld.lld").arg(format!("-Clinker={}", linker.display()));
    // A cell is small: starting threads takes longer than what they would do.
    rustc.arg("-Clink-arg=--threads=1").arg(format!("-Lnative={}", folder.display()));
}

/// The linker that comes with rustc.
fn linker(recorded: &Recorded) -> Option<PathBuf> {
    let libraries = PathBuf::from(recorded.answers.get("--print target-libdir")?.trim());
    let linker = libraries.parent()?.join("bin/rust-lld");
    linker.is_file().then_some(linker)
}

/// A section of a 64-bit little-endian ELF file.
fn section<'a>(file: &'a [u8], wanted: &[u8]) -> Option<&'a [u8]> {
    let number = |at: usize, bytes: usize| -> Option<usize> {
        let mut whole = [0; 8];
        whole[..bytes].copy_from_slice(file.get(at..at.checked_add(bytes)?)?);
        usize::try_from(u64::from_le_bytes(whole)).ok()
    };
    let (table, size, count, names) = (number(0x28, 8)?, number(0x3a, 2)?, number(0x3c, 2)?, number(0x3e, 2)?);
    let header = |index: usize| table.checked_add(size.checked_mul(index)?);
    let strings = number(header(names)? + 0x18, 8)?;
    (0..count).find_map(|index| {
        let header = header(index)?;
        let name = strings.checked_add(number(header, 4)?)?;
        let (start, length) = (number(header + 0x18, 8)?, number(header + 0x20, 8)?);
        let found = file.get(name..name.checked_add(wanted.len() + 1)?)?;
        (found.strip_suffix(&[0]) == Some(wanted)).then(|| file.get(start..start.checked_add(length)?))?
    })
}
