//! The protocol, message by message: a kernel in this process, `protocol.py` in another.

use std::io::{BufRead, BufReader, Read};
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;

use roborm_kernel::jupyter::{Connection, Kernel};
use serde_json::json;

use super::{echo, python};

/// A connection file on ports that are free.
pub fn connection_file(folder: &tempfile::TempDir) -> PathBuf {
    // All at once, so that they differ.
    let listeners = [(); 5].map(|()| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap());
    let [shell, iopub, stdin, control, hb] = listeners.each_ref().map(|l| l.local_addr().unwrap().port());
    let path = folder.path().join("kernel-ü 1.json");
    let written = json!({
        "shell_port": shell, "iopub_port": iopub, "stdin_port": stdin, "control_port": control, "hb_port": hb,
        "ip": "127.0.0.1", "key": "a secret", "transport": "tcp", "signature_scheme": "hmac-sha256",
    });
    std::fs::write(&path, written.to_string()).unwrap();
    path
}

/// Holds one conversation of `protocol.py`. The evaluator comes up when the script prints a line. `ends`: it ends the
/// kernel.
fn conversation(name: &str, ends: bool) {
    let Some(python) = python::interpreter() else { return };
    let folder = tempfile::tempdir().unwrap();
    let open = || {
        let file = connection_file(&folder);
        let (open, gate) = channel();
        Kernel::open(Connection::read(&file, false).unwrap(), echo::language(gate)).map(|kernel| (file, open, kernel))
    };
    // Somebody else may have taken one of the ports meanwhile, but not every time.
    let (file, open, kernel) = open().or_else(|_| open()).or_else(|_| open()).unwrap();
    let handle = kernel.handle();
    let running = std::thread::spawn(move || kernel.run());
    let mut client = Command::new(python)
        .arg(python::script("protocol.py"))
        .arg(&file)
        .arg(name)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(client.stdout.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    drop(open);
    let mut rest = String::new();
    said.read_to_string(&mut rest).unwrap();
    python::passed(&client.wait_with_output().unwrap());
    if !ends {
        handle.stop();
    }
    running.join().unwrap();
}

macro_rules! conversations {
    ($($name:ident),+ $(,)?) => {
        $(#[test]
        fn $name() {
            conversation(stringify!($name), false);
        })+
    };
}

conversations!(
    kernel_info_comes_before_the_evaluator_is_up,
    help_that_is_asked_for_early_comes_when_the_evaluator_is_up,
    a_cell_is_answered_in_the_order_of_the_protocol,
    silent_cells_and_those_without_history_are_not_counted,
    streams_are_gathered_and_stay_in_order,
    displays_can_be_shown_anew,
    a_failure_aborts_the_cells_that_wait,
    an_interrupt_is_heard_while_a_cell_runs,
    help_is_given_while_a_cell_runs,
    whether_a_cell_is_whole,
    cells_of_this_session_are_remembered,
    comms_are_closed_at_once,
    lines_are_asked_of_the_front_that_runs_the_cell,
    messages_with_a_wrong_signature_are_dropped,
    noise_on_a_port_harms_nobody,
    a_fault_of_the_evaluator_ends_the_cell_and_not_the_kernel,
    all_fronts_see_all_cells,
    a_cell_of_ten_megabytes,
    a_slow_reader_misses_nothing,
    requests_of_an_unknown_type_are_answered,
);

#[test]
fn shutdown_ends_the_kernel_and_its_cell() {
    conversation("shutdown_ends_the_kernel_and_its_cell", true);
}

#[test]
fn a_port_in_use_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = connection_file(&folder);
    let port = serde_json::from_str::<serde_json::Value>(&std::fs::read_to_string(&file).unwrap()).unwrap()["hb_port"]
        .as_u64()
        .unwrap();
    let _taken = TcpListener::bind((Ipv4Addr::LOCALHOST, port as u16)).unwrap();
    let (_open, gate) = channel();
    let error = Kernel::open(Connection::read(&file, false).unwrap(), echo::language(gate)).err().unwrap();
    assert!(error.to_string().starts_with(&format!("cannot listen at 127.0.0.1:{port}: ")), "{error}");
    assert!(error.help().is_some());
}
