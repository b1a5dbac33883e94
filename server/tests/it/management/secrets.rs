//! No secret in an answer, in the database in clear, or in a log.

use std::sync::Arc;

use http::Method;
use serde_json::{Value, json};

use crate::on_both_databases;
use crate::support::{MockUpstream, PASSWORD};

const CREDENTIAL: &str = "sk-very-secret-credential-4711";
const HEADER: &str = "header-value-nobody-may-see-0815";

on_both_databases! {
async fn secrets_stay_inside(signalbox) {
    let upstream = MockUpstream::friendly().await;
    let draft = json!({
        "name": "p", "kind": "openai", "instances": [{"url": upstream.url()}], "models": [{"name": "m"}],
        "credentials": [{"secret": CREDENTIAL}], "headers": {"x-org": HEADER},
    });
    let provider = signalbox.create("/providers", draft).await;
    assert_eq!(provider["credentials"][0]["hint"], "4711");
    assert_eq!(provider["headers"], json!({"x-org": null}));
    signalbox.route("qwen3", &[("p", "m", None)]).await;
    let key = signalbox.key().await;
    assert_eq!(
        signalbox
            .chat(&key, r#"{"model":"qwen3"}"#)
            .send()
            .await
            .unwrap()
            .status(),
        200
    );
    assert_eq!(upstream.only().headers["x-org"], HEADER);

    let session = signalbox.cookie.split_once('=').unwrap().1.to_owned();
    let (_, secret_part) = key.rsplit_once('_').unwrap();
    let secrets = [CREDENTIAL, HEADER, PASSWORD, secret_part, session.as_str()];
    let mut answers = Vec::new();
    for path in ["/providers", "/routes", "/keys", "/openapi.json"] {
        answers.push(signalbox.get(path).await.1.to_string());
    }
    let path = format!("/providers/{}", provider["id"].as_str().unwrap());
    let mut bad = provider.clone();
    bad["credentials"] = json!([{"secret": CREDENTIAL}, {"secret": format!("{CREDENTIAL}\n")}]);
    bad["instances"] = json!([{"url": format!("http://user:{CREDENTIAL}@host/v1")}]);
    bad["headers"] = json!({"x-org": format!("{HEADER}\u{0}")});
    let (status, error) = signalbox.api(Method::PUT, &path, bad).await;
    assert_eq!(status, 422);
    answers.push(error.to_string());
    answers.push(
        signalbox
            .api(Method::POST, &format!("{path}/test"), Value::Null)
            .await
            .1
            .to_string(),
    );
    for answer in &answers {
        for secret in secrets {
            assert!(!answer.contains(secret), "{secret} is in {answer}");
        }
    }

    let database = Arc::clone(&signalbox.database);
    signalbox.stop().await;
    let dump = database.dump().await;
    assert!(dump.contains("qwen3"), "this is no dump of the database");
    for secret in secrets {
        let hexadecimal: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
        assert!(!dump.contains(secret) && !dump.contains(&hexadecimal), "{secret} is in the database");
    }
}
}
