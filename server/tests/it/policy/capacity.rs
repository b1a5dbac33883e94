//! `max_inflight`: an instance takes so many requests at once, over all its models.

use http::Method;
use serde_json::{Value, json};

use super::*;

async fn limited(signalbox: &Signalbox, name: &str, urls: &[String], most: u32) -> Value {
    let instances: Vec<Value> = urls
        .iter()
        .map(|url| json!({"url": url, "max_inflight": most}))
        .collect();
    let models = json!([{"name": "small"}, {"name": "large"}]);
    let draft = json!({"name": name, "kind": "openai", "instances": instances, "models": models});
    signalbox.create("/providers", draft).await
}

#[tokio::test]
async fn a_full_instance_is_passed_over_and_all_full_is_429() {
    let (a, b) = (upstream().await, upstream().await);
    let signalbox = Signalbox::start().await;
    limited(&signalbox, "p", &[a.url(), b.url()], 2).await;
    // Session Affinity alone would send all of them to one instance; no mode may.
    let sticky = route(
        &signalbox,
        "sticky",
        &[("p", "small")],
        json!({"session_affinity": {}}),
    )
    .await;
    signalbox.route("turns", &[("p", "large", None)]).await;
    signalbox.route("weights", &[("p", "large", Some(7))]).await;
    let key = signalbox.key().await;
    let send = async |model: &str| {
        let request = signalbox.chat(&key, json!({"model": model}).to_string());
        let request = request.header("x-hold", "1").header("session-id", "s");
        request.send().await.unwrap()
    };
    let mut held = vec![send("sticky").await, send("sticky").await];
    let mut counts = [a.count(), b.count()];
    counts.sort_unstable();
    assert_eq!(counts, [0, 2], "the session has its owner");
    held.push(send("sticky").await);
    held.push(send("turns").await);
    assert_eq!((a.count(), b.count()), (2, 2), "over both models");

    for model in ["sticky", "turns", "weights"] {
        let refused = send(model).await;
        assert_eq!(refused.status(), 429);
        assert_eq!(refused.headers()["retry-after"], "1");
        let error: Value = refused.json().await.unwrap();
        assert_eq!(error["error"]["type"], "rate_limit_error");
        assert_eq!(error["error"]["code"], "all_full");
        assert!(error["error"]["message"].as_str().unwrap().contains(model));
    }
    let body = json!({"model": "turns"}).to_string();
    let refused = signalbox
        .post_v1("/v1/messages", &key, body)
        .send()
        .await
        .unwrap();
    assert_eq!(refused.status(), 429);
    let error: Value = refused.json().await.unwrap();
    assert_eq!(error["error"]["type"], "rate_limit_error");

    let explained = explain(&signalbox, &sticky, json!({"headers": {"session-id": "s"}})).await;
    for ranked in explained["ranking"].as_array().unwrap() {
        assert!(ranked["total"].is_number(), "rated all the same: {ranked}");
        assert!(
            ranked["left_out"].as_str().unwrap().contains("full"),
            "{ranked}"
        );
    }
    let (_, instances) = signalbox.get("/instances").await;
    for instance in instances["items"].as_array().unwrap() {
        assert_eq!(
            (&instance["inflight"], &instance["max_inflight"]),
            (&json!(2), &json!(2))
        );
    }

    drop(held.remove(0));
    inflight_becomes(&signalbox, 5, |counts| counts.iter().sum::<u64>() == 3).await;
    assert_eq!(send("turns").await.status(), 200, "there is room again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_at_once_exactly_as_many_get_in_as_fit() {
    let only = upstream().await;
    let signalbox = Signalbox::start().await;
    let provider = limited(&signalbox, "p", &[only.url()], 5).await;
    signalbox.route("qwen3", &[("p", "small", None)]).await;
    let key = signalbox.key().await;
    let send = || async {
        signalbox
            .chat(&key, BODY)
            .header("x-hold", "1")
            .send()
            .await
            .unwrap()
    };
    let answers = futures_util::future::join_all((0..40).map(|_| send())).await;
    let took = answers
        .iter()
        .filter(|answer| answer.status() == 200)
        .count();
    let refused = answers
        .iter()
        .filter(|answer| answer.status() == 429)
        .count();
    assert_eq!((took, refused, only.count()), (5, 35, 5));

    // A limit that is raised counts from the next request on.
    let mut provider = provider;
    provider["instances"][0]["max_inflight"] = json!(6);
    let path = format!("/providers/{}", provider["id"].as_str().unwrap());
    let (status, saved) = signalbox.api(Method::PUT, &path, provider).await;
    assert_eq!(status, 200, "{saved}");
    let one_more = send().await;
    assert_eq!(
        (one_more.status().as_u16(), send().await.status().as_u16()),
        (200, 429)
    );
}
