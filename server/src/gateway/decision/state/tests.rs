//! What a decision service gets to see, request by request.

use serde_json::{Value, json};

use super::*;

const PROOF: &str =
    "Prove that there are infinitely many primes, then implement the proof sketch in Python.";

/// The state of a body, which is JSON within the budget.
fn state(body: &Value) -> Value {
    let text = of(body.to_string().as_bytes());
    assert!(text.len() <= BUDGET, "{} bytes", text.len());
    assert_eq!(
        of(serde_json::to_string_pretty(body).unwrap().as_bytes()),
        text
    );
    serde_json::from_str(&text).expect(&text)
}

fn messages(state: &Value) -> &Vec<Value> {
    state["messages"].as_array().unwrap()
}

fn long(words: &str, bytes: usize) -> String {
    words.repeat(bytes / words.len() + 1)
}

#[test]
fn a_small_request_is_seen_whole_on_every_endpoint() {
    let turn = json!({"role": "user", "content": PROOF});
    let tools = json!([
        {"type": "function", "function": {"name": "read_file", "description": "long"}},
        {"type": "function", "name": "shell", "parameters": {}},
        {"name": "edit", "input_schema": {}},
        {"type": "web_search"},
    ]);
    let expected = json!({
        "system": "Be brief.", "tools": ["read_file", "shell", "edit", "web_search"], "messages": [turn],
    });
    let parts =
        json!([{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]);
    for body in [
        json!({"model": "m", "tools": tools, "messages": [{"role": "system", "content": "Be brief."}, turn]}),
        json!({"model": "m", "tools": tools, "messages": [{"role": "developer", "content": parts}, turn]}),
        json!({"model": "m", "tools": tools, "system": "Be brief.", "messages": [turn]}),
        json!({"model": "m", "tools": tools, "system": parts, "messages": [turn]}),
        json!({"model": "m", "tools": tools, "instructions": "Be brief.", "input": PROOF}),
        json!({"model": "m", "tools": tools, "instructions": "Be brief.", "input": [turn]}),
    ] {
        assert_eq!(state(&body), expected, "{body}");
    }
    assert_eq!(state(&json!({"model": "m"})), json!({"messages": []}));
}

#[test]
fn a_coding_agents_request_shows_the_newest_words() {
    let tools: Vec<Value> = (0..40)
        .map(|n| json!({"name": format!("tool_{n}"), "description": long("Does things. ", 400)}))
        .collect();
    let body = json!({
        "model": "m", "tools": tools, "system": long("You are a careful coding agent. ", 60_000),
        "messages": [
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": "Hi"},
            {"role": "user", "content": [{"type": "text", "text": PROOF}]},
        ],
    });
    assert!(body.to_string().len() > 76_000);
    let state = state(&body);
    assert_eq!(messages(&state).len(), 3);
    assert_eq!(state["messages"][2]["content"][0]["text"], PROOF);
    assert_eq!(state["tools"].as_array().unwrap().len(), 40);
    assert!(!state.to_string().contains("Does things"));
}

#[test]
fn a_system_text_keeps_a_quarter_where_not_all_fits() {
    let body = json!({
        "model": "m", "instructions": long("Rule. ", 80_000), "input": PROOF,
    });
    let state = state(&body);
    let system = state["system"].as_str().unwrap();
    assert!(
        (SYSTEM - 20..=SYSTEM).contains(&system.len()),
        "{}",
        system.len()
    );
    assert!(system.starts_with("Rule. Rule.") && system.ends_with('…'));
    assert_eq!(state["messages"][0]["content"], PROOF);
}

#[test]
fn the_oldest_turns_go_first() {
    let turns: Vec<Value> = (0..100)
        .map(|n| {
            let role = if n % 2 == 0 { "user" } else { "assistant" };
            json!({"role": role, "content": format!("turn {n} {}", long("x ", 2_000))})
        })
        .collect();
    let state = state(&json!({"model": "m", "messages": turns}));
    let kept = messages(&state);
    assert_eq!(kept.last(), turns.last());
    assert_eq!(
        kept.as_slice(),
        &turns[100 - kept.len()..],
        "no turn between is missing"
    );
    assert!((28..=33).contains(&kept.len()), "{}", kept.len());
}

#[test]
fn the_newest_user_turn_stays_however_much_comes_after_it() {
    let turns = json!([
        {"role": "user", "content": "Old words"},
        {"role": "user", "content": PROOF},
        {"role": "assistant", "content": [{"type": "tool_use", "name": "shell", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "content": long("output ", 60_000)}]},
        {"role": "assistant", "content": null, "tool_calls": []},
        {"role": "tool", "content": long("result ", 10_000)},
    ]);
    let state = state(&json!({"model": "m", "messages": turns}));
    assert_eq!(state["messages"][0]["content"], PROOF);
    assert_eq!(messages(&state).last(), turns.as_array().unwrap().last());
    assert!(!state.to_string().contains("Old words"));
}

#[test]
fn a_user_turn_that_alone_is_too_long_keeps_its_start_and_its_end() {
    let words = format!("START {} END", long("日本語 \"and\" more\n", 200_000));
    for content in [json!(words), json!([{"type": "text", "text": words}])] {
        let state = state(&json!({
            "model": "m", "messages": [{"role": "user", "content": content}],
        }));
        let said = state["messages"][0]["content"].as_str().unwrap();
        assert!(said.starts_with("START 日本語") && said.ends_with("more\n END"));
        assert_eq!(state["messages"][0]["role"], "user");
        assert!(of(json!({"input": words}).to_string().as_bytes()).len() > BUDGET - 40);
    }
}

#[test]
fn a_picture_of_3_mb_becomes_a_note_beside_the_words() {
    let data = "iVBORw0K".repeat(400_000);
    let uri = format!("data:image/png;base64,{data}");
    for part in [
        json!({"type": "image_url", "image_url": {"url": uri}}),
        json!({"type": "input_image", "image_url": uri}),
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}),
        json!({"type": "input_audio", "input_audio": {"format": "wav", "data": data}}),
        json!({"type": "file", "file": {"file_data": data}}),
    ] {
        for content in [
            json!([{"type": "text", "text": PROOF}, part]),
            json!([part, {"type": "text", "text": PROOF}]),
        ] {
            let state =
                state(&json!({"model": "m", "messages": [{"role": "user", "content": content}]}));
            let text = state.to_string();
            assert!(
                text.contains(PROOF) && text.contains("2400000 bytes]"),
                "{text}"
            );
            assert!(text.len() < 400);
        }
    }
}

