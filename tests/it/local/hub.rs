//! Fetching from the hub, against a small server that answers as the hub does (`/api/models/…?blobs=true`, `/resolve/…`
//! with a reference to another server, ranges) and breaks off, lies or refuses where a test wants it to.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use roborm::reward::Secret;
use roborm::reward::local::{Hub, HubModel, LocalSpec};
use serde_json::json;

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
const CONFIG: &[u8] = b"{\"model_type\": \"qwen3_vl\"}\n";
const TOKENIZER: &[u8] = b"{\"version\": \"1.0\"}\n";
/// By `git hash-object`.
const CONFIG_BLOB: &str = "d9522d441a1230a0cb44f89b8999af8e8a45b27d";
const TOKENIZER_BLOB: &str = "92bdb0aff34a95a7c00546c3d608c984294164ed";
/// By `sha256sum`, of `weights()`.
const WEIGHTS_SHA256: &str = "2cce76c2b4c0bdf4d04fcfea824df6fbff0577d882c223b115ede17efdb738c4";

fn weights() -> Vec<u8> {
    b"weights of a model\n".repeat(5000)
}

/// A request, as far as it matters here.
#[derive(Clone, Debug, PartialEq)]
struct Asked {
    path: String,
    /// The first byte asked for.
    from: Option<usize>,
    token: bool,
}

/// What a server does with a request.
enum Deed {
    /// Status, further headers, body.
    Answer(u16, String, Vec<u8>),
    /// Announces the whole body and breaks off after so many bytes.
    Break(u16, String, Vec<u8>, usize),
}

/// A server on loopback; what it was asked.
struct Server {
    port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    fn start(deed: impl Fn(&Asked, usize) -> Deed + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port on loopback");
        let port = listener.local_addr().expect("bound").port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let noted = asked.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let Some(request) = read(&stream) else { continue };
                let before = {
                    let mut noted = noted.lock().expect("no panic");
                    noted.push(request.clone());
                    noted.iter().filter(|earlier| earlier.path == request.path).count() - 1
                };
                answer(stream, deed(&request, before));
            }
        });
        Self { port, asked }
    }

    fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("no panic").clone()
    }
}

fn read(stream: &TcpStream) -> Option<Asked> {
    let mut lines = BufReader::new(stream).lines();
    let path = lines.next()?.ok()?.split(' ').nth(1)?.to_owned();
    let mut asked = Asked { path, from: None, token: false };
    for line in lines.map_while(Result::ok).take_while(|line| !line.is_empty()) {
        let line = line.to_lowercase();
        if let Some(range) = line.strip_prefix("range: bytes=") {
            asked.from = range.trim_end_matches('-').parse().ok();
        }
        asked.token |= line == "authorization: bearer hf_secret";
    }
    Some(asked)
}

fn answer(mut stream: TcpStream, deed: Deed) {
    let (status, headers, body, end) = match deed {
        Deed::Answer(status, headers, body) => (status, headers, body, usize::MAX),
        Deed::Break(status, headers, body, end) => (status, headers, body, end),
    };
    let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n", body.len());
    // The client may have gone; what it makes of that is what is tested.
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(&body[..body.len().min(end)]);
}

/// The bytes from where they are asked for.
fn part(asked: &Asked, body: &[u8]) -> (u16, String, Vec<u8>) {
    match asked.from {
        None => (200, String::new(), body.to_vec()),
        Some(from) => {
            let range = format!("Content-Range: bytes {from}-{}/{}\r\n", body.len() - 1, body.len());
            (206, range, body[from..].to_vec())
        }
    }
}

/// What the hub lists.
fn listing() -> Vec<u8> {
    json!({"sha": COMMIT, "siblings": [
        {"rfilename": "config.json", "size": CONFIG.len(), "blobId": CONFIG_BLOB},
        {"rfilename": "tokenizer.json", "size": TOKENIZER.len(), "blobId": TOKENIZER_BLOB},
        {"rfilename": "model.safetensors", "size": 95_000, "blobId": "00", "lfs": {"sha256": WEIGHTS_SHA256}},
        // Neither is wanted.
        {"rfilename": "README.md", "size": 7, "blobId": "00"},
        {"rfilename": "../model.safetensors", "size": 7, "blobId": "00"},
    ]})
    .to_string()
    .into_bytes()
}

