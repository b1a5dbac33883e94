//! What a decision service is asked: `POST {endpoint}/v1/systemone`.

use std::collections::BTreeMap;

use bytes::Bytes;
use routing::DecisionService;
use serde::Serialize;

/// Asked when a route brings no instructions of its own.
const DEFAULT_INSTRUCTIONS: &str = "Choose the model that answers the newest user message in this \
    conversation best. Prefer the smallest and fastest model that is able to do it well.";

/// The name of our one question.
pub const NAME: &str = "model_selection";

/// All of the question but for what it is about.
#[derive(Debug)]
pub struct Question {
    model: String,
    instructions: String,
    criteria: BTreeMap<String, String>,
}

#[derive(Serialize)]
struct Body<'a> {
    state: &'a str,
    model: &'a str,
    questions: BTreeMap<&'a str, Choice<'a>>,
}

#[derive(Serialize)]
struct Choice<'a> {
    r#type: &'a str,
    instructions: &'a str,
    criteria: &'a BTreeMap<String, String>,
}

impl Question {
    /// `criteria` are those of the models that can be chosen.
    pub fn new(settings: &DecisionService, criteria: BTreeMap<String, String>) -> Self {
        let instructions = match settings.instructions.trim() {
            "" => DEFAULT_INSTRUCTIONS.to_owned(),
            own => own.to_owned(),
        };
        Self {
            model: settings.model.clone().unwrap_or_default(),
            instructions,
            criteria,
        }
    }

    /// The request's body, about this state.
    pub fn about(&self, state: &str) -> Bytes {
        let choice = Choice {
            r#type: "choice",
            instructions: &self.instructions,
            criteria: &self.criteria,
        };
        let body = Body {
            state,
            model: &self.model,
            questions: BTreeMap::from([(NAME, choice)]),
        };
        // Strings by strings: there is nothing that could not be written.
        serde_json::to_vec(&body).unwrap_or_default().into()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn it_is_what_jev_expects() {
        let mut settings = DecisionService {
            model: Some("jev-latest".to_owned()),
            instructions: " Which one? ".to_owned(),
            ..DecisionService::default()
        };
        let criteria = BTreeMap::from([("small".to_owned(), "fast".to_owned())]);
        let sent = |settings: &DecisionService| -> Value {
            let question = Question::new(settings, criteria.clone());
            serde_json::from_slice(&question.about("the \"state\"")).unwrap()
        };
        assert_eq!(
            sent(&settings),
            json!({
                "state": "the \"state\"", "model": "jev-latest",
                "questions": {"model_selection": {
                    "type": "choice", "instructions": "Which one?", "criteria": {"small": "fast"},
                }},
            })
        );
        settings.instructions = " \n".to_owned();
        let instructions = &sent(&settings)["questions"]["model_selection"]["instructions"];
        assert!(instructions.as_str().unwrap().contains("smallest"));
    }
}
