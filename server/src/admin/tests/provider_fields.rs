//! Every 422 of a provider, with its field.

use super::*;
use crate::testing::on_both_databases;

#[tokio::test]
async fn each_wrong_field_is_named() {
    let bench = Bench::on(Store::connect("sqlite::memory:").await.unwrap()).await;
    let long = "x".repeat(8_001);
    let table = [
        ("/name", json!(""), "name", "Give the provider a name"),
        ("/name", json!("  \n"), "name", "Give the provider a name"),
        ("/name", json!("a/b"), "name", "cannot hold \"/\""),
        ("/name", json!("a\0b"), "name", "control characters"),
        ("/name", json!("a\nb"), "name", "control characters"),
        ("/name", json!("x".repeat(256)), "name", "at most 255"),
        (
            "/name",
            json!("0190a6f2-4e1b-7c3a-9d2e-000000000000"),
            "name",
            "form of an id",
        ),
        ("/instances", json!([]), "instances", "at least one"),
        (
            "/instances/0/url",
            json!(""),
            "instances[0].url",
            "such as http://",
        ),
        (
            "/instances/0/url",
            json!("127.0.0.1:8000"),
            "instances[0].url",
            "such as http://",
        ),
        (
            "/instances/0/url",
            json!("ftp://h"),
            "instances[0].url",
            "http:// and https://",
        ),
        (
            "/instances/0/url",
            json!("http://u:p@h/v1"),
            "instances[0].url",
            "password",
        ),
        (
            "/instances/0/url",
            json!("http://h/v1?key=k"),
            "instances[0].url",
            "credentials",
        ),
        (
            "/instances/0/url",
            json!("http://h/v1#x"),
            "instances[0].url",
            "\"#\"",
        ),
        (
            "/instances/0/url",
            json!("http://169.254.169.254"),
            "instances[0].url",
            "Link-local",
        ),
        (
            "/instances/0/url",
            json!("http://[fe80::1]"),
            "instances[0].url",
            "Link-local",
        ),
        (
            "/instances/0/url",
            json!("http://[::ffff:a9fe:1]"),
            "instances[0].url",
            "Link-local",
        ),
        (
            "/instances",
            json!([{"url": "http://h:8000/v1"}, {"url": "http://H:8000"}]),
            "instances[1].url",
            "Instance 1 has the same base URL",
        ),
        (
            "/instances/0/max_inflight",
            json!(0),
            "instances[0].max_inflight",
            "at least 1",
        ),
        ("/credentials", json!([{}]), "credentials[0]", "either"),
        (
            "/credentials",
            json!([{"id": "0190a6f2-4e1b-7c3a-9d2e-000000000000", "secret": "x"}]),
            "credentials[0]",
            "either",
        ),
        (
            "/credentials",
            json!([{"secret": "good"}, {"id": "0190a6f2-4e1b-7c3a-9d2e-000000000000"}]),
            "credentials[1].id",
            "no credential with this id",
        ),
        (
            "/credentials",
            json!([{"secret": " "}]),
            "credentials[0].secret",
            "Write the secret",
        ),
        (
            "/credentials",
            json!([{"secret": "a\rb"}]),
            "credentials[0].secret",
            "control",
        ),
        (
            "/credentials",
            json!([{"secret": "a\tb"}]),
            "credentials[0].secret",
            "control",
        ),
        (
            "/credentials",
            json!([{"secret": long}]),
            "credentials[0].secret",
            "at most 8000",
        ),
        (
            "/credential_header",
            json!("a b"),
            "credential_header",
            "no header name",
        ),
        (
            "/credential_header",
            json!("Host"),
            "credential_header",
            "set by HTTP",
        ),
        (
            "/credential_header",
            json!("X-Signalbox-Target"),
            "credential_header",
            "by Signalbox",
        ),
        (
            "/headers",
            json!({"a b": "x"}),
            "headers.a b",
            "no header name",
        ),
        ("/headers", json!({"": "x"}), "headers.", "no header name"),
        (
            "/headers",
            json!({"Connection": "x"}),
            "headers.Connection",
            "set by HTTP",
        ),
        (
            "/headers",
            json!({"content-length": "1"}),
            "headers.content-length",
            "set by HTTP",
        ),
        (
            "/headers",
            json!({"Transfer-Encoding": "x"}),
            "headers.Transfer-Encoding",
            "set by HTTP",
        ),
        (
            "/headers",
            json!({"x-signalbox-a": "x"}),
            "headers.x-signalbox-a",
            "by Signalbox",
        ),
        ("/headers", json!({"x-a": "a\nb"}), "headers.x-a", "control"),
        (
            "/headers",
            json!({"x-a": " "}),
            "headers.x-a",
            "Write a value",
        ),
        (
            "/headers",
            json!({"x-a": null}),
            "headers.x-a",
            "needs a value",
        ),
        (
            "/headers",
            json!({"X-A": "1", "x-a": "2"}),
            "headers.x-a",
            "case",
        ),
        (
            "/models",
            json!([{"name": " "}]),
            "models[0].name",
            "Name the model",
        ),
        (
            "/models",
            json!([{"name": "a\0"}]),
            "models[0].name",
            "control",
        ),
        (
            "/models",
            json!([{"name": "x".repeat(501)}]),
            "models[0].name",
            "at most 500",
        ),
        (
            "/models",
            json!([{"name": "m"}, {"name": "n"}, {"name": " m "}]),
            "models[2].name",
            "Model 1 has this name too",
        ),
        (
            "/timeouts/connect_ms",
            json!(0),
            "timeouts.connect_ms",
            "1 to 86,400,000",
        ),
        (
            "/timeouts/first_byte_ms",
            json!(86_400_001),
            "timeouts.first_byte_ms",
            "a day",
        ),
        (
            "/timeouts/idle_ms",
            json!(u64::MAX),
            "timeouts.idle_ms",
            "a day",
        ),
        ("/speaks", json!([]), "speaks", "at least one"),
        (
            "/speaks",
            json!(["chat", "telepathy"]),
            "speaks[1]",
            "Choose one of chat",
        ),
        (
            "/speaks",
            json!(["chat", "chat"]),
            "speaks[1]",
            "named twice",
        ),
        (
            "/health_check",
            json!({"path": " ", "interval_s": 10}),
            "health_check.path",
            "such as /health",
        ),
        (
            "/health_check",
            json!({"path": "health", "interval_s": 10}),
            "health_check.path",
            "begins with a slash",
        ),
        (
            "/health_check",
            json!({"path": "http://h/health", "interval_s": 10}),
            "health_check.path",
            "begins with a slash",
        ),
        (
            "/health_check",
            json!({"path": "/a b", "interval_s": 10}),
            "health_check.path",
            "neither spaces",
        ),
        (
            "/health_check",
            json!({"path": "/a#b", "interval_s": 10}),
            "health_check.path",
            "\"#\"",
        ),
        (
            "/health_check",
            json!({"path": "/gesund-für-alle", "interval_s": 10}),
            "health_check.path",
            "beyond ASCII",
        ),
        (
            "/health_check",
            json!({"path": "/a\nb", "interval_s": 10}),
            "health_check.path",
            "line breaks",
        ),
        (
            "/health_check",
            json!({"path": format!("/{}", "x".repeat(500)), "interval_s": 10}),
            "health_check.path",
            "at most 500",
        ),
        (
            "/health_check",
            json!({"path": "/health", "interval_s": 0}),
            "health_check.interval_s",
            "1 to 3,600",
        ),
        (
            "/health_check",
            json!({"path": "/health", "interval_s": 3_601}),
            "health_check.interval_s",
            "an hour",
        ),
    ];
    for (pointer, value, path, part) in table {
        println!("{pointer} {value}");
        let draft = changed(&provider("p"), pointer, value);
        refused_at(bench.admin.create_provider(draft).await, path, part);
    }
    assert_eq!(bench.published(), 0);
    assert!(
        bench
            .admin
            .list_providers(Default::default())
            .await
            .unwrap()
            .items
            .is_empty()
    );
}