/// The hub as it should be, its large file with `weights`.
fn good(asked: &Asked, weights: impl FnOnce(&Asked) -> Deed) -> Deed {
    let at = |name: &str| asked.path == format!("/some/model/resolve/{COMMIT}/{name}");
    let small = |body: &[u8]| Deed::Answer(200, String::new(), body.to_vec());
    match &asked.path {
        path if path == "/api/models/some/model/revision/main?blobs=true" => small(&listing()),
        _ if at("config.json") => small(CONFIG),
        _ if at("tokenizer.json") => small(TOKENIZER),
        _ if at("model.safetensors") => weights(asked),
        _ => Deed::Answer(404, String::new(), Vec::new()),
    }
}

fn hub(server: &Server, cache: &Path) -> Hub {
    Hub {
        endpoint: format!("http://127.0.0.1:{}", server.port),
        cache: cache.into(),
        token: None,
        patience: Duration::from_secs(20),
        first_wait: Duration::from_millis(1),
    }
}

fn model() -> HubModel {
    HubModel::parse("some/model").expect("a name")
}

fn refused(hub: &Hub, download: bool) -> (String, Option<String>) {
    let error = hub.locate(&model(), download, &|_| {}).expect_err("no such model");
    (error.to_string(), error.help().map(str::to_owned))
}

/// Everything below a folder that is no folder, in order.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut left = vec![folder.to_owned()];
    while let Some(folder_now) = left.pop() {
        for entry in std::fs::read_dir(folder_now).into_iter().flatten().flatten() {
            match entry.file_type().expect("a kind").is_dir() {
                true => left.push(entry.path()),
                false => found.push(entry.path().strip_prefix(folder).expect("below it").display().to_string()),
            }
        }
    }
    found.sort();
    found
}

#[test]
fn names_of_the_hub() {
    let spec = LocalSpec::parse("hub:some/model@v1.0,dtype=f32,download=yes").expect("a name");
    assert_eq!((spec.hub.as_ref(), spec.download), (Some(&HubModel::parse("some/model@v1.0").expect("a name")), true));
    assert_eq!(spec.folder, Path::new("hub:some/model@v1.0"));
    for (text, message) in [
        ("hub:model", "local:hub:model: 'model' names no model of the hub"),
        ("hub:../model", "local:hub:../model: '../model' names no model of the hub"),
        ("hub:a/b/c", "local:hub:a/b/c: 'a/b/c' names no model of the hub"),
        ("hub:a/b@../c", "local:hub:a/b@../c: 'a/b@../c' names no model of the hub"),
        ("hub:a/b,download=maybe", "local:hub:a/b,download=maybe: download=maybe is not known"),
        ("folder,download=yes", "local:folder,download=yes: download= goes with a model of the hub"),
    ] {
        let error = LocalSpec::parse(text).expect_err(text);
        assert_eq!(error.to_string(), message);
        assert!(error.is_usage());
    }
}

#[test]
fn nothing_is_fetched_unasked() {
    let server = Server::start(|_, _| Deed::Answer(404, String::new(), Vec::new()));
    let cache = tempfile::tempdir().expect("a folder");
    let (message, help) = refused(&hub(&server, cache.path()), false);
    assert_eq!(message, format!("some/model is not in the hub's cache ({})", cache.path().display()));
    assert!(help.expect("a help").ends_with("local:hub:some/model,download=yes"));
    assert_eq!(server.asked(), []);
    assert_eq!(files(cache.path()), [""; 0]);
}

