//! Tables, pictures and progress on a terminal.
