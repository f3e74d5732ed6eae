//! kill -9 at chosen rows of a ledger.

use std::path::Path;
use std::process::Child;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

/// Kills the program when its ledger has at least `rows` replies.
pub fn kill_at(mut program: Child, ledger: &Path, rows: u64) {
    wait_for(&mut program, ledger, rows);
    program.kill().expect("SIGKILL");
    program.wait().expect("it is dead");
}

/// Waits until the program's ledger has at least `rows` replies.
pub fn wait_for(program: &mut Child, ledger: &Path, rows: u64) {
    while replies(ledger).is_none_or(|replies| replies < rows) {
        if let Some(status) = program.try_wait().expect("the program can be asked") {
            panic!("it ended ({status}) before row {rows} was seen");
        }
        // The ledger is another process's: there is nothing to wait on but the file.
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Replies in a ledger, where it is there already.
pub fn replies(ledger: &Path) -> Option<u64> {
    let db = Connection::open_with_flags(ledger, OpenFlags::SQLITE_OPEN_READ_ONLY).ok()?;
    db.query_row("SELECT count(*) FROM replies", (), |row| row.get::<_, i64>(0)).ok().map(|count| count as u64)
}
