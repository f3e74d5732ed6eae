//! Cells that ask a server.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use crate::bench::{Bench, text};

/// A server on this machine that answers everything with one text, for as long as the tests run.
fn server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let answer = |mut stream: TcpStream| {
        let mut asked = Vec::new();
        let mut piece = [0; 1024];
        while !asked.windows(4).any(|end| end == b"\r\n\r\n") {
            let got = stream.read(&mut piece).unwrap();
            asked.extend_from_slice(&piece[..got]);
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello").unwrap();
    };
    std::thread::spawn(move || listener.incoming().for_each(|stream| answer(stream.unwrap())));
    format!("http://{address}/")
}

#[test]
fn a_cell_asks_a_server() {
    let mut bench = Bench::new();
    let url = server();
    // Not by way of a proxy that the surroundings name.
    bench.value(&format!("unsafe {{ std::env::set_var(\"NO_PROXY\", \"*\") }}; let url = {url:?};"));
    assert_eq!(bench.value("reqwest::get(url).await?.text().await?"), "\"hello\"");
    bench.value("let client = reqwest::Client::new();");
    assert_eq!(bench.value("let said = client.get(url).send().await?.text().await?; said"), "\"hello\"");
    // What waits may be called by what is waited for.
    bench.value("fn fetch(url: &str) -> reqwest::Result<String> { wait(wait(reqwest::get(url))?.text()) }");
    assert_eq!(bench.value("fetch(url)?"), "\"hello\"");
    assert_eq!(bench.value("async { fetch(url) }.await?"), "\"hello\"");
    assert_eq!(bench.value("tokio::spawn(async move { fetch(url) }).await??"), "\"hello\"");
}

#[test]
fn what_cannot_wait_says_how_to() {
    let mut bench = Bench::new();
    let said = text(&bench.failure("reqwest::blocking::get(\"http://127.0.0.1:1\")?;"));
    assert!(said.contains("`wait(reqwest::get(url))?`"), "{said}");
    let failure = bench.failure("async { tokio::runtime::Runtime::new().unwrap().block_on(async { 1 }) }.await");
    assert!(text(&failure).contains("say `.await` there"), "{}", text(&failure));
}