#[tokio::test]
async fn lists_have_an_end() {
    let bench = Bench::on(Store::connect("sqlite::memory:").await.unwrap()).await;
    let many = |count: usize, one: fn(usize) -> Value| (0..count).map(one).collect::<Vec<_>>();
    let table = [
        (
            "instances",
            many(257, |n| json!({"url": format!("http://h{n}")})),
            "at most 256",
        ),
        (
            "credentials",
            many(101, |n| json!({"secret": format!("s{n}")})),
            "at most 100",
        ),
        (
            "models",
            many(10_001, |n| json!({"name": format!("m{n}")})),
            "at most 10000",
        ),
    ];
    for (path, list, part) in table {
        let draft = changed(&provider("p"), &format!("/{path}"), json!(list));
        refused_at(bench.admin.create_provider(draft).await, path, part);
    }
    let headers: serde_json::Map<_, _> = (0..51).map(|n| (format!("x-{n}"), json!("v"))).collect();
    let draft = changed(&provider("p"), "/headers", json!(headers));
    refused_at(
        bench.admin.create_provider(draft).await,
        "headers",
        "at most 50",
    );
}

#[tokio::test]
async fn all_wrong_fields_are_named_at_once_and_no_secret_is_repeated() {
    let bench = Bench::on(Store::connect("sqlite::memory:").await.unwrap()).await;
    let draft: ProviderDraft = read(json!({
        "name": "",
        "kind": "openai",
        "instances": [{"url": "http://u:hunter2@h"}, {"url": "http://h?key=hunter2"}],
        "credentials": [{"secret": "hunter2\n\u{7}hunter2"}],
        "headers": {"x-a": "hunter2\u{7}"},
    }));
    let error = refused(bench.admin.create_provider(draft).await, ErrorCode::Invalid);
    let paths: Vec<_> = error.fields.keys().map(String::as_str).collect();
    assert_eq!(
        paths,
        [
            "credentials[0].secret",
            "headers.x-a",
            "instances[0].url",
            "instances[1].url",
            "name"
        ]
    );
    assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
}

