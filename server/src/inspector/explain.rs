//! `POST /routes/{id}/explain`

use app::api::explain::{DecisionGiven, DecisionSaid, Explanation, Question};
use app::error::{ApiError, ErrorCode};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use routing::Decision;
use uuid::Uuid;

use super::{Inspector, ranking};
use crate::gateway::Endpoint;
use crate::gateway::facts::{Asked, Gathered};
use crate::gateway::peek;

impl Inspector {
    /// The ranking that a request would get. Nothing is sent to a target and no counter moves; the
    /// decision service is asked unless a decision is given.
    ///
    /// # Errors
    /// 404; 422 by field.
    pub async fn explain(&self, id: Uuid, question: Question) -> Result<Explanation, ApiError> {
        let snapshot = self.snapshots.load();
        let route = snapshot.routes.by_id(id);
        let route = route.ok_or_else(|| {
            ApiError::new(
                ErrorCode::NotFound,
                format!("There is no route with the id {id} (any more)."),
            )
        })?;
        let endpoint = Endpoint::of(&question.path).ok_or_else(|| {
            let endpoints = Endpoint::list();
            ApiError::invalid_field("path", format!("Must be one of {endpoints}."))
        })?;
        let headers = headers(&question)?;
        let body = question.body.as_ref();
        let body = body.map(|body| Bytes::copy_from_slice(body.get().as_bytes()));
        let asked = Asked {
            path: &question.path,
            headers: &headers,
            body: body.as_ref(),
            depth: body.as_deref().map(peek::depth).unwrap_or_default(),
            counts: false,
        };
        let gathered = match question.decision.map(given).transpose()? {
            Some(decision) => Gathered::decided(route, decision, asked).await,
            None => Gathered::of(route, endpoint, asked).await,
        };
        let placement = route.preview(endpoint, &gathered.facts());
        let ranked = &placement.ranking;
        Ok(Explanation {
            ranking: ranking::of_placement(route, &placement),
            tied: ranked.tied,
            abstained: ranking::abstained(ranked),
            decision: gathered.decision.as_ref().ok().map(|decided| DecisionSaid {
                probabilities: decided.decision.probabilities.clone(),
                confidence: decided.decision.confidence,
            }),
            session: gathered.session.map(|session| session.key),
        })
    }
}

fn given(decision: DecisionGiven) -> Result<Decision, ApiError> {
    let check = |field: &str, number: f64| match (0.0..=1.0).contains(&number) {
        true => Ok(()),
        false => Err(ApiError::invalid_field(
            format!("decision.{field}"),
            "Must be a number from 0 to 1.",
        )),
    };
    for (model, probability) in &decision.probabilities {
        check(&format!("probabilities.{model}"), *probability)?;
    }
    let by_formula = Decision::from_probabilities(decision.probabilities);
    let confidence = decision.confidence.unwrap_or(by_formula.confidence);
    check("confidence", confidence)?;
    Ok(Decision {
        confidence,
        ..by_formula
    })
}

fn headers(question: &Question) -> Result<HeaderMap, ApiError> {
    let mut headers = HeaderMap::new();
    for (name, value) in &question.headers {
        let field = || format!("headers.{name}");
        let name = HeaderName::try_from(name)
            .map_err(|_| ApiError::invalid_field(field(), "This is no name of a header."))?;
        let value = HeaderValue::try_from(value)
            .map_err(|_| ApiError::invalid_field(field(), "No header can have this value."))?;
        headers.append(name, value);
    }
    Ok(headers)
}