#[test]
fn many_tools_are_counted_when_their_names_are_too_many() {
    let tools: Vec<Value> = (0..5_000)
        .map(|n| json!({"name": format!("tool_{n}")}))
        .collect();
    let state = state(&json!({"model": "m", "tools": tools, "input": PROOF}));
    let names = state["tools"].as_array().unwrap();
    let more = format!("and {} more", 5_000 - names.len() + 1);
    assert_eq!(names.last(), Some(&json!(more)));
    assert_eq!(state["messages"][0]["content"], PROOF);
}

#[test]
fn words_may_be_escaped_in_any_way() {
    let body = r#"{"mess\u0061ges":[{"r\u006fle":"user","content":"\u8cea\u6570\u306f\u7121\u9650 \ud83d\ude00 \ud800"}]}"#;
    assert!(of(body.as_bytes()).contains("質数は無限 😀 \u{fffd}"));
}

#[test]
fn thirty_megabytes_of_tiny_objects_take_neither_time_nor_memory() {
    let mut body = String::from("{\"messages\":[");
    while body.len() < 30_000_000 {
        body.push_str("{\"a\":1},");
    }
    body.push_str(&format!("{{\"role\":\"user\",\"content\":\"{PROOF}\"}}]}}"));
    let begun = std::time::Instant::now();
    let state = of(body.as_bytes());
    assert!(state.len() <= BUDGET && state.contains(PROOF));
    // Unoptimised, on a busy machine; a release takes a twentieth.
    assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
}

proptest::proptest! {
    #[test]
    fn the_newest_words_are_always_there(
        system in 0_usize..90_000, before in 0_usize..90_000, after in 0_usize..90_000, words in "[a-z日]{1,40}",
    ) {
        let body = json!({"system": long("s\n", system), "messages": [
            {"role": "assistant", "content": long("b\"", before)},
            {"role": "user", "content": words},
            {"role": "assistant", "content": long("é", after)},
        ]});
        let state = state(&body);
        let said = |turn: &Value| turn["content"] == json!(words);
        proptest::prop_assert!(messages(&state).iter().any(said));
    }
}
