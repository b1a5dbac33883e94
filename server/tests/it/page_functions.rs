//! The server functions behind the pages: what the management API does not have.

use http::Method;
use serde_json::{Value, json};

use crate::on_both_databases;
use crate::support::{MockUpstream, PASSWORD, Signalbox};

/// Calls `/fn/{name}` with a session; answers status, body and the new cookie if one was set.
async fn call(
    signalbox: &Signalbox,
    cookie: &str,
    name: &str,
    body: Value,
) -> (u16, Value, Option<String>) {
    let request = signalbox
        .client
        .post(signalbox.url(&format!("/fn/{name}")))
        .header("cookie", cookie);
    let answer = request.json(&body).send().await.unwrap();
    let status = answer.status().as_u16();
    let set = answer
        .headers()
        .get("set-cookie")
        .map(|value| value.to_str().unwrap().to_owned());
    let cookie = set.map(|set| set.split(';').next().unwrap().to_owned());
    (status, answer.json().await.unwrap_or_default(), cookie)
}

async fn sign_in(signalbox: &Signalbox, password: &str) -> Option<String> {
    let body = json!({"username": "admin", "password": password});
    let answer = signalbox
        .client
        .post(signalbox.url("/api/v1/login"))
        .json(&body)
        .send()
        .await
        .unwrap();
    let set = answer
        .headers()
        .get("set-cookie")?
        .to_str()
        .unwrap()
        .to_owned();
    Some(set.split(';').next().unwrap().to_owned())
}

on_both_databases! {
    async fn sessions_are_listed_and_ended(signalbox) {
        let here = signalbox.cookie.clone();
        let elsewhere = sign_in(&signalbox, PASSWORD).await.unwrap();
        let third = sign_in(&signalbox, PASSWORD).await.unwrap();

        let (status, sessions, _) = call(&signalbox, &here, "list-sessions", json!({})).await;
        assert_eq!(status, 200);
        let sessions = sessions.as_array().unwrap().clone();
        assert_eq!(sessions.len(), 3);
        assert_eq!(sessions.iter().filter(|session| session["current"] == true).count(), 1);
        for session in &sessions {
            assert_eq!(session["address"], "127.0.0.1");
            let id = session["id"].as_str().unwrap();
            assert!(![&here, &elsewhere, &third].iter().any(|cookie| cookie.contains(id)), "the id is no token");
        }

        let (_, of_third, _) = call(&signalbox, &third, "list-sessions", json!({})).await;
        let id = of_third.as_array().unwrap().iter().find(|session| session["current"] == true).unwrap()["id"].clone();
        assert_eq!(call(&signalbox, &here, "end-session", json!({"id": id})).await.0, 200);
        assert_eq!(call(&signalbox, &here, "end-session", json!({"id": id})).await.0, 404);
        assert_eq!(call(&signalbox, &third, "list-sessions", json!({})).await.0, 401);

        assert_eq!(call(&signalbox, &here, "end-other-sessions", json!({})).await.0, 200);
        assert_eq!(call(&signalbox, &elsewhere, "list-sessions", json!({})).await.0, 401);
        assert_eq!(call(&signalbox, &here, "list-sessions", json!({})).await.0, 200);
    }
}

on_both_databases! {
    async fn a_new_password_ends_all_sessions_but_goes_on_here(signalbox) {
        let here = signalbox.cookie.clone();
        let elsewhere = sign_in(&signalbox, PASSWORD).await.unwrap();
        let change = |current: &str, new: &str| json!({"change": {"current": current, "new": new}});

        let (status, error, _) = call(&signalbox, &here, "change-password", change(PASSWORD, "short")).await;
        assert_eq!(status, 422);
        assert!(error["fields"]["new"].is_string(), "{error}");
        let (status, error, _) = call(&signalbox, &here, "change-password", change("not mine", "new password 1")).await;
        assert_eq!(status, 422);
        assert!(error["fields"]["current"].is_string(), "{error}");
        assert!(!error.to_string().contains("not mine"), "{error}");

        let (status, _, fresh) = call(&signalbox, &here, "change-password", change(PASSWORD, "new password 1")).await;
        assert_eq!(status, 200);
        for old in [&here, &elsewhere] {
            assert_eq!(call(&signalbox, old, "list-sessions", json!({})).await.0, 401);
        }
        assert_eq!(call(&signalbox, &fresh.unwrap(), "list-sessions", json!({})).await.0, 200);
        assert!(sign_in(&signalbox, PASSWORD).await.is_none());
        assert!(sign_in(&signalbox, "new password 1").await.is_some());
    }
}

