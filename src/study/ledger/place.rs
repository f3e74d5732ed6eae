//! Where a ledger can lie.

use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// What a path lies on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSystem {
    /// `f_type` of statfs(2).
    pub magic: u64,
    /// The type in the table of mounts (`ext4`, `fuse.sshfs`, …), empty where it is not known.
    pub kind: String,
}

impl FileSystem {
    /// The file system that `path`, which must exist, lies on.
    ///
    /// # Errors
    /// Where the system does not tell.
    pub fn of(path: &Path) -> std::io::Result<Self> {
        let magic = rustix::fs::statfs(path)?.f_type as u64 & 0xffff_ffff;
        Ok(Self { magic, kind: mount_kind(path).unwrap_or_default() })
    }

    /// The name of the network file system that this is; `None` where it is a local one.
    ///
    /// SQLite's write-ahead log needs memory that all its users share and locks that work, which no network file system
    /// gives. Folders shared into a virtual machine count as network: the host is another machine.
    pub fn network(&self) -> Option<&str> {
        let by_magic = match self.magic {
            0x6969 => "NFS",
            0x517b | 0xff53_4d42 | 0xfe53_4d42 => "SMB",
            0x0102_1997 => "9p",
            0x0bd0_0bd0 => "Lustre",
            0x00c3_6400 => "Ceph",
            0x5346_414f | 0x6b41_4653 => "AFS",
            0x4750_4653 => "GPFS",
            0x1983_0326 => "BeeGFS",
            0x7461_636f => "OCFS2",
            0x0116_1970 => "GFS2",
            0x7375_7245 => "Coda",
            0x0000_564c => "NCP",
            0xaad7_aaea => "PanFS",
            0x786f_4256 => "vboxsf",
            0xbacb_acbc => "vmhgfs",
            0x7c7c_6673 => "prl_fs",
            _ => "",
        };
        if !by_magic.is_empty() {
            return Some(by_magic);
        }
        // FUSE has one number for all; those that are local (ntfs-3g, overlays of containers) are left alone.
        const FUSE: u64 = 0x6573_5546;
        const REMOTE: [&str; 14] = [
            "sshfs",
            "s3fs",
            "goofys",
            "gcsfuse",
            "rclone",
            "glusterfs",
            "ceph",
            "juicefs",
            "blobfuse",
            "mount-s3",
            "davfs",
            "curlftpfs",
            "virtiofs",
            "moosefs",
        ];
        let kind = self.kind.to_lowercase();
        (self.magic == FUSE && REMOTE.iter().any(|remote| kind.contains(remote))).then_some(self.kind.as_str())
    }
}

/// The type of the mount that `path` lies on, from /proc/self/mountinfo: the longest mount point that leads to it.
fn mount_kind(path: &Path) -> Option<String> {
    let path = path.canonicalize().ok()?;
    let table = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    let mut best: Option<(usize, String)> = None;
    for line in table.lines() {
        // 36 35 98:0 /root /mount/point rw,noatime master:1 - ext4 /dev/root rw
        let Some((left, right)) = line.split_once(" - ") else { continue };
        let Some(point) = left.split(' ').nth(4) else { continue };
        let point = point.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\");
        let kind = right.split(' ').next().unwrap_or_default();
        let length = point.len();
        // A later mount over the same point hides the earlier one.
        if path.starts_with(&point) && best.as_ref().is_none_or(|(longest, _)| length >= *longest) {
            best = Some((length, kind.to_owned()));
        }
    }
    best.map(|(_, kind)| kind)
}

/// `$XDG_DATA_HOME/roborm/ledger.db`, else `~/.local/share/roborm/ledger.db`.
///
/// # Errors
/// Where neither variable tells where that is.
pub(super) fn default_path() -> Result<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = match (absolute("XDG_DATA_HOME"), absolute("HOME")) {
        (Some(data), _) => data,
        (None, Some(home)) => home.join(".local/share"),
        (None, None) => {
            return Err(Error::ledger("no place for the ledger: neither XDG_DATA_HOME nor HOME is set")
                .with_help("name one with --ledger FILE"));
        }
    };
    Ok(data.join("roborm").join("ledger.db"))
}

/// Checks that a ledger can be at `path`, and gives it back absolute: a name such as `:memory:` or `file:…`, which
/// SQLite would take for more than a name, becomes a path.
pub(super) fn check(path: &Path, probe: fn(&Path) -> std::io::Result<FileSystem>) -> Result<PathBuf> {
    if path.as_os_str().is_empty() {
        return Err(Error::usage("the ledger has an empty name").with_help("name a file with --ledger FILE"));
    }
    let cannot = |error: &std::io::Error| Error::io(format!("cannot open ledger {}", path.display()), error);
    let path = std::path::absolute(path).map_err(|error| cannot(&error))?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    if !folder.is_dir() {
        return Err(Error::ledger(format!("cannot open ledger {}: no folder {}", path.display(), folder.display()))
            .with_help("make the folder first, or name another file with --ledger FILE"));
    }
    if path.is_dir() {
        return Err(Error::ledger(format!("ledger {} is a folder", path.display()))
            .with_help(format!("name a file, for example {}", path.join("ledger.db").display())));
    }
    if path.exists() && !path.is_file() {
        return Err(Error::ledger(format!("ledger {} is a device or a pipe, not a file", path.display()))
            .with_help("name a file with --ledger FILE: what was paid for is kept there"));
    }
    // A link may lead to another file system than the one it lies on.
    let on = probe(if path.exists() { &path } else { folder }).map_err(|error| cannot(&error))?;
    match on.network() {
        None => Ok(path),
        Some(name) => Err(Error::ledger(format!("ledger {} lies on a network file system ({name})", path.display()))
            .with_help(
                "keep a ledger on a local disk of each machine: split the work with --shard i/n, then join the ledgers \
                 with `roborm ledger merge OUT IN…`",
            )),
    }
}
