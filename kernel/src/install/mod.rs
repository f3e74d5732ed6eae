//! Making the kernel known to Jupyter: one folder a kernel, which holds all that it needs.
//!
//! ```text
//! share/jupyter/kernels/NAME/
//!   toolkit-N/            what cells are compiled against, and this program
//!   logo-*, kernel.json   what Jupyter reads
//! ```
//!
//! All of it is in the one folder, so that it comes and goes as a whole, by `jupyter kernelspec remove` too. Paths of the
//! toolkit stand in what is compiled at installation: it is made where it is to stay. Over a kernel that is there, a second
//! toolkit is made beside the first; `kernel.json`, which names it, is replaced last and as a whole. So a session that runs
//! keeps what it was started with: its toolkit is removed by the first installation after its end.

mod place;
mod spec;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::engine::{Error, Result};
use crate::toolkit::{How, Toolkit};

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
    /// evcxr's own server (`evcxr_jupyter`), where that is to be in front of the toolkit instead of ours.
    pub server: Option<PathBuf>,
}

/// evcxr's own server: the file that is named, else the one on `PATH`.
///
/// # Errors
/// There is none: says how to install it.
pub fn server(named: Option<PathBuf>) -> Result<PathBuf> {
    const PROGRAM: &str = "evcxr_jupyter";
    const HELP: &str =
        "cargo install evcxr_jupyter --version 0.22.0 --locked installs it; --evcxr FILE names one that is not on PATH";
    let found = match &named {
        Some(file) => std::path::absolute(file).ok().filter(|file| file.is_file()),
        None => {
            let path = std::env::var_os("PATH").unwrap_or_default();
            std::env::split_paths(&path).map(|folder| folder.join(PROGRAM)).find(|file| file.is_file())
        }
    };
    found.ok_or_else(|| match named {
        Some(file) => Error::new(format!("{} is no file", file.display())).with_help(HELP),
        None => Error::new(format!("--plain needs {PROGRAM}, which is not on PATH")).with_help(HELP),
    })
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
        Toolkit::open(&spec::toolkit(&self.folder)?)
    }
}

/// Installs; a kernel of the same name is replaced, and stays as it was where something goes wrong. `tell` is told of what is
/// done next.
///
/// # Errors
/// Something is not built, a folder cannot be written, or the name is that of a kernel which is not roborm's.
pub fn install(plan: &Plan, tell: &dyn Fn(&str)) -> Result<Installed> {
    spec::check_name(&plan.name)?;
    let kernels = plan.place.kernels()?;
    let folder = kernels.join(&plan.name);
    let is_begun = toolkits(&folder).next().is_some();
    let stranger = folder.join("kernel.json").exists() && !spec::is_ours(&folder);
    if stranger || (folder.exists() && !is_begun && !spec::is_ours(&folder)) {
        return Err(Error::new(format!("{} is there, and roborm did not install it", folder.display()))
            .with_help("choose another name with --name"));
    }
    let begun = Begun::at(&folder)?;
    let kernels = fs::read_dir(&kernels).into_iter().flatten().flatten().map(|entry| entry.path());
    let earlier = kernels.filter(|folder| spec::is_ours(folder)).flat_map(|folder| toolkits(&folder));
    let how = How { earlier: earlier.filter(|toolkit| *toolkit != begun.toolkit).collect(), tell };
    Toolkit::assemble_so(&plan.build, &begun.toolkit, &how)?;
    if plan.server.is_some() {
        // Without it the types of variables have to be written.
        crate::engine::plain::record(&plan.build, &begun.toolkit);
    }
    spec::write(&folder, plan, &begun.toolkit)?;
    begun.finish();
    Ok(Installed { name: plan.name.clone(), folder })
}

/// The folders of toolkits that a kernel has.
fn toolkits(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_name().to_str().is_some_and(|name| name.starts_with("toolkit")))
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
}

/// A toolkit that is being made. Dropped, it goes again.
struct Begun {
    folder: PathBuf,
    toolkit: PathBuf,
    /// Keeps other installations from taking it for one that nobody needs.
    _lock: Option<fs::File>,
}

impl Begun {
    fn at(folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder).map_err(unwritable(folder))?;
        for number in 1_u32.. {
            let toolkit = folder.join(format!("toolkit-{number}"));
            match fs::create_dir(&toolkit) {
                Ok(()) => {
                    let lock = Toolkit::hold(&toolkit);
                    return Ok(Self { folder: folder.to_owned(), toolkit, _lock: lock });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(unwritable(&toolkit)(error)),
            }
        }
        Err(Error::new(format!("there is no room for another toolkit in {}", folder.display())))
    }

    /// It is the kernel's from now on; those that no session runs on are not needed any more.
    fn finish(self) {
        for other in toolkits(&self.folder).filter(|other| *other != self.toolkit && !Toolkit::is_held(other)) {
            // Left behind at worst: the next installation removes it.
            let _ = remove(&other);
        }
        std::mem::forget(self);
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        // What fails here the next installation does.
        let _ = remove(&self.toolkit);
        // Not where something else is in it.
        let _ = fs::remove_dir(&self.folder);
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
    if toolkits(&folder).any(|toolkit| Toolkit::is_held(&toolkit)) {
        return Err(Error::new(format!("the kernel '{name}' runs: removing it would break a session"))
            .with_help("shut down its notebooks, and prompts of roborm, then try again"));
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
