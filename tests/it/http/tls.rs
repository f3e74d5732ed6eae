//! Certificates: those of the system, and those of a bundle beside them.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;

use roborm::reward::{Environment, FaultKind, ModelOptions, open};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::support::{ask, one, patience};

fn fixture(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tls").join(name)
}

/// A TLS server for localhost that answers every request with the same reply, on a thread that ends with the process.
fn server() -> u16 {
    let certificates = CertificateDer::pem_file_iter(fixture("server.pem")).expect("the fixture");
    let certificates: Vec<_> = certificates.collect::<Result<_, _>>().expect("certificates");
    let key = PrivateKeyDer::from_pem_file(fixture("server.key")).expect("the fixture");
    let config = rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("ring has them")
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .expect("they belong together");
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port on loopback");
    let port = listener.local_addr().expect("bound").port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let Ok(connection) = rustls::ServerConnection::new(Arc::clone(&config)) else { return };
            let mut stream = rustls::StreamOwned::new(connection, stream);
            let mut request = Vec::new();
            let mut buffer = [0; 4096];
            // A client that does not trust the certificate ends here.
            while let Ok(count @ 1..) = stream.read(&mut buffer) {
                request.extend_from_slice(&buffer[..count]);
                if request.ends_with(b"]}]}") {
                    let body = r#"{"choices":[{"finish_reason":"stop","message":{"content":"4"}}]}"#;
                    let head =
                        format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
                    let _ = stream.write_all(&[head.as_bytes(), body.as_bytes()].concat());
                    stream.conn.send_close_notify();
                    let _ = stream.flush();
                    break;
                }
            }
        }
    });
    port
}

#[tokio::test]
async fn a_server_is_trusted_by_a_bundle_and_not_without() {
    let url = format!("https://localhost:{}/v1", server());
    let options = |ca_bundle| ModelOptions {
        base_urls: vec![url.clone()],
        environment: Some(Environment { ca_bundle, ..Environment::default() }),
        patience: patience(),
        ..ModelOptions::default()
    };
    let trusting = open("any", &options(Some(fixture("ca.pem")))).expect("the bundle is read");
    assert_eq!(ask(&*trusting, &one()).await.0.expect("trusted").text, "4");

    // Where the machine has no certificates at all there is no client to distrust it with.
    let Ok(distrusting) = open("any", &options(None)) else { return };
    let fault = ask(&*distrusting, &one()).await.0.expect_err("not trusted");
    assert_eq!((fault.kind, fault.maybe_billed), (FaultKind::Fatal, false));
    assert!(fault.message.contains("certificate"), "{}", fault.message);
}
