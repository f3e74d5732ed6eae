"""Conversations with a kernel: `protocol.py CONNECTION_FILE NAME` holds one, by Python's jupyter_client.

The kernel's language has an order a line (echo.rs). Its evaluator comes up when this script prints its first line.
"""

import socket
import sys
from queue import Empty

from jupyter_client import BlockingKernelClient

FILE = sys.argv[1]
WAIT = 60


class Front(BlockingKernelClient):
    def __init__(self, key=None):
        super().__init__(connection_file=FILE)
        self.load_connection_file()
        if key is not None:
            self.session.key = key
        self.start_channels()

    def shell(self, request):
        """The reply to a request that was sent on the shell channel."""
        while True:
            reply = self.get_shell_msg(timeout=WAIT)
            if reply["parent_header"]["msg_id"] == request:
                return reply

    def control(self, request):
        while True:
            reply = self.get_control_msg(timeout=WAIT)
            if reply["parent_header"]["msg_id"] == request:
                return reply

    def seen(self, request, until="idle"):
        """What all fronts see of a request, up to its idle, as pairs of type and content."""
        found = []
        while True:
            message = self.get_iopub_msg(timeout=WAIT)
            if message["parent_header"].get("msg_id") != request:
                continue
            found.append((message["msg_type"], message["content"]))
            if message["content"].get("execution_state") == until:
                return found

    def ask(self, kind, content, channel="shell"):
        message = self.session.msg(kind, content)
        getattr(self, channel + "_channel").send(message)
        return message["header"]["msg_id"]


def front():
    up()
    front = Front()
    front.wait_for_ready(timeout=WAIT)
    return front


def up():
    print("up", flush=True)


def kernel_info_comes_before_the_evaluator_is_up():
    front = Front()
    front.wait_for_ready(timeout=WAIT)
    info = front.shell(front.kernel_info())["content"]
    assert info["status"] == "ok"
    assert tuple(map(int, info["protocol_version"].split("."))) >= (5, 3)
    assert info["language_info"]["name"] == "rust"
    assert info["language_info"]["file_extension"] == ".rs"
    # On the control channel as well.
    assert front.control(front.ask("kernel_info_request", {}, "control"))["content"] == info
    cell = front.execute("value 1")
    up()
    assert front.shell(cell)["content"]["status"] == "ok"


def help_that_is_asked_for_early_comes_when_the_evaluator_is_up():
    front = Front()
    front.wait_for_ready(timeout=WAIT)
    asked = front.complete("know", 4)
    # It is in line once the kernel has answered what was sent behind it.
    front.shell(front.kernel_info())
    up()
    assert front.shell(asked)["content"]["matches"] == ["knowknow"]


def a_cell_is_answered_in_the_order_of_the_protocol():
    kernel = front()
    for count in (1, 2):
        cell = kernel.execute("out hello\nvalue 7", user_expressions={"a": "value 1\nout quiet", "b": "fail no", "c": "out quiet"})
        reply = kernel.shell(cell)
        assert reply["msg_type"] == "execute_reply"
        content = reply["content"]
        assert (content["status"], content["execution_count"], content["payload"]) == ("ok", count, [])
        assert content["user_expressions"] == {
            "a": {"status": "ok", "data": {"text/plain": "1"}, "metadata": {}},
            "b": {"status": "error", "ename": "Error", "evalue": "no", "traceback": ["no"]},
            "c": {"status": "ok", "data": {}, "metadata": {}},
        }, content
        assert kernel.seen(cell) == [
            ("status", {"execution_state": "busy"}),
            ("execute_input", {"code": "out hello\nvalue 7", "execution_count": count}),
            ("stream", {"name": "stdout", "text": "hello\n"}),
            ("execute_result", {"execution_count": count, "data": {"text/plain": "7"}, "metadata": {}}),
            ("status", {"execution_state": "idle"}),
        ]
    # A cell without a value has no result.
    cell = kernel.execute("")
    assert [kind for kind, _ in kernel.seen(cell)] == ["status", "execute_input", "status"]


