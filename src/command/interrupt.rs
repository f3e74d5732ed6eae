//! Ctrl-C while a study runs.

use crate::study::Cancel;

/// From now on, the first Ctrl-C sends no more calls and waits for those under way, the second does not wait, the third
/// ends the program on the spot. What was paid for is in the ledger in every case. Before, Ctrl-C ends the program as
/// always: a command that spends nothing has nothing to keep.
pub(super) fn listen(cancel: &Cancel) {
    let cancel = cancel.clone();
    let listen = move || {
        // Without a runtime or a handler Ctrl-C does what it always does: nothing is lost but comfort.
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        runtime.block_on(async move {
            for count in 1.. {
                if tokio::signal::ctrl_c().await.is_err() {
                    return;
                }
                match count {
                    1 => cancel.cancel(),
                    2 => cancel.abandon(),
                    _ => std::process::exit(130),
                }
            }
        });
    };
    drop(std::thread::Builder::new().name("roborm-interrupt".to_owned()).spawn(listen));
}