#[test]
fn a_download_goes_on_where_it_broke_off() {
    // The second server stands for the one that holds the hub's large files; it breaks off twice.
    let store = Server::start(|asked, before| {
        let (status, headers, body) = part(asked, &weights());
        match before {
            0 => Deed::Break(status, headers, body, 40_000),
            1 => Deed::Break(status, headers, body, 20_000),
            _ => Deed::Answer(status, headers, body),
        }
    });
    let elsewhere = format!("Location: http://127.0.0.1:{}/blob\r\n", store.port);
    let server = Server::start(move |asked, _| good(asked, |_| Deed::Answer(302, elsewhere.clone(), Vec::new())));
    let cache = tempfile::tempdir().expect("a folder");
    let hub = Hub { token: Secret::new("hf_secret"), ..hub(&server, cache.path()) };
    let told = Mutex::new(Vec::new());
    let found =
        hub.locate(&model(), true, &|line| told.lock().expect("no panic").push(line.to_owned())).expect("fetched");

    let home = cache.path().join("models--some--model");
    assert_eq!(found, home.join("snapshots").join(COMMIT));
    let blob = |name: &str| format!("blobs/{name}");
    let link = |name: &str| format!("snapshots/{COMMIT}/{name}");
    assert_eq!(
        files(&home),
        [
            blob(WEIGHTS_SHA256),
            blob(TOKENIZER_BLOB),
            blob(CONFIG_BLOB),
            "refs/main".into(),
            link("config.json"),
            link("model.safetensors"),
            link("tokenizer.json"),
        ]
    );
    assert_eq!(std::fs::read(found.join("config.json")).expect("a link to a blob"), CONFIG);
    assert_eq!(std::fs::read(found.join("tokenizer.json")).expect("a link to a blob"), TOKENIZER);
    assert_eq!(std::fs::read(found.join("model.safetensors")).expect("a link to a blob"), weights());
    assert_eq!(std::fs::read_to_string(home.join("refs/main")).expect("a name"), COMMIT);

    let from: Vec<_> = store.asked().iter().map(|asked| asked.from).collect();
    // What had come when the connection broke need not be all that was sent; what comes then is never asked for again.
    assert_eq!((from.len(), from[0]), (3, None));
    assert!(
        from[1] <= Some(40_000)
            && from[2] >= from[1]
            && from[2] <= from[1].map_or(Some(20_000), |from| Some(from + 20_000)),
        "{from:?}"
    );
    assert!(server.asked().iter().all(|asked| asked.token), "the hub gets the token");
    assert!(!store.asked().iter().any(|asked| asked.token), "no other server does");
    let told = told.into_inner().expect("no panic");
    assert!(told[0].starts_with("fetching some/model: 3 files, 0.1 MB (0.1 MB of them to come), into "), "{told:?}");
    assert_eq!(told.last().map(String::as_str), Some("some/model: 0.1 MB of 0.1 MB"));

    // Once there, nobody is asked.
    let before = (server.asked().len(), store.asked().len());
    assert_eq!(hub.locate(&model(), false, &|_| {}).expect("in the cache"), found);
    assert_eq!((server.asked().len(), store.asked().len()), before);
}

#[test]
fn what_has_come_is_kept_for_the_next_time() {
    let server = Server::start(|asked, before| {
        good(asked, |asked| {
            let (status, headers, body) = part(asked, &weights());
            // The first byte range comes, then nothing any more until the sixth time.
            match before {
                0 => Deed::Break(status, headers, body, 60_000),
                1..=5 => Deed::Answer(503, String::new(), Vec::new()),
                _ => Deed::Answer(status, headers, body),
            }
        })
    });
    let cache = tempfile::tempdir().expect("a folder");
    let hub = hub(&server, cache.path());
    let (message, help) = refused(&hub, true);
    assert!(message.starts_with("some/model: model.safetensors: "), "{message}");
    assert_eq!(help.as_deref(), Some("what has come is kept: the same command goes on from there"));
    assert!(hub.find(&model()).is_none(), "half a model is none");
    let half = cache.path().join("models--some--model/blobs").join(WEIGHTS_SHA256).with_extension("incomplete");
    let have = std::fs::metadata(&half).expect("what has come").len() as usize;
    let found = hub.locate(&model(), true, &|_| {}).expect("fetched");
    assert_eq!(std::fs::read(found.join("model.safetensors")).expect("a link to a blob"), weights());
    let last = server.asked().pop().expect("asked");
    assert_eq!(last.from, (have > 0).then_some(have));
    assert!(!half.exists());
}

