//! The OpenAI-compatible client against the stub: requests, replies, faults, money, keys.

mod faults;
mod keys;
mod load;
mod money;
mod providers;
mod requests;
mod support;
mod tls;
