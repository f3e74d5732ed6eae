//! Making the kernel known to Jupyter: one folder a kernel, which holds all that it needs.
//!
//! ```text
//! share/jupyter/kernels/NAME/
//!   toolkit/              what cells are compiled against, and this program
//!   logo-*, kernel.json   what Jupyter reads
//! ```
//!
//! All of it is in the one folder, so that it comes and goes as a whole, by `jupyter kernelspec remove` too. Paths of the
//! toolkit stand in what is compiled at installation: it is made where it is to stay, and `kernel.json`, without which
//! Jupyter sees no kernel, comes last. A kernel of the same name steps aside until then, and comes back where something
//! goes wrong.

mod place;
mod spec;

use std::fs;
use std::io;
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
    let stranger = folder.join("kernel.json").exists() && !spec::is_ours(&folder);
    if stranger || (folder.exists() && !folder.join("toolkit").exists()) {
        return Err(Error::new(format!("{} is there, and roborm did not install it", folder.display()))
            .with_help("choose another name with --name"));
    }
    fs::create_dir_all(&kernels).map_err(unwritable(&kernels))?;
    let predecessor = Predecessor::step_aside(&folder, kernels.join(format!(".{}.old", plan.name)))?;
    fs::create_dir(&folder).map_err(unwritable(&folder))?;
    Toolkit::assemble(&plan.build, &folder.join("toolkit"))?;
    spec::write(&folder, &plan.name)?;
    predecessor.retire();
    Ok(Installed { name: plan.name.clone(), folder })
}

/// The kernel that was there before. Dropped, it comes back in the place of what was begun.
struct Predecessor<'p> {
    folder: &'p Path,
    aside: PathBuf,
}

impl<'p> Predecessor<'p> {
    fn step_aside(folder: &'p Path, aside: PathBuf) -> Result<Self> {
        // Left by an installation that was killed.
        if aside.exists() {
            if folder.join("kernel.json").exists() {
                remove(&aside)?;
            } else {
                remove(folder)?;
                fs::rename(&aside, folder).map_err(unwritable(folder))?;
            }
        }
        if folder.exists() {
            fs::rename(folder, &aside).map_err(unwritable(folder))?;
        }
        Ok(Self { folder, aside })
    }

    /// It is not needed any more.
    fn retire(self) {
        // Left behind at worst: the next installation removes it.
        let _ = remove(&self.aside);
        std::mem::forget(self);
    }
}

impl Drop for Predecessor<'_> {
    fn drop(&mut self) {
        // What fails here the next installation tries again.
        let _ = remove(self.folder);
        let _ = fs::rename(&self.aside, self.folder);
    }
}

/// Removes a folder with all that is in it, where it is there.
fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Error::io(format_args!("cannot remove {}", folder.display()), &error))
        }
        _ => Ok(()),
    }
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
    remove(&folder)?;
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

fn unwritable(path: &Path) -> impl Fn(io::Error) -> Error {
    let path = path.display().to_string();
    move |error| {
        Error::io(format_args!("cannot write {path}"), &error)
            .with_help("--prefix DIR installs below another folder, --sys-prefix into the Python that is active")
    }
}
