//! Signing in and out, and what a browser on another site cannot do.

use serde_json::{Value, json};

use crate::on_both_databases;
use crate::support::{PASSWORD, Signalbox};

async fn login(signalbox: &Signalbox, username: &str, password: &str) -> reqwest::Response {
    let body = json!({"username": username, "password": password});
    signalbox
        .client
        .post(signalbox.url("/api/v1/login"))
        .json(&body)
        .send()
        .await
        .unwrap()
}

on_both_databases! {
    async fn the_cookie_is_a_session_until_sign_out(signalbox) {
        let answer = login(&signalbox, "admin", PASSWORD).await;
        assert_eq!(answer.status(), 204);
        let set = answer.headers()["set-cookie"].to_str().unwrap().to_owned();
        for attribute in ["HttpOnly", "SameSite=Lax", "Path=/"] {
            assert!(set.contains(attribute), "{set}");
        }
        let cookie = set.split(';').next().unwrap().to_owned();
        let routes = |cookie: String| signalbox.client.get(signalbox.url("/api/v1/routes")).header("cookie", cookie).send();
        assert_eq!(routes(cookie.clone()).await.unwrap().status(), 200);

        let logout = signalbox.client.post(signalbox.url("/api/v1/logout")).header("cookie", &cookie).send().await.unwrap();
        assert_eq!(logout.status(), 204);
        assert!(logout.headers()["set-cookie"].to_str().unwrap().contains("Max-Age=0"));
        assert_eq!(routes(cookie).await.unwrap().status(), 401);
        assert_eq!(routes("signalbox_session=nonsense".into()).await.unwrap().status(), 401);
        assert_eq!(routes(signalbox.cookie.clone()).await.unwrap().status(), 200, "other sessions go on");
    }
}

#[tokio::test]
async fn wrong_names_and_passwords_look_the_same_and_are_slowed_down() {
    let signalbox = Signalbox::start().await;
    let mut messages = Vec::new();
    for (name, password) in [("admin", "wrong password"), ("nobody", PASSWORD)] {
        let answer = login(&signalbox, name, password).await;
        assert_eq!(answer.status(), 401);
        messages.push(answer.json::<Value>().await.unwrap()["error"]["message"].clone());
    }
    assert_eq!(messages[0], messages[1]);
    for _ in 0..4 {
        assert_eq!(
            login(&signalbox, "admin", "wrong password").await.status(),
            401
        );
    }
    let answer = login(&signalbox, "admin", "wrong password").await;
    assert_eq!(answer.status(), 429);
    assert!(answer.headers().contains_key("retry-after"));
    assert_eq!(
        answer.json::<Value>().await.unwrap()["error"]["code"],
        "throttled"
    );
}

#[tokio::test]
async fn behind_tls_the_cookie_is_bound_to_the_host() {
    let signalbox = Signalbox::start_with(&["--public-url", "https://box.example.com"]).await;
    let body = json!({"username": "admin", "password": PASSWORD});
    let request = signalbox
        .client
        .post(signalbox.url("/api/v1/login"))
        .header("host", "box.example.com");
    let answer = request.json(&body).send().await.unwrap();
    let cookie = answer.headers()["set-cookie"].to_str().unwrap();
    assert!(
        cookie.starts_with("__Host-signalbox_session=") && cookie.contains("; Secure"),
        "{cookie}"
    );
    assert_eq!(
        login(&signalbox, "admin", PASSWORD).await.status(),
        421,
        "its pages live at the public URL only"
    );
}

#[tokio::test]
async fn another_sites_page_cannot_write() {
    let signalbox = Signalbox::start().await;
    let paths = [
        "/api/v1/login",
        "/api/v1/logout",
        "/api/v1/routes",
        "/fn/sign-in",
        "/fn/create-route",
    ];
    let evil = [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
    ];
    for path in paths {
        for (name, value) in evil {
            let request = signalbox
                .client
                .post(signalbox.url(path))
                .header("cookie", &signalbox.cookie);
            let answer = request
                .header(name, value)
                .json(&json!({}))
                .send()
                .await
                .unwrap();
            assert_eq!(answer.status(), 403, "{path} {name}: {value}");
        }
    }
    let request = signalbox
        .client
        .post(signalbox.url("/api/v1/logout"))
        .header("cookie", &signalbox.cookie);
    let answer = request
        .header("origin", signalbox.url(""))
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 204, "its own page can");
}

#[tokio::test]
async fn a_rebound_name_is_refused_for_pages_and_not_for_v1() {
    let signalbox = Signalbox::start().await;
    for path in ["/", "/sign-in", "/api/v1/routes"] {
        let request = signalbox
            .client
            .get(signalbox.url(path))
            .header("host", "evil.example");
        let answer = request
            .header("cookie", &signalbox.cookie)
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 421, "{path}");
        assert!(answer.text().await.unwrap().contains("--public-url"));
    }
    let key = signalbox.key().await;
    let request = signalbox
        .client
        .get(signalbox.url("/v1/models"))
        .header("host", "signalbox.internal");
    assert_eq!(request.bearer_auth(key).send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn pages_need_a_session_and_carry_a_strict_policy() {
    let signalbox = Signalbox::start().await;
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap();
    let answer = client
        .get(signalbox.url("/routes/new?x=1&y=2"))
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 303);
    assert_eq!(
        answer.headers()["location"],
        "/sign-in?next=/routes/new%3Fx%3D1%26y%3D2"
    );

    let answer = client.get(signalbox.url("/sign-in")).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let policy = answer.headers()["content-security-policy"]
        .to_str()
        .unwrap()
        .to_owned();
    assert!(
        policy.contains("frame-ancestors 'none'") && policy.contains("'nonce-"),
        "{policy}"
    );
    assert!(
        !policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"),
        "{policy}"
    );
    assert_eq!(answer.headers()["cache-control"], "no-store");
    let html = answer.text().await.unwrap();
    assert!(
        !html.contains(" style=\"") && !html.contains(" onclick="),
        "inline code in {html}"
    );

    let answer = client
        .get(signalbox.url("/"))
        .header("cookie", &signalbox.cookie)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 200);
    let answer = client
        .get(signalbox.url("/nowhere"))
        .header("cookie", &signalbox.cookie)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 404);
}

#[tokio::test]
async fn server_functions_need_a_session() {
    let signalbox = Signalbox::start().await;
    let body = json!({});
    let request = signalbox
        .client
        .post(signalbox.url("/fn/list-routes"))
        .header("content-type", "application/json");
    let answer = request.body(body.to_string()).send().await.unwrap();
    assert_eq!(answer.status(), 401);
}
