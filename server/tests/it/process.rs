//! The binary itself: its files, its exits, its sentences at the terminal.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

const BINARY: &str = env!("CARGO_BIN_EXE_signalbox");

fn command(data: &Path, verb: &str) -> Command {
    let mut command = Command::new(BINARY);
    command
        .arg(verb)
        .arg("--data-dir")
        .arg(data)
        .env_clear()
        .kill_on_drop(true);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn serve(data: &Path) -> Command {
    let mut command = command(data, "serve");
    command.args(["--listen", "127.0.0.1:0"]);
    command
}

/// Starts and waits for the address; answers the log so far too.
async fn started(command: Command) -> (Child, String, String) {
    started_logging_to(command, Path::new("/dev/null")).await
}

async fn started_logging_to(mut command: Command, file: &Path) -> (Child, String, String) {
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut log = String::new();
    let address = loop {
        let line = tokio::time::timeout(Duration::from_secs(60), lines.next_line())
            .await
            .unwrap()
            .unwrap();
        let line = line.unwrap_or_else(|| panic!("it ended: {log}"));
        log.push_str(&line);
        log.push('\n');
        if let Some((_, address)) = line.split_once("listens on ") {
            break address.split_whitespace().next().unwrap().to_owned();
        }
    };
    std::fs::write(file, &log).unwrap();
    let mut file = std::fs::OpenOptions::new().append(true).open(file).unwrap();
    tokio::spawn(async move {
        while let Ok(Some(line)) = lines.next_line().await {
            writeln!(file, "{line}").unwrap();
        }
    });
    (child, address, log)
}

async fn terminate(mut child: Child) -> i32 {
    let id = child.id().unwrap().to_string();
    assert!(
        Command::new("kill")
            .args(["-TERM", &id])
            .status()
            .await
            .unwrap()
            .success()
    );
    tokio::time::timeout(Duration::from_secs(60), child.wait())
        .await
        .unwrap()
        .unwrap()
        .code()
        .unwrap()
}

async fn refused(mut command: Command) -> String {
    let output: Output = tokio::time::timeout(Duration::from_secs(60), command.output())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8(output.stderr).unwrap()
}

async fn sign_in(address: &str, password: &str) -> u16 {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let body = json!({"username": "admin", "password": password});
    client
        .post(format!("{address}/api/v1/login"))
        .json(&body)
        .send()
        .await
        .unwrap()
        .status()
        .as_u16()
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn a_first_start_makes_what_it_needs_and_a_stop_exits_with_0() {
    crate::support::use_tls_provider();
    let data = TempDir::new().unwrap();
    let (child, address, log) = started(serve(data.path())).await;
    let password_file = data.path().join("initial_admin_password");
    assert_eq!(log.matches("initial_admin_password").count(), 1, "{log}");
    for name in ["initial_admin_password", "secret.key", "signalbox.db"] {
        assert_eq!(mode(&data.path().join(name)), 0o600, "{name}");
    }
    let password = std::fs::read_to_string(&password_file).unwrap();
    assert!(!log.contains(password.trim()), "the password is in the log");
    assert_eq!(sign_in(&address, password.trim()).await, 204);
    assert_eq!(terminate(child).await, 0);

    let (child, address, log) = started(
        serve(data.path())
            .arg("--admin-password")
            .arg("ignored later")
            .take(),
    )
    .await;
    assert!(!log.contains("initial_admin_password"), "{log}");
    assert_eq!(sign_in(&address, "ignored later").await, 401);
    assert_eq!(
        sign_in(&address, password.trim()).await,
        204,
        "the first password stays"
    );
    assert_eq!(terminate(child).await, 0);
}

#[tokio::test]
async fn another_secret_key_is_refused() {
    let data = TempDir::new().unwrap();
    let (child, ..) = started(serve(data.path())).await;
    terminate(child).await;
    std::fs::write(data.path().join("secret.key"), "ab".repeat(32)).unwrap();
    let said = refused(serve(data.path())).await;
    assert!(said.contains("does not fit this database"), "{said}");

    std::fs::write(data.path().join("secret.key"), "nonsense").unwrap();
    let said = refused(serve(data.path())).await;
    assert!(
        said.contains("64 hexadecimal characters") && !said.contains("nonsense"),
        "{said}"
    );
}

#[tokio::test]
async fn what_cannot_start_says_why() {
    let data = TempDir::new().unwrap();
    let said = refused(
        serve(data.path())
            .args(["--admin-password", "short"])
            .take(),
    )
    .await;
    assert!(said.contains("at least 8 characters"), "{said}");
    let said = refused(
        serve(data.path())
            .args(["--public-url", "box.example.com"])
            .take(),
    )
    .await;
    assert!(said.contains("--public-url"), "{said}");
    let said = refused(
        serve(data.path())
            .args(["--database-url", "mysql://h/db"])
            .take(),
    )
    .await;
    assert!(said.contains("sqlite://"), "{said}");

    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let said = refused(
        command(data.path(), "serve")
            .args(["--listen", &address])
            .take(),
    )
    .await;
    assert!(said.contains(&address), "{said}");
}

#[tokio::test]
async fn a_reset_password_counts_and_the_old_one_does_not() {
    crate::support::use_tls_provider();
    let data = TempDir::new().unwrap();
    let (child, ..) = started(
        serve(data.path())
            .args(["--admin-password", "first password"])
            .take(),
    )
    .await;
    terminate(child).await;
    assert!(!data.path().join("initial_admin_password").exists());

    let output = command(data.path(), "reset-password")
        .output()
        .await
        .unwrap();
    assert!(output.status.success());
    let said = String::from_utf8(output.stdout).unwrap();
    let made = said.lines().next().unwrap().rsplit(' ').next().unwrap();
    let output = command(data.path(), "reset-password")
        .args(["--password", "short"])
        .output()
        .await
        .unwrap();
    assert!(!output.status.success());

    let (child, address, _) = started(serve(data.path())).await;
    assert_eq!(sign_in(&address, "first password").await, 401);
    assert_eq!(sign_in(&address, made).await, 204);
    terminate(child).await;
}

#[tokio::test]
async fn secrets_are_in_no_log_however_much_is_logged() {
    crate::support::use_tls_provider();
    const CREDENTIAL: &str = "sk-upstream-credential-4711";
    const FOREIGN: &str = "sk-of-another-service-0815";
    const PASSWORD: &str = "password-nobody-may-see";
    let upstream = crate::support::MockUpstream::friendly().await;
    let data = TempDir::new().unwrap();
    let mut command = serve(data.path());
    let log = data.path().join("log");
    command.args(["--log", "debug", "--admin-password", PASSWORD]);
    let (child, address, first) = started_logging_to(command, &log).await;
    assert!(first.contains("DEBUG"), "{first}");

    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let login = json!({"username": "admin", "password": PASSWORD});
    let answer = client
        .post(format!("{address}/api/v1/login"))
        .json(&login)
        .send()
        .await
        .unwrap();
    let cookie = answer.headers()["set-cookie"]
        .to_str()
        .unwrap()
        .split(';')
        .next()
        .unwrap()
        .to_owned();
    let make = |path: &str, body: serde_json::Value| {
        let request = client
            .post(format!("{address}/api/v1{path}"))
            .header("cookie", &cookie)
            .json(&body);
        async move {
            request
                .send()
                .await
                .unwrap()
                .json::<serde_json::Value>()
                .await
                .unwrap()
        }
    };
    make("/providers", json!({
        "name": "p", "kind": "openai", "instances": [{"url": upstream.url()}], "models": [{"name": "m"}],
        "credentials": [{"secret": CREDENTIAL}],
    }))
    .await;
    make("/providers", json!({
        "name": "bad", "kind": "openai", "instances": [{"url": format!("http://u:{CREDENTIAL}@h/v1")}],
        "credentials": [{"secret": format!("{CREDENTIAL}\n")}],
    }))
    .await;
    make(
        "/routes",
        json!({"name": "r", "targets": [{"provider": "p", "model": "m"}]}),
    )
    .await;
    let key = make("/keys", json!({"name": "k"})).await["key"]
        .as_str()
        .unwrap()
        .to_owned();
    for bearer in [key.as_str(), FOREIGN] {
        let request = client
            .post(format!("{address}/v1/chat/completions?key={FOREIGN}"))
            .bearer_auth(bearer);
        request
            .header("content-type", "application/json")
            .body(r#"{"model":"r"}"#)
            .send()
            .await
            .unwrap();
    }
    assert_eq!(upstream.count(), 1);
    assert_eq!(sign_in(&address, "wrong-password-4242").await, 401);
    assert_eq!(terminate(child).await, 0);

    let log = std::fs::read_to_string(log).unwrap();
    let session = cookie.split_once('=').unwrap().1;
    for secret in [
        CREDENTIAL,
        FOREIGN,
        PASSWORD,
        "wrong-password-4242",
        session,
        key.rsplit_once('_').unwrap().1,
    ] {
        assert!(!log.contains(secret), "{secret} is in the log:\n{log}");
    }
}

/// `Command` is built by reference; a test wants to hand it on.
trait Take {
    fn take(&mut self) -> Command;
}

impl Take for Command {
    fn take(&mut self) -> Command {
        std::mem::replace(self, Command::new(BINARY))
    }
}
