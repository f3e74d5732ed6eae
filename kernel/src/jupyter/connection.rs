//! The connection file: where a front expects the kernel to listen, and the key of their messages.

use std::fs::File;
use std::io::Read;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};

use ring::hmac;
use serde::Deserialize;

use super::zmtp::Address;
use crate::engine::{Error, Result};

/// The largest connection file taken, in bytes; one has about 300.
const LARGEST: u64 = 1 << 16;

/// What a connection file says.
#[derive(Debug)]
pub struct Connection {
    pub(super) shell: Address,
    pub(super) control: Address,
    pub(super) stdin: Address,
    pub(super) iopub: Address,
    pub(super) heartbeat: Address,
    /// `None` where messages are not signed.
    pub(super) key: Option<hmac::Key>,
}

#[derive(Deserialize)]
struct Written {
    transport: Option<String>,
    ip: String,
    shell_port: u16,
    control_port: u16,
    stdin_port: u16,
    iopub_port: u16,
    hb_port: u16,
    key: String,
    signature_scheme: Option<String>,
}

impl Connection {
    /// Reads a connection file.
    ///
    /// With `trusting` one is taken too that has no key, or that names an interface which other machines can reach: who
    /// can send to the kernel can do all that its user can.
    ///
    /// # Errors
    /// Where the file cannot be read or is not a connection file, and where it would need `trusting`.
    pub fn read(path: &Path, trusting: bool) -> Result<Self> {
        let mut text = String::new();
        File::open(path)
            .and_then(|file| file.take(LARGEST).read_to_string(&mut text))
            .map_err(|error| Error::io(format_args!("cannot read the connection file {}", path.display()), &error))?;
        Self::parse(&text, trusting).map_err(|error| {
            let placed = Error::new(format!("{}: {error}", path.display()));
            error.help().map_or(placed.clone(), |help| placed.with_help(help))
        })
    }

    fn parse(text: &str, trusting: bool) -> Result<Self> {
        let written: Written = serde_json::from_str(text).map_err(|error| {
            Error::new(format!("not a connection file: {error}"))
                .with_help("a front (JupyterLab, jupyter console) writes this file and starts the kernel with it")
        })?;
        let scheme = written.signature_scheme.as_deref().unwrap_or("hmac-sha256");
        let algorithm = match scheme {
            "hmac-sha256" => hmac::HMAC_SHA256,
            "hmac-sha384" => hmac::HMAC_SHA384,
            "hmac-sha512" => hmac::HMAC_SHA512,
            other => {
                return Err(Error::new(format!("unknown signature scheme '{other}'"))
                    .with_help("hmac-sha256, hmac-sha384 and hmac-sha512 are known"));
            }
        };
        let key = (!written.key.is_empty()).then(|| hmac::Key::new(algorithm, written.key.as_bytes()));
        if key.is_none() && !trusting {
            return Err(Error::new("no key, so that anyone on this machine could run code as you")
                .with_help("let the front make the file with a key, or give --trust-network"));
        }
        let place: Box<dyn Fn(u16) -> Address> = match written.transport.as_deref().unwrap_or("tcp") {
            "tcp" => {
                let ip = interface(&written.ip)?;
                if !ip.is_loopback() && !trusting {
                    return Err(Error::new(format!("the address {ip} can be reached from other machines"))
                        .with_help("use 127.0.0.1 (and an SSH tunnel), or give --trust-network"));
                }
                Box::new(move |port| Address::Tcp(ip, port))
            }
            "ipc" => Box::new(|port| Address::Ipc(PathBuf::from(format!("{}-{port}", written.ip)))),
            other => {
                return Err(Error::new(format!("unknown transport '{other}'")).with_help("tcp and ipc are known"));
            }
        };
        let ports = [
            ("shell_port", written.shell_port),
            ("control_port", written.control_port),
            ("stdin_port", written.stdin_port),
            ("iopub_port", written.iopub_port),
            ("hb_port", written.hb_port),
        ];
        for (number, (name, port)) in ports.iter().enumerate() {
            if *port == 0 {
                return Err(Error::new(format!("{name} is 0")).with_help("the front chooses the ports"));
            }
            if let Some((other, _)) = ports[..number].iter().find(|(_, taken)| taken == port) {
                return Err(Error::new(format!("{other} and {name} are both {port}")));
            }
        }
        Ok(Self {
            shell: place(written.shell_port),
            control: place(written.control_port),
            stdin: place(written.stdin_port),
            iopub: place(written.iopub_port),
            heartbeat: place(written.hb_port),
            key,
        })
    }
}

/// An address as connection files write it.
fn interface(text: &str) -> Result<IpAddr> {
    match text {
        "localhost" => Ok(Ipv4Addr::LOCALHOST.into()),
        "*" => Ok(Ipv4Addr::UNSPECIFIED.into()),
        "[::1]" => Ok(Ipv6Addr::LOCALHOST.into()),
        other => other.parse().map_err(|_| Error::new(format!("ip '{other}' is not an address"))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(change: &[(&str, serde_json::Value)], trusting: bool) -> Result<Connection> {
        let mut file = json!({
            "shell_port": 1, "iopub_port": 2, "stdin_port": 3, "control_port": 4, "hb_port": 5, "ip": "127.0.0.1",
            "key": "secret", "transport": "tcp", "signature_scheme": "hmac-sha256", "kernel_name": "roborm"
        });
        for (name, value) in change {
            file[name] = value.clone();
        }
        Connection::parse(&file.to_string(), trusting)
    }

    #[test]
    fn a_connection_file_is_read() {
        let connection = parse(&[], false).expect("a connection");
        assert_eq!(connection.shell, Address::Tcp(Ipv4Addr::LOCALHOST.into(), 1));
        assert_eq!(connection.heartbeat, Address::Tcp(Ipv4Addr::LOCALHOST.into(), 5));
        let connection = parse(&[("transport", json!("ipc")), ("ip", json!("/run/k"))], false).expect("a connection");
        assert_eq!(connection.iopub, Address::Ipc("/run/k-2".into()));
    }

    #[test]
    fn what_others_could_reach_needs_a_word() {
        for change in [("ip", json!("0.0.0.0")), ("ip", json!("*")), ("ip", json!("192.0.2.7")), ("key", json!(""))] {
            let error = parse(std::slice::from_ref(&change), false).expect_err("refused");
            assert!(error.help().is_some_and(|help| help.contains("--trust-network")), "{error}");
            parse(&[change], true).expect("taken");
        }
    }

    #[test]
    fn what_is_no_connection_file_is_said() {
        for (change, expected) in [
            (("ip", json!("nowhere")), "ip 'nowhere' is not an address"),
            (("hb_port", json!(4)), "control_port and hb_port are both 4"),
            (("hb_port", json!(0)), "hb_port is 0"),
            (("transport", json!("udp")), "unknown transport 'udp'"),
            (("signature_scheme", json!("md5")), "unknown signature scheme 'md5'"),
        ] {
            assert_eq!(parse(&[change], false).expect_err("refused").to_string(), expected);
        }
        for text in ["", "[]", "{}", "\u{0}", "{\"ip\": 7}"] {
            let error = Connection::parse(text, false).expect_err("refused");
            assert!(error.to_string().starts_with("not a connection file: "), "{error}");
        }
    }
}
