//! The shell socket: cells are put in line, all else is answered at once.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use serde_json::json;

use super::desk::{self, Desk};
use super::execution::Job;
use super::message::Request;
use super::zmtp::Identity;
use super::{Shared, control};

/// Answers for as long as the program runs; `questions` takes those that need thought.
pub(super) fn work(
    shared: &Arc<Shared>,
    desk: &Desk,
    requests: &Receiver<(Identity, Request)>,
    questions: &Sender<(Identity, Request)>,
) {
    while let Ok((front, request)) = requests.recv() {
        match request.kind.as_str() {
            "execute_request" => {
                // The thread that runs cells ends when the kernel does.
                let _ = shared.jobs.send(Job::Cell(front, request));
                continue;
            }
            "complete_request" | "inspect_request" | "is_complete_request" => {
                let _ = questions.send((front, request));
                continue;
            }
            "shutdown_request" => {
                control::shutdown(shared, desk, &front, &request);
                continue;
            }
            // Nothing here has the other side of a comm: it is told so at once. What else is said on one is for nobody.
            "comm_open" => shared.outlet.around(&request, || {
                let content = json!({"comm_id": request.content["comm_id"], "data": {}});
                shared.outlet.say(&request.header, "comm_close", &content);
            }),
            "comm_msg" | "comm_close" => shared.outlet.around(&request, || {}),
            kind => {
                let content = match kind {
                    "kernel_info_request" => desk::kernel_info(&shared.version),
                    "history_request" => json!({"status": "ok", "history": shared.history.asked(&request.content)}),
                    "comm_info_request" => json!({"status": "ok", "comms": {}}),
                    _ if kind.ends_with("_request") => json!({
                        "status": "error",
                        "ename": "Unsupported",
                        "evalue": "this kernel does not know such a request",
                        "traceback": [],
                    }),
                    _ => {
                        super::log(&format!("shell: a message of a type that is not known: {kind:.60}"));
                        continue;
                    }
                };
                shared.outlet.around(&request, || desk.reply(&front, &request, &content));
            }
        }
    }
}