#[test]
fn a_server_without_ranges_sends_all_again() {
    let server = Server::start(|asked, before| {
        good(asked, |_| match before {
            0 => Deed::Break(200, String::new(), weights(), 60_000),
            _ => Deed::Answer(200, String::new(), weights()),
        })
    });
    let cache = tempfile::tempdir().expect("a folder");
    let found = hub(&server, cache.path()).locate(&model(), true, &|_| {}).expect("fetched");
    assert_eq!(std::fs::read(found.join("model.safetensors")).expect("a link to a blob"), weights());
}

#[test]
fn other_bytes_than_the_hub_lists_are_thrown_away() {
    let server = Server::start(|asked, before| {
        good(asked, |_| {
            let mut bytes = weights();
            if before == 0 {
                bytes[50_000] ^= 1;
            }
            Deed::Answer(200, String::new(), bytes)
        })
    });
    let cache = tempfile::tempdir().expect("a folder");
    let hub = hub(&server, cache.path());
    let (message, _) = refused(&hub, true);
    assert_eq!(message, "some/model: model.safetensors came with another checksum than the hub's");
    assert!(!files(cache.path()).iter().any(|file| file.contains(WEIGHTS_SHA256)), "{:?}", files(cache.path()));
    assert!(hub.locate(&model(), true, &|_| {}).is_ok());
}

#[test]
fn what_the_hub_refuses() {
    let cache = tempfile::tempdir().expect("a folder");
    let says = |status: u16, body: &'static str| {
        let server = Server::start(move |_, _| Deed::Answer(status, String::new(), body.into()));
        refused(&hub(&server, cache.path()), true).0
    };
    assert_eq!(says(404, ""), "some/model: there is no such model or revision");
    assert_eq!(says(401, ""), "some/model: not open to all, or not there");
    assert_eq!(says(418, ""), "some/model: the hub answers 418 I'm a teapot");
    assert_eq!(says(500, ""), "some/model: the hub answers 500 Internal Server Error");
    assert_eq!(says(200, "{}"), "some/model: the hub's answer is not understood");
    let siblings = r#"{"sha": "0123456789abcdef0123456789abcdef01234567", "siblings": []}"#;
    assert_eq!(says(200, siblings), "some/model has no config.json");
    assert_eq!(files(cache.path()), [""; 0]);
    let mut away = hub(&Server::start(|_, _| Deed::Answer(200, String::new(), Vec::new())), cache.path());
    away.endpoint = "ftp://hub".into();
    assert_eq!(refused(&away, true).0, "HF_ENDPOINT 'ftp://hub' is no address");
    away = Hub { endpoint: "http://192.0.2.1".into(), token: Secret::new("hf_secret"), ..away };
    assert_eq!(refused(&away, true).0, "http://192.0.2.1/ would get HF_TOKEN in clear text");
}

/// A model's folder in a cache, whole: files as they are, where a download has links to blobs.
fn cached(cache: &Path) -> std::path::PathBuf {
    let home = cache.join("models--some--model");
    let snapshot = home.join("snapshots").join(COMMIT);
    std::fs::create_dir_all(&snapshot).expect("a folder");
    std::fs::create_dir_all(home.join("refs")).expect("a folder");
    std::fs::create_dir_all(home.join("blobs")).expect("a folder");
    std::fs::write(home.join("refs/main"), COMMIT).expect("a file");
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        std::fs::write(snapshot.join(name), "{}").expect("a file");
    }
    home
}

