//! Making the kernel known to Jupyter: one folder a kernel, which holds all that it needs.
//!
//! ```text
//! share/jupyter/kernels/NAME/
//!   kernel.json, logo-*   what Jupyter reads
//!   bin/roborm-kernel     this program
//!   toolkit/              what cells are compiled against
//! ```
//!
//! All of it is in the one folder, so that it comes and goes as a whole, by `jupyter kernelspec remove` too.

mod place;
mod spec;

use std::fs;
use std::path::{Path, PathBuf};

use crate::engine::{Error, Result};
use crate::toolkit::Toolkit;

pub use place::{Place, folders};

/// What is installed, and where.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The name by which notebooks ask for it.
    pub name: String,
    /// Below which folder.
    pub place: Place,
    /// The folder that cargo has built into: `target/release`.
    pub build: PathBuf,
    /// This program.
    pub program: PathBuf,
}

/// A kernel that is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// The name by which notebooks ask for it.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
}

impl Installed {
    /// Its toolkit.
    ///
    /// # Errors
    /// Where it is not whole, or rustc is not the one that it was built with.
    pub fn toolkit(&self) -> Result<Toolkit> {
        Toolkit::open(&self.folder.join("toolkit"))
    }
}

/// Installs; a kernel of the same name is replaced, and stays as it was where something goes wrong.
///
/// # Errors
/// Something is not built, a folder cannot be written, or the name is that of a kernel which is not roborm's.
pub fn install(plan: &Plan) -> Result<Installed> {
    spec::check_name(&plan.name)?;
    let kernels = plan.place.kernels()?;
    let folder = kernels.join(&plan.name);
    if folder.exists() && !spec::is_ours(&folder) {
        return Err(Error::new(format!("{} is there, and roborm did not install it", folder.display()))
            .with_help("choose another name with --name"));
    }
    fs::create_dir_all(&kernels).map_err(unwritable(&kernels))?;
    // Jupyter takes no folder for a kernel that has no kernel.json; that comes last.
    let made = tempfile::Builder::new().prefix(".roborm-").tempdir_in(&kernels).map_err(unwritable(&kernels))?;
    fill(plan, made.path(), &folder)?;
    replace(made, &folder)?;
    Ok(Installed { name: plan.name.clone(), folder })
}

/// Fills a new folder that is to become `folder`.
fn fill(plan: &Plan, made: &Path, folder: &Path) -> Result<()> {
    Toolkit::assemble(&plan.build, &made.join("toolkit"))?;
    let bin = made.join("bin");
    fs::create_dir(&bin).map_err(unwritable(&bin))?;
    let program = bin.join("roborm-kernel");
    fs::copy(&plan.program, &program)
        .map_err(|error| Error::io(format_args!("cannot copy to {}", program.display()), &error))?;
    for (name, bytes) in spec::LOGOS {
        let file = made.join(name);
        fs::write(&file, bytes).map_err(unwritable(&file))?;
    }
    spec::write(plan, made, folder)?;
    // A temporary folder is its owner's alone; a kernel may be for all users of a machine.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(made, fs::Permissions::from_mode(0o755)).map_err(unwritable(made))?;
    }
    Ok(())
}

/// Puts a whole new folder in the place of the one that there may be.
fn replace(made: tempfile::TempDir, folder: &Path) -> Result<()> {
    let Some(kernels) = folder.parent() else { return Err(Error::new("a kernel cannot be the root folder")) };
    let old = tempfile::Builder::new().prefix(".roborm-old-").tempdir_in(kernels).map_err(unwritable(kernels))?;
    let aside = old.path().join("kernel");
    let was_there = folder.exists();
    if was_there {
        fs::rename(folder, &aside).map_err(unwritable(folder))?;
    }
    let made = made.keep();
    if let Err(error) = fs::rename(&made, folder) {
        if was_there {
            // The one that was there works; where it cannot be put back its files are in the folder that is named.
            if let Err(lost) = fs::rename(&aside, folder) {
                let kept = old.keep();
                return Err(Error::io(format_args!("cannot put {} back", folder.display()), &lost)
                    .with_help(format!("its files are in {}", kept.display())));
            }
        }
        // Left behind at worst: nothing reads it.
        let _ = fs::remove_dir_all(&made);
        return Err(unwritable(folder)(error));
    }
    Ok(())
}

/// Removes a kernel that roborm has installed.
///
/// # Errors
/// There is none of that name, it is not roborm's, or its folder cannot be removed.
pub fn uninstall(name: &str, place: Option<&Place>) -> Result<Installed> {
    let among = match place {
        Some(place) => vec![place.kernels()?],
        None => folders(),
    };
    let folder = among.iter().map(|kernels| kernels.join(name)).find(|folder| folder.join("kernel.json").exists());
    let Some(folder) = folder else {
        let looked: Vec<String> = among.iter().map(|folder| folder.display().to_string()).collect();
        return Err(Error::new(format!("no kernel '{name}' in {}", looked.join(", ")))
            .with_help("`roborm-kernel list` shows those that there are"));
    };
    if !spec::is_ours(&folder) {
        return Err(Error::new(format!("{} is there, and roborm did not install it", folder.display()))
            .with_help(format!("`jupyter kernelspec remove {name}` removes any kernel")));
    }
    fs::remove_dir_all(&folder)
        .map_err(|error| Error::io(format_args!("cannot remove {}", folder.display()), &error))?;
    Ok(Installed { name: name.to_owned(), folder })
}

/// The kernels that roborm has installed, where Jupyter looks for kernels.
pub fn list() -> Vec<Installed> {
    let mut found = Vec::new();
    for kernels in folders() {
        let Ok(entries) = fs::read_dir(&kernels) else { continue };
        let mut here: Vec<Installed> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|folder| spec::is_ours(folder))
            .filter_map(|folder| Some(Installed { name: folder.file_name()?.to_str()?.to_owned(), folder }))
            .filter(|kernel| spec::check_name(&kernel.name).is_ok())
            .collect();
        here.sort_by(|a, b| a.name.cmp(&b.name));
        found.extend(here);
    }
    found
}

fn unwritable(path: &Path) -> impl Fn(std::io::Error) -> Error {
    let path = path.display().to_string();
    move |error| {
        Error::io(format_args!("cannot write {path}"), &error)
            .with_help("--prefix DIR installs below another folder, --sys-prefix into the Python that is active")
    }
}
