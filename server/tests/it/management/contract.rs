//! `/api/v1` as scripts see it. The rules of each field are tested beside the service layer.

use http::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::on_both_databases;
use crate::support::Signalbox;

async fn two_providers(signalbox: &Signalbox) {
    signalbox
        .provider("a", &["http://127.0.0.1:9/v1".into()], &["small", "large"])
        .await;
    signalbox
        .provider("b", &["http://127.0.0.1:9/v1".into()], &["small", "large"])
        .await;
}

on_both_databases! {
    async fn what_get_gave_put_takes(signalbox) {
        two_providers(&signalbox).await;
        let made = signalbox.route("qwen3", &[("a", "small", Some(100)), ("b", "small", Some(300))]).await;
        let path = format!("/routes/{}", made["id"].as_str().unwrap());
        let (status, read) = signalbox.get(&path).await;
        assert_eq!((status.as_u16(), &read), (200, &made));
        let (status, saved) = signalbox.api(Method::PUT, &path, read.clone()).await;
        assert_eq!(status, 200, "{saved}");
        assert_eq!(saved["targets"], read["targets"]);
        assert_eq!(saved["policy"], read["policy"]);
        assert_eq!(saved["retry"], json!({"attempts": 2, "statuses": [429, 502, 503, 504]}));
        assert_eq!(saved["keep_alive"], true);
        assert_eq!(saved["revision"].as_i64(), read["revision"].as_i64().map(|revision| revision + 1));

        let provider = signalbox.get("/providers").await.1["items"][0].clone();
        let path = format!("/providers/{}", provider["id"].as_str().unwrap());
        let (status, saved) = signalbox.api(Method::PUT, &path, provider.clone()).await;
        assert_eq!(status, 200, "{saved}");
        assert_eq!(saved["credentials"], provider["credentials"]);
    }
}

on_both_databases! {
    async fn what_follows_a_failure_is_stored(signalbox) {
        two_providers(&signalbox).await;
        let route = json!({
            "name": "qwen3",
            "targets": [{"provider": "a", "model": "small"}],
            "fallbacks": [{"provider": "b", "model": "large"}, {"provider": "a", "model": "large"}],
            "retry": {"attempts": 4, "statuses": [500, 404]},
            "keep_alive": false,
        });
        let made = signalbox.create("/routes", route.clone()).await;
        let (_, read) = signalbox.get(&format!("/routes/{}", made["id"].as_str().unwrap())).await;
        for field in ["fallbacks", "retry", "keep_alive"] {
            assert_eq!(read[field], route[field], "{field}");
        }
        let mut refused = route;
        refused["name"] = json!("other");
        refused["retry"] = json!({"attempts": 0, "statuses": [503, 400]});
        let (status, error) = signalbox.api(Method::POST, "/routes", refused).await;
        assert_eq!(status, 422);
        let fields = error["error"]["fields"].as_object().unwrap();
        assert!(fields.keys().eq(["retry.attempts", "retry.statuses[1]"]), "{error}");

        let provider = json!({
            "name": "checked", "kind": "openai", "instances": [{"url": "http://127.0.0.1:9"}],
            "health_check": {"path": "/health", "interval_s": 10},
        });
        let made = signalbox.create("/providers", provider.clone()).await;
        assert_eq!(made["health_check"], provider["health_check"]);
        let path = format!("/providers/{}", made["id"].as_str().unwrap());
        let mut without = made;
        without.as_object_mut().unwrap().remove("health_check");
        let (status, saved) = signalbox.api(Method::PUT, &path, without).await;
        assert_eq!((status.as_u16(), &saved["health_check"]), (200, &Value::Null), "{saved}");
    }
}

