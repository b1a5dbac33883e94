//! Sessions stay where they are, as long as their target is not too busy.

use serde_json::{Value, json};

use super::*;

fn both() -> Value {
    json!({"session_affinity": {}, "least_inflight": {}})
}

/// A selection of rows from `affinity_vs_load.json`, with requests that are really held open.
#[tokio::test]
async fn a_session_holds_ties_and_flips_as_its_owner_gets_busier() {
    let signalbox = Signalbox::start().await;
    let _upstreams = providers(&signalbox, 5).await;
    let names: Vec<String> = (0..5).map(|number| format!("p{number}")).collect();
    for name in &names {
        let only = [(name.as_str(), "m", None)];
        signalbox.route(&format!("only-{name}"), &only).await;
    }
    let key = signalbox.key().await;
    for (candidates, inflight, outcome) in [
        (2, 0, "hold"),
        (2, 1, "tie"),
        (2, 2, "flip"),
        (3, 1, "hold"),
        (3, 2, "tie"),
        (3, 3, "flip"),
        (4, 5, "hold"),
        (4, 6, "flip"),
        (5, 12, "hold"),
    ] {
        let name = format!("of-{candidates}-at-{inflight}");
        let targets: Vec<(&str, &str)> =
            names.iter().take(candidates).map(|p| (&**p, "m")).collect();
        let route = route(&signalbox, &name, &targets, both()).await;
        let headers = json!({"session-id": "demo-session"});
        let idle = explain(&signalbox, &route, json!({"headers": headers})).await;
        let owner = idle["ranking"][0]["target"].as_str().unwrap().to_owned();

        let only = json!({"model": format!("only-{}", owner.trim_end_matches("/m"))}).to_string();
        let mut held = Vec::new();
        for _ in 0..inflight {
            let answer = signalbox.chat(&key, only.clone()).header("x-hold", "1");
            held.push(answer.send().await.unwrap());
        }
        let draws = if outcome == "tie" { 80 } else { 8 };
        let mut kept = 0;
        for _ in 0..draws {
            let answer = signalbox
                .chat(&key, json!({"model": name}).to_string())
                .header("session-id", "demo-session")
                .send()
                .await
                .unwrap();
            kept += usize::from(target(&answer) == owner);
            answer.bytes().await.unwrap();
            let busy = u64::try_from(inflight).unwrap();
            inflight_becomes(&signalbox, 5, |counts| counts.iter().sum::<u64>() == busy).await;
        }
        match outcome {
            "hold" => assert_eq!(kept, draws, "{name}"),
            "flip" => assert_eq!(kept, 0, "{name}"),
            _ => assert!((20..=60).contains(&kept), "{name}: {kept} of {draws}"),
        }
        drop(held);
        inflight_becomes(&signalbox, 5, |counts| {
            counts.iter().all(|count| *count == 0)
        })
        .await;
    }
}

#[tokio::test]
async fn the_first_key_that_is_present_wins_and_body_keys_count_on_their_paths_only() {
    let signalbox = Signalbox::start().await;
    let _upstreams = providers(&signalbox, 5).await;
    let targets = [
        ("p0", "m"),
        ("p1", "m"),
        ("p2", "m"),
        ("p3", "m"),
        ("p4", "m"),
    ];
    let route = route(
        &signalbox,
        "qwen3",
        &targets,
        json!({"session_affinity": {}}),
    )
    .await;
    let key = signalbox.key().await;
    let owner = async |session: &str| {
        let question = json!({"headers": {"session-id": session}});
        let explained = explain(&signalbox, &route, question).await;
        explained["ranking"][0]["target"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    // Two sessions of different owners tell who is pinned by what.
    let a = "session-a";
    let owner_of_a = owner(a).await;
    let mut b = String::new();
    let mut owner_of_b = owner_of_a.clone();
    while owner_of_b == owner_of_a {
        b.push('b');
        owner_of_b = owner(&b).await;
    }
    let b = b.as_str();

    let send = async |path: &str, headers: &[(&str, &str)], body: Value| {
        let mut targets = std::collections::BTreeSet::new();
        for _ in 0..10 {
            let mut request = signalbox.post_v1(path, &key, body.to_string());
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            let answer = request.send().await.unwrap();
            targets.insert(target(&answer));
        }
        targets
    };
    let pinned = |owner: &String| std::collections::BTreeSet::from([owner.clone()]);
    let body = |key: Value| json!({"model": "qwen3", "prompt_cache_key": key});
    for path in ["/v1/responses", "/v1/messages"] {
        assert_eq!(
            send(path, &[], body(json!(a))).await,
            pinned(&owner_of_a),
            "{path}"
        );
        assert_eq!(
            send(path, &[], body(json!(format!(" {b}\n")))).await,
            pinned(&owner_of_b)
        );
        for nothing in [json!(null), json!(7), json!([a]), json!("  ")] {
            assert_eq!(send(path, &[], body(nothing)).await.len(), 5, "in turn");
        }
        let headers = [("x-client-request-id", b)];
        assert_eq!(
            send(path, &headers, body(json!(a))).await,
            pinned(&owner_of_b)
        );
        let headers = [("session-id", " "), ("x-client-request-id", b)];
        assert_eq!(
            send(path, &headers, body(json!(a))).await,
            pinned(&owner_of_b)
        );
        let headers = [("x-client-request-id", b), ("session-id", a)];
        assert_eq!(
            send(path, &headers, body(json!(b))).await,
            pinned(&owner_of_a)
        );
    }
    let chat = "/v1/chat/completions";
    assert_eq!(
        send(chat, &[], body(json!(a))).await.len(),
        5,
        "does not count for chat"
    );
    assert_eq!(
        send(chat, &[("session-id", a)], body(json!(b))).await,
        pinned(&owner_of_a)
    );
}

#[tokio::test]
async fn without_any_signal_targets_are_taken_in_turn() {
    let signalbox = Signalbox::start().await;
    let upstreams = providers(&signalbox, 3).await;
    let targets = [("p0", "m"), ("p1", "m"), ("p2", "m")];
    route(
        &signalbox,
        "qwen3",
        &targets,
        json!({"session_affinity": {}}),
    )
    .await;
    let key = signalbox.key().await;
    for _ in 0..30 {
        signalbox.chat(&key, BODY).send().await.unwrap();
    }
    let counts: Vec<usize> = upstreams.iter().map(MockUpstream::count).collect();
    assert_eq!(counts, [10, 10, 10]);
}
