//! Signalbox itself, in this process, on a free port and a fresh database.

use std::net::SocketAddr;
use std::sync::Arc;

use clap::Parser;
use http::{Method, StatusCode};
use serde_json::{Value, json};
use signalbox::assets::Bundle;
use signalbox::cli::{Cli, Command};
use signalbox::inspector::Inspector;
use signalbox::server::Bound;
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::database::TestDatabase;

pub const PASSWORD: &str = "correct horse battery";

/// Which database a test runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Database {
    Sqlite,
    Postgres,
}

pub struct Signalbox {
    pub address: SocketAddr,
    pub database: Arc<TestDatabase>,
    pub data: TempDir,
    pub client: reqwest::Client,
    /// The value of the session's `Cookie` header.
    pub cookie: String,
    /// What pages reach by server functions only.
    pub inspector: Arc<Inspector>,
    stop: CancellationToken,
    running: Option<JoinHandle<()>>,
}

impl Signalbox {
    pub async fn start() -> Self {
        Self::start_on(Database::Sqlite, &[]).await
    }

    pub async fn start_with(flags: &[&str]) -> Self {
        Self::start_on(Database::Sqlite, flags).await
    }

    pub async fn start_on(database: Database, flags: &[&str]) -> Self {
        let database = match database {
            Database::Sqlite => TestDatabase::sqlite(),
            Database::Postgres => TestDatabase::postgres().await,
        };
        Self::start_in(tempfile::tempdir().unwrap(), Arc::new(database), flags).await
    }

    /// A second process on the same database would start the same way.
    pub async fn start_in(data: TempDir, database: Arc<TestDatabase>, flags: &[&str]) -> Self {
        use_tls_provider();
        let folder = data.path().to_str().unwrap().to_owned();
        let mut arguments = vec![
            "signalbox",
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--data-dir",
            &folder,
        ];
        arguments.extend([
            "--database-url",
            database.url(),
            "--admin-password",
            PASSWORD,
        ]);
        arguments.extend(flags);
        let Command::Serve(options) = Cli::parse_from(arguments).command else {
            unreachable!()
        };
        let bound = Bound::bind(&options, Bundle::NONE).await.unwrap();
        let address = bound.address;
        let inspector = Arc::clone(&bound.state.inspector);
        let stop = CancellationToken::new();
        let running = tokio::spawn(bound.run(stop.clone()));
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let mut signalbox = Self {
            address,
            database: Arc::clone(&database),
            data,
            client,
            cookie: String::new(),
            inspector,
            stop,
            running: Some(running),
        };
        let pages_live_here = options.public_url.is_none();
        if pages_live_here {
            signalbox.cookie = signalbox.sign_in().await;
        }
        signalbox
    }

    async fn sign_in(&self) -> String {
        let login = json!({"username": "admin", "password": PASSWORD});
        let answer = self
            .client
            .post(self.url("/api/v1/login"))
            .json(&login)
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 204, "{}", answer.text().await.unwrap());
        let cookie = answer.headers()["set-cookie"].to_str().unwrap();
        cookie.split(';').next().unwrap().to_owned()
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// A call to the management API as the signed-in administrator.
    pub async fn api(&self, method: Method, path: &str, body: Value) -> (StatusCode, Value) {
        let mut request = self
            .client
            .request(method, self.url(&format!("/api/v1{path}")))
            .header("cookie", &self.cookie);
        if !body.is_null() {
            request = request.json(&body);
        }
        let answer = request.send().await.unwrap();
        let status = answer.status();
        let text = answer.text().await.unwrap();
        let value = if text.is_empty() {
            Value::Null
        } else {
            serde_json::from_str(&text).expect(&text)
        };
        (status, value)
    }

    pub async fn get(&self, path: &str) -> (StatusCode, Value) {
        self.api(Method::GET, path, Value::Null).await
    }

    /// POST that must succeed; answers what was made.
    pub async fn create(&self, path: &str, body: Value) -> Value {
        let (status, made) = self.api(Method::POST, path, body).await;
        assert_eq!(status, 201, "{made}");
        made
    }

    /// A provider with one instance a URL, a credential and the models.
    pub async fn provider(&self, name: &str, urls: &[String], models: &[&str]) -> Value {
        let instances: Vec<Value> = urls.iter().map(|url| json!({"url": url})).collect();
        let models: Vec<Value> = models
            .iter()
            .map(|name| json!({"name": name, "category": "llm"}))
            .collect();
        let credentials = json!([{"secret": format!("upstream-secret-of-{name}")}]);
        let body = json!({
            "name": name, "kind": "openai", "instances": instances, "models": models, "credentials": credentials,
        });
        self.create("/providers", body).await
    }

    /// A route over (provider, model, weight).
    pub async fn route(&self, name: &str, targets: &[(&str, &str, Option<u32>)]) -> Value {
        let targets: Vec<Value> = targets
            .iter()
            .map(|(provider, model, weight)| json!({"provider": provider, "model": model, "weight": weight}))
            .collect();
        self.create("/routes", json!({"name": name, "targets": targets}))
            .await
    }

    /// An inference key for all routes.
    pub async fn key(&self) -> String {
        let made = self.create("/keys", json!({"name": "test"})).await;
        made["key"].as_str().unwrap().to_owned()
    }

    /// `POST /v1/chat/completions`.
    pub fn chat(&self, key: &str, body: impl Into<reqwest::Body>) -> reqwest::RequestBuilder {
        self.post_v1("/v1/chat/completions", key, body)
    }

    /// An application's request.
    pub fn post_v1(
        &self,
        path: &str,
        key: &str,
        body: impl Into<reqwest::Body>,
    ) -> reqwest::RequestBuilder {
        self.client
            .post(self.url(path))
            .bearer_auth(key)
            .header("content-type", "application/json")
            .body(body)
    }

    /// Stops as SIGTERM does, and waits for the end.
    pub async fn stop(mut self) -> TempDir {
        self.stop.cancel();
        if let Some(running) = self.running.take() {
            running.await.unwrap();
        }
        std::mem::replace(&mut self.data, tempfile::tempdir().unwrap())
    }

    pub fn begin_stop(&self) {
        self.stop.cancel();
    }
}

impl Drop for Signalbox {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// What reqwest wants before a client is built.
pub fn use_tls_provider() {
    // Another test may have chosen the same provider already.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// The same test on SQLite and on Postgres.
#[macro_export]
macro_rules! on_both_databases {
    ($(#[$meta:meta])* async fn $name:ident($signalbox:ident) $body:block) => {
        $(#[$meta])*
        mod $name {
            use super::*;

            async fn body($signalbox: $crate::support::Signalbox) $body

            #[tokio::test]
            async fn sqlite() {
                body($crate::support::Signalbox::start_on($crate::support::Database::Sqlite, &[]).await).await;
            }

            #[tokio::test]
            async fn postgres() {
                body($crate::support::Signalbox::start_on($crate::support::Database::Postgres, &[]).await).await;
            }
        }
    };
}