on_both_databases! {
    async fn a_stale_or_absent_revision_is_refused(signalbox) {
        two_providers(&signalbox).await;
        let made = signalbox.route("qwen3", &[("a", "small", None)]).await;
        let path = format!("/routes/{}", made["id"].as_str().unwrap());
        let mut first = made.clone();
        first["description"] = json!("first");
        assert_eq!(signalbox.api(Method::PUT, &path, first).await.0, 200);
        let mut second = made.clone();
        second["description"] = json!("second");
        let (status, error) = signalbox.api(Method::PUT, &path, second.clone()).await;
        assert_eq!((status.as_u16(), &error["error"]["code"]), (412, &json!("stale")));
        second.as_object_mut().unwrap().remove("revision");
        let (status, error) = signalbox.api(Method::PUT, &path, second).await;
        assert_eq!(status, 422);
        assert!(error["error"]["fields"]["revision"].is_string(), "{error}");
        assert_eq!(signalbox.get(&path).await.1["description"], "first");
    }
}

on_both_databases! {
    async fn what_is_taken_or_in_use_is_a_conflict(signalbox) {
        two_providers(&signalbox).await;
        let route = signalbox.route("qwen3", &[("a", "small", None)]).await;
        let (status, error) = signalbox
            .api(Method::POST, "/routes", json!({"name": "qwen3", "targets": [{"provider": "a", "model": "small"}]}))
            .await;
        assert_eq!((status.as_u16(), &error["error"]["code"]), (409, &json!("conflict")));

        let providers = signalbox.get("/providers").await.1;
        let path = format!("/providers/{}", providers["items"][0]["id"].as_str().unwrap());
        let (status, error) = signalbox.api(Method::DELETE, &path, Value::Null).await;
        assert_eq!(status, 409);
        assert!(error["error"]["message"].as_str().unwrap().contains("qwen3"), "{error}");

        let key = signalbox.create("/keys", json!({"name": "limited", "routes": ["qwen3"]})).await;
        let route_path = format!("/routes/{}", route["id"].as_str().unwrap());
        let (status, error) = signalbox.api(Method::DELETE, &route_path, Value::Null).await;
        assert_eq!(status, 409);
        assert!(error["error"]["message"].as_str().unwrap().contains("limited"), "{error}");

        let key_path = format!("/keys/{}", key["id"].as_str().unwrap());
        for path in [&key_path, &route_path, &path] {
            assert_eq!(signalbox.api(Method::DELETE, path, Value::Null).await.0, 204, "{path}");
            assert_eq!(signalbox.api(Method::DELETE, path, Value::Null).await.0, 404, "{path}");
        }
    }
}

on_both_databases! {
    async fn lists_are_paged_by_cursor(signalbox) {
        two_providers(&signalbox).await;
        for number in 0..7 {
            signalbox.route(&format!("r{number}"), &[("a", "small", None)]).await;
        }
        let mut names = Vec::new();
        let mut path = "/routes?limit=3".to_owned();
        loop {
            let (status, page) = signalbox.get(&path).await;
            assert_eq!(status, 200, "{page}");
            names.extend(page["items"].as_array().unwrap().iter().map(|route| route["name"].as_str().unwrap().to_owned()));
            let Some(next) = page["next"].as_str() else { break };
            path = format!("/routes?limit=3&after={next}");
        }
        assert_eq!(names, ["r0", "r1", "r2", "r3", "r4", "r5", "r6"]);
        for bad in ["/routes?limit=0", "/routes?limit=x", "/routes?limit=5000", "/routes?after=nonsense"] {
            assert_eq!(signalbox.get(bad).await.0, 422, "{bad}");
        }
    }
}