def silent_cells_and_those_without_history_are_not_counted():
    kernel = front()
    silent = kernel.execute("out heard\nvalue 1", silent=True)
    assert kernel.shell(silent)["content"]["execution_count"] == 0
    assert [kind for kind, _ in kernel.seen(silent)] == ["status", "stream", "status"]
    unkept = kernel.execute("value 2", store_history=False)
    assert kernel.shell(unkept)["content"]["execution_count"] == 0
    assert kernel.shell(kernel.execute("value 3"))["content"]["execution_count"] == 1
    history = kernel.shell(kernel.history(hist_access_type="tail", n=9, raw=True, output=False))
    assert history["content"]["history"] == [[1, 1, "value 3"]]


def streams_are_gathered_and_stay_in_order():
    kernel = front()
    lines = [f"out {number}" for number in range(2000)]
    cell = kernel.execute("\n".join(lines + ["err careful", "out after", "show thing", "out last"]))
    shown = [(kind, content) for kind, content in kernel.seen(cell) if kind in ("stream", "display_data")]
    assert len(shown) < 60, len(shown)
    merged = []
    for kind, content in shown:
        if kind == "stream" and merged and merged[-1][0] == content["name"]:
            merged[-1][1] += content["text"]
        else:
            merged.append([content.get("name", kind), content.get("text")])
    numbers = "".join(f"{number}\n" for number in range(2000))
    assert merged == [
        ["stdout", numbers], ["stderr", "careful\n"], ["stdout", "after\n"], ["display_data", None], ["stdout", "last\n"]
    ]  # fmt: skip
    # A cell that prints and goes on is heard before it ends.
    cell = kernel.execute("out early\nwait")
    while kernel.get_iopub_msg(timeout=WAIT)["content"] != {"name": "stdout", "text": "early\n"}:
        pass
    kernel.control(kernel.ask("interrupt_request", {}, "control"))
    kernel.shell(cell)


def displays_can_be_shown_anew():
    kernel = front()
    cell = kernel.execute("show a\nshow-as b\nupdate c")
    shown = [(kind, content["data"]["text/plain"], content["transient"]) for kind, content in kernel.seen(cell)[2:-1]]
    one = {"display_id": "one"}
    assert shown == [("display_data", "a", {}), ("display_data", "b", one), ("update_display_data", "c", one)]


def a_failure_aborts_the_cells_that_wait():
    kernel = front()
    cells = [kernel.execute(source) for source in ("wait", "value 1", "value 2")]
    # All three are in line once the kernel has answered what was sent behind them.
    kernel.shell(kernel.kernel_info())
    kernel.control(kernel.ask("interrupt_request", {}, "control"))
    replies = [kernel.shell(cell)["content"] for cell in cells]
    assert [reply["status"] for reply in replies] == ["error", "aborted", "aborted"]
    assert (replies[0]["ename"], replies[0]["traceback"]) == ("Interrupted", ["stopped while it waited"])
    errors = [content for kind, content in kernel.seen(cells[0]) if kind == "error"]
    assert errors == [{"ename": "Interrupted", "evalue": "stopped while it waited", "traceback": ["stopped while it waited"]}]
    for cell in cells[1:]:
        assert [kind for kind, _ in kernel.seen(cell)] == ["status", "status"]
    # Unless the front wants them to go on.
    cells = [kernel.execute("fail no", stop_on_error=False), kernel.execute("value 1")]
    assert [kernel.shell(cell)["content"]["status"] for cell in cells] == ["error", "ok"]


def an_interrupt_is_heard_while_a_cell_runs():
    kernel = front()
    cell = kernel.execute("wait")
    kernel.seen(cell, until="busy")
    reply = kernel.control(kernel.ask("interrupt_request", {}, "control"))
    assert (reply["msg_type"], reply["content"]) == ("interrupt_reply", {"status": "ok"})
    assert kernel.shell(cell)["content"]["ename"] == "Interrupted"
    # One that asks is stopped as well, and one between cells harms no cell.
    cell = kernel.execute("ask name")
    assert kernel.get_stdin_msg(timeout=WAIT)["msg_type"] == "input_request"
    kernel.control(kernel.ask("interrupt_request", {}, "control"))
    assert kernel.shell(cell)["content"]["status"] == "ok"
    assert ("text/plain", "end of input") in [
        item for kind, content in kernel.seen(cell) if kind == "execute_result" for item in content["data"].items()
    ]
    kernel.control(kernel.ask("interrupt_request", {}, "control"))
    assert kernel.shell(kernel.execute("value 1"))["content"]["status"] == "ok"


