//! What a decision service answers, taken strictly: what is not as it must be is no decision.

use std::collections::BTreeMap;

use routing::Decision;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::question::NAME;

/// The largest answer that is read, in bytes.
pub const LARGEST: usize = 64 * 1024;

/// A longer name of a model is none.
const LONGEST_NAME: usize = 256;

/// A decision, and what the service calls the model that made it.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    pub decision: Decision,
    pub model: Option<String>,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    /// Anything, as nothing depends on it.
    #[serde(default, borrow)]
    model: Option<&'a RawValue>,
    #[serde(borrow)]
    answers: BTreeMap<String, &'a RawValue>,
}

#[derive(Deserialize)]
struct Answer {
    r#type: String,
    probabilities: BTreeMap<String, Probability>,
    confidence: f64,
}

/// A number for those options that we asked about, anything for others.
#[derive(Deserialize)]
#[serde(untagged)]
enum Probability {
    Number(f64),
    Other(serde::de::IgnoredAny),
}

/// Reads the answer about these options. Options that nobody asked for are ignored.
///
/// # Errors
/// Words that go on where "the decision service" left off.
pub fn read<'m>(body: &[u8], options: impl IntoIterator<Item = &'m str>) -> Result<Said, String> {
    if body.len() > LARGEST {
        return Err(too_large());
    }
    let envelope: Envelope<'_> =
        serde_json::from_slice(body).map_err(|_| "gave an answer that is not Jev's JSON")?;
    let answer = envelope
        .answers
        .get(NAME)
        .ok_or_else(|| format!("left the question {NAME} unanswered"))?;
    let answer: Answer = serde_json::from_str(answer.get())
        .map_err(|_| "gave a choice without type, probabilities and confidence")?;
    if answer.r#type != "choice" {
        return Err("gave an answer of another type than choice".to_owned());
    }
    if !(0.0..=1.0).contains(&answer.confidence) {
        return Err("gave a confidence outside of 0 to 1".to_owned());
    }
    let mut probabilities = BTreeMap::new();
    for option in options {
        match answer.probabilities.get(option) {
            None => {}
            Some(Probability::Number(p)) if (0.0..=1.0).contains(p) => {
                probabilities.insert(option.to_owned(), *p);
            }
            Some(_) => return Err("gave a probability outside of 0 to 1".to_owned()),
        }
    }
    let model = envelope.model.map(RawValue::get).map(serde_json::from_str);
    Ok(Said {
        decision: Decision {
            probabilities,
            confidence: answer.confidence,
        },
        model: model
            .and_then(Result::ok)
            .filter(|name: &String| name.len() <= LONGEST_NAME),
    })
}

pub fn too_large() -> String {
    format!("answered with more than {} KiB", LARGEST / 1024)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn answer(choice: Value) -> Result<Decision, String> {
        let body =
            json!({"model": "jev-1.13.0", "usage": {}, "answers": {"model_selection": choice}});
        let said = read(body.to_string().as_bytes(), ["small", "large"])?;
        assert_eq!(said.model.as_deref(), Some("jev-1.13.0"));
        Ok(said.decision)
    }

    #[test]
    fn the_models_name_is_taken_if_it_is_one() {
        let names = [
            (json!("jev-1.13.0"), Some("jev-1.13.0")),
            (json!(null), None),
            (json!({"name": "jev"}), None),
            (json!("x".repeat(257)), None),
        ];
        for (model, name) in names {
            let answer = choice(json!({"small": 1}), json!(1));
            let body = json!({"model": model, "answers": {"model_selection": answer}}).to_string();
            let said = read(body.as_bytes(), ["small"]).unwrap();
            assert_eq!(said.model.as_deref(), name, "{model}");
        }
    }

    fn choice(probabilities: Value, confidence: Value) -> Value {
        json!({"type": "choice", "choice": "large", "probabilities": probabilities, "confidence": confidence})
    }

    #[test]
    fn what_jev_says_is_taken() {
        let decision = answer(choice(json!({"small": 0.1, "large": 0.9}), json!(0.8))).unwrap();
        assert_eq!(decision.confidence, 0.8);
        assert_eq!(decision.probabilities["large"], 0.9);
        // Bounds count, an unknown option does not, and one that is left out has nothing.
        let decision = answer(choice(json!({"small": 1, "other": "x"}), json!(0))).unwrap();
        assert_eq!(decision.probabilities.len(), 1);
        assert_eq!(decision.confidence, 0.0);
    }

    #[test]
    fn anything_else_is_no_decision() {
        let good = json!({"small": 0.1, "large": 0.9});
        for (probabilities, confidence) in [
            (good.clone(), json!(1.5)),
            (good.clone(), json!(-0.1)),
            (good.clone(), json!(null)),
            (good.clone(), json!("0.8")),
            (json!({"small": 1.1}), json!(0.8)),
            (json!({"small": -0.1}), json!(0.8)),
            (json!({"small": null}), json!(0.8)),
            (json!({"small": "0.1"}), json!(0.8)),
            (json!({"small": true}), json!(0.8)),
            (json!([0.1, 0.9]), json!(0.8)),
            (json!(null), json!(0.8)),
        ] {
            let said = choice(probabilities, confidence);
            assert!(answer(said.clone()).is_err(), "{said}");
        }
        let without = |field: &str| {
            let mut choice = choice(good.clone(), json!(0.8));
            choice.as_object_mut().unwrap().remove(field);
            choice
        };
        for field in ["type", "probabilities", "confidence"] {
            assert!(answer(without(field)).is_err(), "{field}");
        }
        let mut noul = choice(good.clone(), json!(0.8));
        noul["type"] = json!("noul");
        assert!(answer(noul).is_err());
        for body in [
            "",
            "[]",
            "{}",
            "<html>",
            ")]}'\n{}",
            r#"{"answers":{}}"#,
            r#"{"answers":[]}"#,
            r#"{"answers":{"model_selection":null}}"#,
            r#"{"answers":{"model_selection":{"type":"choice","probabilities":{},"confidence":NaN}}}"#,
            r#"{"answers":{"model_selection":{"type":"choice","probabilities":{},"confidence":1e999}}}"#,
            r#"{"answers":{"model_selection":{"type":"choice","probabilities":{},"confidence":1}}} x"#,
        ] {
            assert!(read(body.as_bytes(), ["small"]).is_err(), "{body}");
        }
        let long = format!("{{\"answers\":{{}},\"x\":\"{}\"}}", "x".repeat(LARGEST));
        assert!(
            read(long.as_bytes(), ["small"])
                .unwrap_err()
                .contains("64 KiB")
        );
    }
}