on_both_databases! {
    async fn a_policy_is_stored_with_its_defaults(signalbox) {
        two_providers(&signalbox).await;
        let jev = json!({
            "name": "jev", "kind": "decision", "instances": [{"url": "http://127.0.0.1:9"}],
            "models": [{"name": "jev-latest", "category": "decision"}],
        });
        let jev = signalbox.create("/providers", jev).await;
        let route = json!({
            "name": "qwen3",
            "targets": [{"provider": "a", "model": "small"}, {"provider": "a", "model": "large"}],
            "policy": {
                "session_affinity": {},
                "decision_service": {
                    "provider": "jev", "model": "jev-latest",
                    "criteria": {"small": "fast and cheap", "large": "strong at reasoning"},
                },
            },
        });
        let route = signalbox.create("/routes", route).await;
        assert_eq!(route["route_by"], "policy");
        let policy = &route["policy"];
        assert_eq!(policy["session_affinity"]["weight"], 1.0);
        assert_eq!(policy["session_affinity"]["keys"][0], json!({"header": "session-id"}));
        assert_eq!(policy["least_inflight"]["enabled"], false);
        assert_eq!(policy["decision_service"]["weight"], 10.0);
        assert_eq!(policy["decision_service"]["provider"], "jev");
        assert_eq!(policy["decision_service"]["timeout_ms"], 3000);

        let path = format!("/providers/{}", jev["id"].as_str().unwrap());
        let (status, error) = signalbox.api(Method::DELETE, &path, Value::Null).await;
        assert_eq!(status, 409);
        assert!(error["error"]["message"].as_str().unwrap().contains("qwen3"), "{error}");
    }
}

#[tokio::test]
async fn refusals_have_one_shape() {
    let signalbox = Signalbox::start().await;
    let missing = format!("/routes/{}", Uuid::nil());
    let table = [
        (Method::GET, missing.as_str(), Value::Null, 404, "not_found"),
        (
            Method::GET,
            "/routes/nonsense",
            Value::Null,
            404,
            "not_found",
        ),
        (Method::GET, "/nonsense", Value::Null, 404, "not_found"),
        (Method::PATCH, "/routes", Value::Null, 405, "malformed"),
        (Method::POST, "/routes", json!([]), 400, "malformed"),
        (
            Method::POST,
            "/routes",
            json!({"name": "x", "targets": "none"}),
            422,
            "invalid",
        ),
        (
            Method::POST,
            "/providers",
            json!({"name": "p", "kind": "carrier-pigeon"}),
            422,
            "invalid",
        ),
        (
            Method::POST,
            "/keys",
            json!({"name": "k", "scopes": ["everything"]}),
            422,
            "invalid",
        ),
    ];
    for (method, path, body, status, code) in table {
        let (found, error) = signalbox.api(method.clone(), path, body).await;
        assert_eq!(
            (found.as_u16(), &error["error"]["code"]),
            (status, &json!(code)),
            "{method} {path}: {error}"
        );
        assert!(error["error"]["message"].as_str().unwrap().len() > 10);
        if status == 422 {
            assert!(
                !error["error"]["fields"].as_object().unwrap().is_empty(),
                "{error}"
            );
        }
    }
    let request = signalbox
        .client
        .post(signalbox.url("/api/v1/routes"))
        .header("cookie", &signalbox.cookie);
    assert_eq!(
        request.body("{\"name\":").send().await.unwrap().status(),
        400
    );
}

#[tokio::test]
async fn a_management_key_may_manage() {
    let signalbox = Signalbox::start().await;
    let made = signalbox
        .create(
            "/keys",
            json!({"name": "terraform", "scopes": ["management"]}),
        )
        .await;
    let call = |key: String| {
        signalbox
            .client
            .get(signalbox.url("/api/v1/keys"))
            .bearer_auth(key)
            .send()
    };
    let answer = call(made["key"].as_str().unwrap().to_owned())
        .await
        .unwrap();
    assert_eq!(answer.status(), 200);
    let list: Value = answer.json().await.unwrap();
    assert_eq!(list["items"][0]["name"], "terraform");
    assert!(
        list["items"][0].get("key").is_none(),
        "the secret shows once"
    );
    for key in ["sb_nonsense", "", "sk-1"] {
        let answer = call(key.to_owned()).await.unwrap();
        assert_eq!(answer.status(), 401, "{key}");
    }
    assert_eq!(
        signalbox
            .client
            .get(signalbox.url("/api/v1/keys"))
            .send()
            .await
            .unwrap()
            .status(),
        401
    );
}