def help_is_given_while_a_cell_runs():
    kernel = front()
    cell = kernel.execute("wait")
    kernel.seen(cell, until="busy")
    # Places are counted in characters: the source has letters of two bytes and of four.
    source = "é𝄞 know rest"
    reply = kernel.shell(kernel.complete(source, 7))["content"]
    assert (reply["status"], reply["matches"]) == ("ok", ["knowknow"])
    assert (reply["cursor_start"], reply["cursor_end"]) == (3, 7)
    types = reply["metadata"]["_jupyter_types_experimental"]
    assert types == [{"text": "knowknow", "type": "function", "start": 3, "end": 7}]
    reply = kernel.shell(kernel.inspect("known", 5))["content"]
    assert reply == {
        "status": "ok", "found": True, "metadata": {},
        "data": {"text/plain": "a word", "text/markdown": "a *word*"},
    }  # fmt: skip
    asked = kernel.inspect("other", 5)
    assert kernel.shell(asked)["content"]["found"] is False
    # Whoever shows the kernel's state shows the last one it heard of: a cell runs.
    assert [content for _, content in kernel.seen(asked)][-1] == {"execution_state": "idle"}
    assert kernel.seen(cell, until="busy")[-1] == ("status", {"execution_state": "busy"})
    kernel.control(kernel.ask("interrupt_request", {}, "control"))
    kernel.shell(cell)


def whether_a_cell_is_whole():
    kernel = front()
    answers = {"out a": {"status": "complete"}, "out \\": {"status": "incomplete", "indent": "    "}, ")": {"status": "invalid"}}
    for source, expected in answers.items():
        assert kernel.shell(kernel.is_complete(source))["content"] == expected


def cells_of_this_session_are_remembered():
    kernel = front()
    for source in ("value 1", "out x", "value 3"):
        kernel.shell(kernel.execute(source))

    def history(**asked):
        return kernel.shell(kernel.history(**{"raw": True, "output": False, **asked}))["content"]["history"]

    assert history(hist_access_type="tail", n=2) == [[1, 2, "out x"], [1, 3, "value 3"]]
    assert history(hist_access_type="tail", n=2, output=True) == [[1, 2, ["out x", None]], [1, 3, ["value 3", "3"]]]
    assert history(hist_access_type="range", session=0, start=1, stop=2) == [[1, 1, "value 1"]]
    assert history(hist_access_type="search", pattern="value*") == [[1, 1, "value 1"], [1, 3, "value 3"]]


def comms_are_closed_at_once():
    kernel = front()
    opened = kernel.ask("comm_open", {"comm_id": "c1", "target_name": "widget", "data": {}})
    assert kernel.seen(opened)[1:-1] == [("comm_close", {"comm_id": "c1", "data": {}})]
    kernel.ask("comm_msg", {"comm_id": "c1", "data": {}})
    assert kernel.shell(kernel.comm_info())["content"] == {"status": "ok", "comms": {}}


def lines_are_asked_of_the_front_that_runs_the_cell():
    kernel, other = front(), Front()
    other.wait_for_ready(timeout=WAIT)
    for order, password in (("ask", False), ("secret", True)):
        cell = kernel.execute(f"out before\n{order} name?", allow_stdin=True)
        request = kernel.get_stdin_msg(timeout=WAIT)
        assert request["content"] == {"prompt": "name?", "password": password}
        assert request["parent_header"]["msg_id"] == cell
        # What was printed before the question is there already.
        while kernel.get_iopub_msg(timeout=WAIT)["content"].get("text") != "before\n":
            pass
        kernel.input("Ada")
        assert kernel.shell(cell)["content"]["status"] == "ok"
        assert [content["data"] for kind, content in kernel.seen(cell) if kind == "execute_result"] == [{"text/plain": "Ada"}]
    cell = kernel.execute("ask name?", allow_stdin=False)
    assert [content["data"] for kind, content in kernel.seen(cell) if kind == "execute_result"] == [{"text/plain": "end of input"}]
    try:
        raise AssertionError(other.get_stdin_msg(timeout=0.2))
    except Empty:
        pass


