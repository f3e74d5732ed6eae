//! Ledgers that cannot be, and disks that are full.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use roborm::Error;
use roborm::reward::Reply;
use roborm::study::{FileSystem, Ledger, LedgerOptions, Study};

use super::kit::*;

fn refused(path: &Path) -> Error {
    Ledger::open(path).unwrap_err()
}

#[test]
fn refuses_a_network_file_system() {
    let folder = tempfile::tempdir().unwrap();
    let open = |probe| {
        let options = LedgerOptions { probe, ..LedgerOptions::default() };
        Ledger::open_with(folder.path().join("ledger.db"), options)
    };
    let error = open(|_| Ok(FileSystem { magic: 0x6969, kind: "nfs4".to_owned() })).unwrap_err();
    assert!(error.to_string().ends_with("lies on a network file system (NFS)"), "{error}");
    let help = error.help().unwrap();
    assert!(help.contains("--shard i/n") && help.contains("roborm ledger merge"), "{help}");
    let error = open(|_| Ok(FileSystem { magic: 0x6573_5546, kind: "fuse.sshfs".to_owned() })).unwrap_err();
    assert!(error.to_string().ends_with("(fuse.sshfs)"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    // Local ones: ext4, and a disk of another system through FUSE.
    open(|_| Ok(FileSystem { magic: 0xef53, kind: "ext4".to_owned() })).unwrap();
    open(|_| Ok(FileSystem { magic: 0x6573_5546, kind: "fuseblk".to_owned() })).unwrap();
}

#[test]
fn tells_what_a_path_lies_on() {
    let proc = FileSystem::of(Path::new("/proc/self")).unwrap();
    // PROC_SUPER_MAGIC of linux/magic.h.
    assert_eq!((proc.magic, proc.kind.as_str(), proc.network()), (0x9fa0, "proc", None));
}

#[test]
fn refuses_files_that_are_no_ledgers() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    std::fs::write(file("text.db"), "not a database, but long enough to look for a header in it".repeat(40)).unwrap();
    assert!(refused(&file("text.db")).to_string().ends_with("text.db: not a ledger"));
    let other = rusqlite::Connection::open(file("other.db")).unwrap();
    other.execute_batch("CREATE TABLE t (x)").unwrap();
    assert!(refused(&file("other.db")).to_string().ends_with("is a database, but no ledger of roborm"));
    assert!(refused(folder.path()).to_string().ends_with("is a folder"));
    let error = refused(&file("no/such/ledger.db"));
    assert!(error.to_string().contains("no folder") && error.help().is_some(), "{error}");
    assert!(refused(Path::new("")).is_usage());

    let newer = file("newer.db");
    drop(Ledger::open(&newer).unwrap());
    rusqlite::Connection::open(&newer).unwrap().pragma_update(None, "user_version", 9).unwrap();
    let error = refused(&newer);
    assert!(error.to_string().ends_with("has version 9, this roborm writes 1"), "{error}");
    assert!(error.is_ledger() && error.help().unwrap().contains("newer"));
}

#[test]
fn a_name_is_a_file() {
    let folder = tempfile::tempdir().unwrap();
    for name in [":memory:", "file:x.db?mode=memory", "ledger with spaces.db"] {
        drop(Ledger::open(folder.path().join(name)).unwrap());
        assert!(folder.path().join(name).is_file(), "{name}");
    }
}

#[test]
fn refuses_a_ledger_that_cannot_be_written() {
    if rustix::process::geteuid().is_root() {
        eprintln!("skipped: root can write everything");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    drop(Ledger::open(&path).unwrap());
    let mut rights = std::fs::metadata(&path).unwrap().permissions();
    rights.set_readonly(true);
    std::fs::set_permissions(&path, rights).unwrap();
    assert!(refused(&path).to_string().ends_with("is read-only"));
}

/// A small file system in memory; gone when dropped.
struct Disk(PathBuf);

impl Disk {
    fn mount(at: &Path, size: &str) -> Option<Self> {
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(at)
            .stderr(std::process::Stdio::null())
            .status();
        mounted.is_ok_and(|status| status.success()).then(|| Self(at.to_owned()))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(&self.0).status());
    }
}

fn fill(path: &Path) {
    let mut file = std::fs::File::create(path).unwrap();
    for size in [64 << 10, 512, 1] {
        while file.write_all(&vec![0; size]).is_ok() {}
    }
}

#[test]
fn a_full_disk_stops_the_study_and_loses_no_reply() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = Disk::mount(folder.path(), "2m") else {
        eprintln!("skipped: a file system can be mounted by root alone");
        return;
    };
    let (path, filler) = (disk.0.join("ledger.db"), disk.0.join("filler"));
    let (calls, fills) = (AtomicUsize::new(0), filler.clone());
    let model = Arc::new(Fake {
        concurrency: 2,
        ..Fake::answering("m", move |_, _| {
            if calls.fetch_add(1, Ordering::SeqCst) == 5 {
                fill(&fills);
            }
            // Long enough that no room left over in the ledger's files takes it.
            Ok(Reply { reasoning: Some("x".repeat(60_000)), ..costs("4", 0.5) })
        })
    });
    let study =
        |model: &Arc<Fake>| Study::new(plan(6, 2), Ledger::open(&path).unwrap()).frames(sampler()).model(model.clone());
    let outcome = study(&model).run().unwrap();
    let stopped = outcome.stopped.as_ref().unwrap();
    assert!(stopped.to_string().ends_with("the disk is full"), "{stopped}");
    assert!(stopped.help().unwrap().contains("rescue"), "{:?}", stopped.help());
    assert_eq!(outcome.exit_status(), 1);
    let paid = model.asked();
    assert_eq!(
        (outcome.counts.called, outcome.scores.len()),
        (paid.len() as u64, paid.len()),
        "all paid replies are in the table"
    );

    std::fs::remove_file(&filler).unwrap();
    let rest = Arc::new(Fake::new("m"));
    let outcome = study(&rest).run().unwrap();
    assert_eq!((outcome.counts.cached, outcome.counts.planned), (paid.len() as u64, 18));
    assert!(rest.asked().iter().all(|asked| !paid.contains(asked)), "nothing was paid twice");
    assert_eq!(outcome.exit_status(), 0);
    drop(disk);
}

#[test]
fn the_default_ledger_is_in_the_data_folder() {
    let path = Ledger::default_path().unwrap();
    assert!(path.ends_with("roborm/ledger.db") && path.is_absolute());
}
