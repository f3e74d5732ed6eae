//! What datasets are called in score tables.

use std::path::{Path, PathBuf};

/// The names of the datasets of a session, by where they lie. A dataset is called by the last part of its path, as long as
/// no other is: then by as much of its path as tells them apart.
#[derive(Clone, Default)]
pub(super) struct Names(Vec<(PathBuf, String)>);

impl Names {
    /// The name of what `spec` names and would be called `plain`. One that no place has any more is free, unless it is
    /// `in_use`.
    pub(super) fn of(&mut self, spec: &str, plain: &str, in_use: impl Fn(&str) -> bool) -> String {
        const BUILT_IN: &str = "demo";
        if spec == BUILT_IN {
            return plain.to_owned();
        }
        let place = place_of(spec);
        self.0.retain(|(other, name)| *other == place || in_use(name));
        if let Some((_, name)) = self.0.iter().find(|(other, _)| *other == place) {
            return name.clone();
        }
        let taken = |name: &str| name == BUILT_IN || self.0.iter().any(|(_, other)| other == name);
        let longer = endings(&place).filter(|name| name.len() > plain.len());
        let mut names = std::iter::once(plain.to_owned()).chain(longer);
        // The whole path is nobody else's.
        let name = names.find(|name| !taken(name)).unwrap_or_else(|| place.display().to_string());
        self.0.push((place, name.clone()));
        name
    }

    /// Place and name of each.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.0.iter().map(|(place, name)| (place.as_path(), name.as_str()))
    }
}

impl FromIterator<(PathBuf, String)> for Names {
    fn from_iter<I: IntoIterator<Item = (PathBuf, String)>>(pairs: I) -> Self {
        Self(pairs.into_iter().collect())
    }
}

/// One place, however it is spelled: a dataset is its folder and the file in it that tells of it alike.
fn place_of(spec: &str) -> PathBuf {
    let path = Path::new(spec);
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let above = match () {
        () if path.ends_with("metadata.jsonl") => path.parent(),
        () if path.ends_with("meta/info.json") => path.parent().and_then(Path::parent),
        () => None,
    };
    above.map_or_else(|| path.clone(), Path::to_owned)
}

/// `b/m`, `a/b/m`, … of `/x/a/b/m.csv`.
fn endings(place: &Path) -> impl Iterator<Item = String> + use<> {
    let bare = if place.is_dir() { place.to_owned() } else { place.with_extension("") };
    let parts: Vec<String> = bare.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    (2..=parts.len()).map(move |of| parts[parts.len() - of..].join("/"))
}