def messages_with_a_wrong_signature_are_dropped():
    kernel = front()
    for key in (b"a guess", b""):
        stranger = Front(key=key)
        for channel, kind, content in (
            ("shell", "execute_request", {"code": "out stranger"}),
            ("control", "shutdown_request", {"restart": False}),
        ):
            stranger.ask(kind, content, channel)
    # What came before is dropped by the time that this is answered, each connection by itself: so it is asked twice.
    for _ in range(2):
        cell = kernel.execute("out friend")
        shown = [content for kind, content in kernel.seen(cell) if kind == "stream"]
        assert shown == [{"name": "stdout", "text": "friend\n"}]
    assert kernel.shell(kernel.execute("value 1"))["content"]["execution_count"] == 3


def noise_on_a_port_harms_nobody():
    kernel = front()
    greeting = b"\xff" + bytes(8) + b"\x7f\x03\x00NULL" + bytes(16 + 32)
    for port in (kernel.shell_port, kernel.iopub_port, kernel.stdin_port, kernel.control_port, kernel.hb_port):
        for noise in (
            b"GET / HTTP/1.1\r\n\r\n",
            b"\xff" + bytes(8) + b"\x7f\x01",
            greeting + b"\x00\x01x",
            greeting + b"\x04\x19\x05READY\x0bSocket-Type\x00\x00\x00\xffx",
            greeting + b"\x04\x06\x05READY\x02\xff\xff\xff\xff\xff\xff\xff\xff",
            greeting + b"\x04\x06\x05READY\x01\x00\x00\x05hello",
        ):
            with socket.create_connection(("127.0.0.1", port)) as stream:
                stream.sendall(noise)
    assert kernel.shell(kernel.execute("value 1"))["content"]["status"] == "ok"
    assert kernel.is_alive()


def a_fault_of_the_evaluator_ends_the_cell_and_not_the_kernel():
    kernel = front()
    reply = kernel.shell(kernel.execute("panic of its own"))["content"]
    assert (reply["status"], reply["ename"]) == ("error", "Internal")
    assert "of its own" in reply["evalue"]
    assert kernel.shell(kernel.execute("value 1"))["content"]["status"] == "ok"


def all_fronts_see_all_cells():
    kernel, other = front(), Front()
    other.wait_for_ready(timeout=WAIT)
    cell = kernel.execute("out hello\nvalue 1")
    assert other.seen(cell) == kernel.seen(cell)
    try:
        raise AssertionError(other.get_shell_msg(timeout=0.2))
    except Empty:
        pass


def a_cell_of_ten_megabytes():
    kernel = front()
    cell = kernel.execute("size\n" + "x" * 10_000_000)
    assert [content["data"] for kind, content in kernel.seen(cell) if kind == "execute_result"] == [{"text/plain": "10000005"}]


def a_slow_reader_misses_nothing():
    kernel = front()
    # 90 MB, read after the reply: more than the client's own queue of a thousand messages holds.
    cell = kernel.execute("\n".join(f"show {number} {'x' * 60_000}" for number in range(1500)))
    kernel.shell(cell)
    shown = [content["data"]["text/plain"].split()[0] for kind, content in kernel.seen(cell) if kind == "display_data"]
    assert shown == [str(number) for number in range(1500)]


def requests_of_an_unknown_type_are_answered():
    kernel = front()
    reply = kernel.shell(kernel.ask("telepathy_request", {}))
    assert (reply["msg_type"], reply["content"]["status"]) == ("telepathy_reply", "error")
    kernel.ask("gossip", {})
    assert kernel.shell(kernel.execute("value 1"))["content"]["status"] == "ok"


def shutdown_ends_the_kernel_and_its_cell():
    kernel = front()
    cell = kernel.execute("wait")
    kernel.seen(cell, until="busy")
    asked = kernel.shutdown(restart=True)
    assert kernel.control(asked)["content"] == {"status": "ok", "restart": True}
    told = [content for kind, content in kernel.seen(asked) if kind == "shutdown_reply"]
    assert told == [{"status": "ok", "restart": True}]


if __name__ == "__main__":
    globals()[sys.argv[2]]()