#[tokio::test]
async fn the_operator_may_allow_link_local_addresses() {
    let mut bench = Bench::on(Store::connect("sqlite::memory:").await.unwrap()).await;
    bench.admin.rules.allow_link_local = true;
    let draft = changed(
        &provider("p"),
        "/instances/0/url",
        json!("http://169.254.1.1:8000"),
    );
    bench.admin.create_provider(draft).await.unwrap();
}

on_both_databases! {
    /// The longest that is allowed also fits the database's indexes.
    async fn the_longest_values_are_kept(database: TestDatabase) {
        let bench = Bench::new(&database).await;
        let letters = "\u{1f600}";
        let name = letters.repeat(255);
        let model = letters.repeat(500);
        let draft: ProviderDraft = read(json!({
            "name": name,
            "kind": "anthropic",
            "instances": [{"url": format!("http://h/{}", "x".repeat(1_991)), "max_inflight": u32::MAX}],
            "credentials": [{"secret": "s".repeat(8_000)}],
            "models": [{"name": model}],
            "headers": {"x-a": letters.repeat(2_000)},
            "timeouts": {"connect_ms": 1, "first_byte_ms": 86_400_000, "idle_ms": 1},
            "health_check": {"path": format!("/{}", "x".repeat(499)), "interval_s": 3_600},
        }));
        let made = bench.admin.create_provider(draft).await.unwrap();
        assert_eq!(bench.admin.get_provider(made.id).await.unwrap(), made);
        let draft: RouteDraft = read(json!({
            "name": "r", "targets": [{"provider": name, "model": model}],
        }));
        bench.admin.create_route(draft).await.unwrap();
    }
}
