"""Cells, commands and errors on the installed kernel, by Python's jupyter_client."""

import os
import signal

from jupyter_client.manager import start_new_kernel

WAIT = 60


class Notebook:
    def __init__(self):
        self.manager, self.kernel = start_new_kernel(kernel_name="roborm", startup_timeout=WAIT)

    def run(self, source, **asked):
        """The reply to a cell, and what it showed as pairs of type and content."""
        shown = []

        def hear(message):
            if message["msg_type"] not in ("status", "execute_input"):
                shown.append((message["msg_type"], message["content"]))

        reply = self.kernel.execute_interactive(source, timeout=WAIT, output_hook=hear, **asked)["content"]
        return reply, shown

    def value(self, source):
        reply, shown = self.run(source)
        assert reply["status"] == "ok", reply
        return next(content["data"] for kind, content in shown if kind == "execute_result")

    def text(self, source):
        reply, shown = self.run(source)
        assert reply["status"] == "ok", reply
        return "".join(content["text"] for kind, content in shown if kind == "stream" and content["name"] == "stdout")

    def end(self):
        self.kernel.stop_channels()
        self.manager.shutdown_kernel()


def tests(notebook):
    # Rust and commands share one world.
    assert notebook.run(":open demo")[0]["status"] == "ok"
    assert notebook.value("data()?.len()")["text/plain"] == "8"
    assert notebook.run(":score --model simulated-steady --limit 3 --seed 1")[0]["status"] == "ok"
    table = notebook.value("scores()?")
    assert "<table" in table["text/html"] and "simulated-steady" in table["text/html"]
    assert "image/png" in str(notebook.run(":frames towel --max 2")[1])

    # Streams and displays in the order in which they come.
    reply, shown = notebook.run('println!("one"); show(&2); eprintln!("three"); show(&4); println!("five"); 6')
    assert reply["status"] == "ok", reply
    order = [content.get("text") or content["data"]["text/plain"] for _, content in shown]
    assert order == ["one\n", "2", "three\n", "4", "five\n", "6"], order

    # Several cells in one document: the counter goes up by one.
    first = notebook.run("1")[0]["execution_count"]
    assert notebook.run("2")[0]["execution_count"] == first + 1

    # An error names the place in the cell.
    reply, shown = notebook.run('let a = 1;\nlet b: i32 = "text";')
    assert reply["status"] == "error" and reply["ename"] == "E0308", reply
    assert "text" in "\n".join(reply["traceback"])
    assert [kind for kind, _ in shown] == ["error"]

    # A panic keeps variables.
    notebook.run("let kept = vec![1, 2, 3];")
    assert notebook.run('panic!("no")')[0]["status"] == "error"
    assert notebook.value("kept.len()")["text/plain"] == "3"

    # Lines are asked of the front.
    notebook.kernel.stdin_channel.start()
    asked = []

    def answer(message):
        asked.append(message["content"])
        notebook.kernel.input("Ada")

    reply, shown = notebook.run('input("name? ").unwrap_or_default()', allow_stdin=True, stdin_hook=answer)
    assert reply["status"] == "ok", reply
    assert asked == [{"prompt": "name? ", "password": False}]
    assert "Ada" in shown[-1][1]["data"]["text/plain"]
    # So are those that std reads.
    asked.clear()
    reply, shown = notebook.run("let mut line = String::new(); std::io::stdin().read_line(&mut line)?; line", allow_stdin=True, stdin_hook=answer)
    assert reply["status"] == "ok" and asked == [{"prompt": "", "password": False}], (reply, asked)
    assert shown[-1][1]["data"]["text/plain"] == "Ada\n", shown
    # Where the front takes none, the input is at its end.
    reply, shown = notebook.run("std::io::stdin().lines().count()", allow_stdin=False)
    assert shown[0][1]["name"] == "stderr" and shown[-1][1]["data"]["text/plain"] == "0", shown

    # An interrupt by message, then one by signal; code that does not listen is killed, and the kernel lives.
    for interrupt in (notebook.manager.interrupt_kernel, lambda: os.kill(notebook.manager.provisioner.pid, signal.SIGINT)):
        cell = notebook.kernel.execute('println!("runs"); loop { std::hint::spin_loop(); }')
        while notebook.kernel.get_iopub_msg(timeout=WAIT)["content"].get("text") != "runs\n":
            pass
        interrupt()
        reply = notebook.kernel._recv_reply(cell, timeout=WAIT)["content"]
        assert (reply["status"], reply["ename"]) in [("error", "Interrupted"), ("error", "Died")], reply
        assert notebook.value("6 * 7")["text/plain"] == "42"

    # Help.
    reply = notebook.kernel.complete("ScoreTab", reply=True, timeout=WAIT)["content"]
    assert "ScoreTable" in reply["matches"], reply
    reply = notebook.kernel.inspect("ScoreTable", reply=True, timeout=WAIT)["content"]
    assert reply["found"] and "text/plain" in reply["data"], reply


notebook = Notebook()
try:
    tests(notebook)
    # A second one at the same time has a world of its own.
    second = Notebook()
    try:
        notebook.run("let mine = 1;")
        assert second.run("mine")[0]["status"] == "error"
        assert second.value("1 + 1")["text/plain"] == "2"
    finally:
        second.end()
    # A restart forgets variables and counts from one.
    notebook.manager.restart_kernel()
    notebook.kernel.wait_for_ready(timeout=WAIT)
    reply, _ = notebook.run("mine")
    assert (reply["status"], reply["execution_count"]) == ("error", 1), reply
finally:
    notebook.end()