on_both_databases! {
    async fn a_keys_last_use_is_written_down_soon(signalbox) {
        let used = signalbox.create("/keys", json!({"name": "used"})).await;
        signalbox.create("/keys", json!({"name": "unused"})).await;
        let key = used["key"].as_str().unwrap();
        let models = signalbox.client.get(signalbox.url("/v1/models")).bearer_auth(key);
        assert_eq!(models.send().await.unwrap().status(), 200);
        let begun = std::time::Instant::now();
        loop {
            let (_, keys) = signalbox.get("/keys").await;
            let last_use = |name| keys["items"].as_array().unwrap().iter().find(|key| key["name"] == name).unwrap()["last_used_at"].clone();
            assert_eq!(last_use("unused"), Value::Null);
            if last_use("used").is_string() {
                break;
            }
            assert!(begun.elapsed().as_secs() < 15, "not written down");
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
    }
}

#[tokio::test]
async fn a_provider_can_be_tried_out_before_it_is_saved() {
    let upstream = MockUpstream::start(|received| async move {
        use axum::response::IntoResponse;
        match received
            .headers
            .get("authorization")
            .map(|value| value.as_bytes())
        {
            Some(b"Bearer stored-secret-1") => {
                axum::Json(json!({"data": [{"id": "m"}]})).into_response()
            }
            _ => http::StatusCode::UNAUTHORIZED.into_response(),
        }
    })
    .await;
    let signalbox = Signalbox::start().await;
    let cookie = signalbox.cookie.clone();
    let draft = |credentials: Value| json!({"name": "p", "kind": "openai", "instances": [{"url": upstream.url()}], "credentials": credentials});
    let wrong = json!({"id": null, "draft": draft(json!([{"secret": "wrong-secret-1"}]))});
    let (status, test, _) = call(&signalbox, &cookie, "test-provider", wrong).await;
    assert_eq!((status, &test["ok"]), (200, &json!(false)), "{test}");

    let saved = signalbox
        .create("/providers", draft(json!([{"secret": "stored-secret-1"}])))
        .await;
    let kept = json!([{"id": saved["credentials"][0]["id"]}]);
    let (status, models, _) = call(
        &signalbox,
        &cookie,
        "upstream-models",
        json!({"id": saved["id"], "draft": draft(kept)}),
    )
    .await;
    assert_eq!((status, models), (200, json!(["m"])));

    let bad = json!({"id": null, "draft": {"name": "", "kind": "openai", "instances": [{"url": "nonsense"}]}});
    let (status, error, _) = call(&signalbox, &cookie, "test-provider", bad).await;
    assert_eq!(status, 422);
    assert!(error["fields"]["instances[0].url"].is_string(), "{error}");
    assert_eq!(
        signalbox.get("/providers").await.1["items"]
            .as_array()
            .unwrap()
            .len(),
        1,
        "nothing was saved"
    );
}

#[tokio::test]
async fn every_function_needs_a_session() {
    let signalbox = Signalbox::start().await;
    let functions = [
        ("about", json!({})),
        ("list-routes", json!({})),
        ("get-catalog", json!({})),
        ("get-route", json!({"id": uuid::Uuid::nil()})),
        (
            "switch-route",
            json!({"id": uuid::Uuid::nil(), "enabled": true}),
        ),
        ("delete-routes", json!({"ids": [uuid::Uuid::nil()]})),
        ("get-used-provider", json!({"id": uuid::Uuid::nil()})),
        ("summarize-providers", json!({})),
        ("fetch-decision-models", json!({"provider": "jev"})),
        (
            "try-decision",
            json!({"trial": {"settings": {}, "prompt": "Hello"}}),
        ),
        ("list-keys", json!({})),
        ("list-sessions", json!({})),
        ("end-other-sessions", json!({})),
        ("create-key", json!({"draft": {"name": "x"}})),
        ("delete-key", json!({"id": uuid::Uuid::nil()})),
        (
            "change-password",
            json!({"change": {"current": "a", "new": "new password"}}),
        ),
    ];
    for (name, body) in functions {
        assert_eq!(
            call(&signalbox, "signalbox_session=none", name, body)
                .await
                .0,
            401,
            "{name}"
        );
    }
    assert_eq!(
        call(&signalbox, &signalbox.cookie, "nonsense", json!({}))
            .await
            .0,
        400
    );
    let request = signalbox
        .client
        .request(Method::GET, signalbox.url("/fn/about"));
    assert_eq!(
        request
            .header("cookie", &signalbox.cookie)
            .send()
            .await
            .unwrap()
            .status(),
        405
    );
}
