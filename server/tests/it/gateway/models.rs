//! `GET /v1/models` and `GET /v1/models/{id}`.

use serde_json::{Value, json};

use crate::support::{MockUpstream, Signalbox};

async fn get(signalbox: &Signalbox, key: &str, path: &str) -> (u16, Value) {
    let answer = signalbox
        .client
        .get(signalbox.url(path))
        .bearer_auth(key)
        .send()
        .await
        .unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

fn ids(list: &Value) -> Vec<&str> {
    list["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|model| model["id"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn a_key_sees_the_routes_it_may_use() {
    let upstream = MockUpstream::friendly().await;
    let signalbox = Signalbox::start().await;
    signalbox.provider("local", &[upstream.url()], &["m"]).await;
    for name in ["qwen3", "Qwen/Qwen3-32B", "team:small-v1.2"] {
        signalbox.route(name, &[("local", "m", None)]).await;
    }
    let off = json!([{"provider": "local", "model": "m"}]);
    signalbox
        .create(
            "/routes",
            json!({"name": "off", "enabled": false, "targets": off}),
        )
        .await;
    let key = signalbox.key().await;
    let limited = signalbox
        .create("/keys", json!({"name": "l", "routes": ["team:small-v1.2"]}))
        .await;
    let limited = limited["key"].as_str().unwrap();

    let (status, list) = get(&signalbox, &key, "/v1/models").await;
    assert_eq!((status, &list["object"]), (200, &json!("list")));
    assert_eq!(ids(&list), ["Qwen/Qwen3-32B", "qwen3", "team:small-v1.2"]);
    assert_eq!(
        ids(&get(&signalbox, limited, "/v1/models").await.1),
        ["team:small-v1.2"]
    );

    for path in [
        "Qwen/Qwen3-32B",
        "Qwen%2FQwen3-32B",
        "team:small-v1.2",
        "team%3Asmall-v1.2",
    ] {
        let (status, model) = get(&signalbox, &key, &format!("/v1/models/{path}")).await;
        assert_eq!(status, 200, "{path}: {model}");
        assert_eq!(model["object"], "model");
    }
    for path in [
        "off",
        "nowhere",
        "..%2f..",
        "..%2f..%2fapi%2fv1%2froutes",
        "%00",
    ] {
        let (status, body) = get(&signalbox, &key, &format!("/v1/models/{path}")).await;
        assert_eq!(
            (status, &body["error"]["code"]),
            (404, &json!("model_not_found")),
            "{path}"
        );
    }
    assert_eq!(
        get(&signalbox, limited, "/v1/models/qwen3").await.0,
        404,
        "not even its name is told"
    );
    assert_eq!(get(&signalbox, "sb_nonsense", "/v1/models").await.0, 401);
}

#[tokio::test]
async fn anthropics_dialect_has_its_own_list() {
    let upstream = MockUpstream::friendly().await;
    let signalbox = Signalbox::start().await;
    signalbox.provider("local", &[upstream.url()], &["m"]).await;
    signalbox.route("qwen3", &[("local", "m", None)]).await;
    let key = signalbox.key().await;
    let request = signalbox.client.get(signalbox.url("/v1/models"));
    let answer = request
        .header("x-api-key", key)
        .header("anthropic-version", "2023-06-01")
        .send()
        .await
        .unwrap();
    let list: Value = answer.json().await.unwrap();
    assert_eq!(list["data"][0]["type"], "model");
    assert_eq!(
        (&list["first_id"], &list["has_more"]),
        (&json!("qwen3"), &json!(false))
    );
}
