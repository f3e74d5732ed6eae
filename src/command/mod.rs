//! The commands that the shell, the prompt and the notebook share.