#[test]
fn a_cache_that_is_broken_is_not_called_absent() {
    let nowhere = Server::start(|_, _| Deed::Answer(404, String::new(), Vec::new()));
    let snapshot = format!("snapshots/{COMMIT}");
    type Damage<'a> = &'a dyn Fn(&Path);
    let link = |home: &Path, name: &str| {
        let path = home.join(&snapshot).join(name);
        let _ = std::fs::remove_file(&path);
        std::os::unix::fs::symlink("../../blobs/gone", path).expect("a link");
    };
    let remove = |home: &Path, name: &str| std::fs::remove_file(home.join(&snapshot).join(name)).expect("it was there");
    let index = |home: &Path, text: &str| {
        std::fs::write(home.join(&snapshot).join("model.safetensors.index.json"), text).expect("a file");
    };
    let cases: [(Damage<'_>, &str); 8] = [
        (
            &|home| std::fs::rename(home.join(&snapshot), home.join("snapshots/other")).expect("renamed"),
            "refs/main names snapshots/COMMIT, which is not there",
        ),
        (&|home| std::fs::write(home.join("refs/main"), "\n").expect("a file"), "refs/main is empty"),
        (
            &|home| link(home, "tokenizer.json"),
            "snapshots/COMMIT/tokenizer.json is a link to ../../blobs/gone, which is not there",
        ),
        (&|home| remove(home, "model.safetensors"), "snapshots/COMMIT has no model.safetensors"),
        (
            &|home| {
                remove(home, "model.safetensors");
                std::fs::write(home.join("blobs/ab.incomplete"), "").expect("a file");
                std::fs::write(home.join("blobs/cd.incomplete"), "").expect("a file");
            },
            "snapshots/COMMIT has no model.safetensors; a download broke off (blobs/ab.incomplete and 1 more)",
        ),
        (
            &|home| {
                std::fs::remove_dir_all(home.join("snapshots")).expect("it was there");
                std::fs::remove_dir_all(home.join("refs")).expect("it was there");
                std::fs::write(home.join("blobs/ab.incomplete"), "").expect("a file");
            },
            "there is no refs/main; a download broke off (blobs/ab.incomplete)",
        ),
        (
            &|home| index(home, r#"{"weight_map": {"a": "model-2.safetensors"}}"#),
            "snapshots/COMMIT has no model-2.safetensors",
        ),
        (
            &|home| index(home, "{"),
            "snapshots/COMMIT/model.safetensors.index.json, line 1, column 1: the JSON is cut short here",
        ),
    ];
    for (damage, what) in cases {
        let cache = tempfile::tempdir().expect("a folder");
        let hub = hub(&nowhere, cache.path());
        let home = cached(cache.path());
        assert_eq!(hub.locate(&model(), false, &|_| {}).expect("whole"), home.join(&snapshot));
        damage(&home);
        let (message, help) = refused(&hub, false);
        let said = format!("some/model in the hub's cache is broken: {what} ({})", home.display());
        assert_eq!(message.replace(COMMIT, "COMMIT"), said);
        assert!(help.expect("a help").ends_with("local:hub:some/model,download=yes"));
    }
    assert_eq!(nowhere.asked(), []);
    // Of another revision there is nothing at all.
    let cache = tempfile::tempdir().expect("a folder");
    cached(cache.path());
    let other = HubModel::parse("some/model@v2").expect("a name");
    let error = hub(&nowhere, cache.path()).locate(&other, false, &|_| {}).expect_err("none");
    assert!(error.to_string().starts_with("some/model@v2 is not in the hub's cache"), "{error}");
}

#[test]
fn fetching_puts_a_broken_cache_right() {
    let server = Server::start(|asked, _| good(asked, |_| Deed::Answer(200, String::new(), weights())));
    let cache = tempfile::tempdir().expect("a folder");
    let hub = hub(&server, cache.path());
    let found = hub.locate(&model(), true, &|_| {}).expect("fetched");
    let home = cache.path().join("models--some--model");
    // A blob that is gone, and one that is cut short.
    std::fs::remove_file(home.join("blobs").join(TOKENIZER_BLOB)).expect("it was there");
    std::fs::write(home.join("blobs").join(WEIGHTS_SHA256), "cut").expect("a file");
    assert!(refused(&hub, false).0.contains("tokenizer.json is a link to "));
    assert_eq!(hub.locate(&model(), true, &|_| {}).expect("fetched"), found);
    assert_eq!(std::fs::read(found.join("tokenizer.json")).expect("a link to a blob"), TOKENIZER);
    assert_eq!(std::fs::read(found.join("model.safetensors")).expect("a link to a blob"), weights());
}
