//! The control socket: what must be heard while a cell runs.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use serde_json::json;

use super::Shared;
use super::desk::{self, Desk};
use super::message::Request;
use super::zmtp::Identity;

/// Answers for as long as the program runs.
pub(super) fn work(shared: &Arc<Shared>, desk: &Desk, requests: &Receiver<(Identity, Request)>) {
    while let Ok((front, request)) = requests.recv() {
        match request.kind.as_str() {
            "interrupt_request" => shared.outlet.around(&request, || {
                shared.interrupt();
                desk.reply(&front, &request, &json!({"status": "ok"}));
            }),
            "shutdown_request" => shutdown(shared, desk, &front, &request),
            "kernel_info_request" => {
                shared.outlet.around(&request, || desk.reply(&front, &request, &desk::kernel_info(&shared.version)))
            }
            other => {
                super::log(&format!("control: a message of a type that is not known: {other:.60}"));
                shared.outlet.around(&request, || {});
            }
        }
    }
}

/// Older fronts send it on the shell socket.
pub(super) fn shutdown(shared: &Arc<Shared>, desk: &Desk, front: &Identity, request: &Request) {
    let content = json!({"status": "ok", "restart": request.flag("restart", false)});
    shared.outlet.around(request, || {
        desk.reply(front, request, &content);
        // The other fronts are told too.
        shared.outlet.say(&request.header, "shutdown_reply", &content);
    });
    shared.stop();
}
