"""jupyter_kernel_test on the installed kernel."""

import unittest

import jupyter_kernel_test


class Kernel(jupyter_kernel_test.KernelTests):
    kernel_name = "roborm"
    language_name = "rust"
    file_extension = ".rs"
    code_hello_world = 'println!("hello, world");'
    code_stderr = 'eprintln!("careful");'
    # What follows a name is typed with it.
    completion_samples = [{"text": ":trajec", "matches": {":trajectories "}}]
    complete_code_samples = ["1 + 1", "fn double(x: i32) -> i32 { x * 2 }", ":trajectories demo"]
    incomplete_code_samples = ["fn double(x: i32) -> i32 {", "let a = (1,", 'let text = "abc']
    invalid_code_samples = ["let a = );"]
    code_generate_error = 'let a: i32 = "text";'
    code_execute_result = [
        {"code": "1 + 1", "result": "2"},
        {"code": "1 + 2", "result": "3"},
        {"code": "1 + 3", "result": "4"},
        {"code": 'df!["a" => [1, 2]]?', "mime": "text/html"},
    ]
    code_display_data = [{"code": "show(&vec![1, 2]);", "mime": "text/plain"}]
    supported_history_operations = ("tail", "range", "search")
    code_history_pattern = "1 ? 1"
    code_inspect_sample = "ScoreTable"


class Welcome(jupyter_kernel_test.IopubWelcomeTests):
    kernel_name = "roborm"
    support_iopub_welcome = True


if __name__ == "__main__":
    unittest.main(verbosity=2)
