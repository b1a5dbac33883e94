//! What can be wrong with a field of a route, each with a sentence that says what to do.

use std::fmt;

use crate::name;
use crate::retry::Retry;
use crate::settings::ScorerName;
use crate::weight::Weight;

/// What is wrong with one field. `Display` says it in English; the variant and its parts are for
/// who says it in another language.
#[derive(Clone, Debug, PartialEq)]
pub enum Problem {
    /// Nothing, or only white space, where a text is needed.
    Blank(Needed),
    /// More characters than are kept.
    TooLong {
        most: usize,
        found: usize,
    },
    /// More entries in a list than are kept.
    TooMany {
        most: usize,
        found: usize,
    },
    /// A character that no route name holds.
    NameHolds(char),
    /// A character that a route name may hold but not begin with.
    NameBeginsWith(char),
    /// A character that a route name may hold but not end with.
    NameEndsWith(char),
    NoTargets,
    /// The same provider and model as an earlier target or fallback, counted from 0.
    SameAs {
        earlier: usize,
    },
    /// The same id as an earlier target, counted from 0.
    SameIdAs {
        earlier: usize,
    },
    /// A target weight that is no whole number, or none from 1 to 1,000,000.
    TargetWeight(f64),
    /// Other targets have a weight and this one has none.
    WeightMissing,
    /// A target weight beside scorers that are on.
    WeightBesideScorers {
        scorers: Vec<ScorerName>,
    },
    /// A scorer that is on beside target weights.
    ScorerBesideWeights,
    /// A scorer weight that is not positive and finite, or is absurdly large.
    ScorerWeight(f64),
    NoSessionKeys,
    /// Both a header and a body key, or neither.
    SessionKeyIsNotOne,
    /// The same text as an earlier entry of the list, counted from 0.
    Repeats {
        earlier: usize,
    },
    /// A character that no header name holds.
    HeaderHolds(char),
    /// A body path such as `a..b`.
    EmptySegment,
    /// A request path that neither begins with `/` nor is `*`.
    NotAPath,
    /// Fewer criteria than a choice needs.
    TooFewCriteria {
        found: usize,
    },
    /// A criterion for a model that no target has.
    NoTargetHasModel,
    /// A decision timeout outside of 100 to 30,000 ms.
    Timeout(u64),
    /// A number of attempts that is not whole, or not from 1 to 10.
    Attempts(f64),
    /// A status after which no other upstream is tried.
    NeverRetried(u16),
}

/// The text that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needed {
    RouteName,
    Provider,
    Model,
    HeaderName,
    BodyPath,
    RequestPath,
    DecisionService,
    DecisionModel,
    Criterion,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blank(needed) => needed.fmt(f),
            Self::TooLong { most, found } => {
                write!(f, "This has {found} characters; shorten it to at most {most}.")
            }
            Self::TooMany { most, found } => {
                write!(f, "These are {found} entries; keep at most {most}.")
            }
            Self::NameHolds(character) => write!(
                f,
                "A route name cannot hold {}; use letters (A to Z), digits and {}.",
                Named(*character),
                name::SIGNS_IN_WORDS
            ),
            Self::NameBeginsWith(character) => write!(
                f,
                "A route name cannot begin with {}; begin it with a letter or a digit.",
                Named(*character)
            ),
            Self::NameEndsWith(character) => write!(
                f,
                "A route name cannot end with {}; end it with a letter or a digit.",
                Named(*character)
            ),
            Self::NoTargets => f.write_str("A route needs somewhere to go: add at least one target."),
            Self::SameAs { earlier } => write!(
                f,
                "Entry {} is already this provider and model; remove one of the two.",
                earlier + 1
            ),
            Self::SameIdAs { earlier } => write!(
                f,
                "Target {} has this id too; leave the id out to make a new target.",
                earlier + 1
            ),
            Self::TargetWeight(weight) => write!(
                f,
                "A target weight is a whole number from {} to 1,000,000, not {}; {}.",
                Weight::LEAST,
                Number(*weight),
                advice_on_target_weight(*weight)
            ),
            Self::WeightMissing => f.write_str(
                "Other targets have a weight and this one has none; give it one too, or clear all weights.",
            ),
            Self::WeightBesideScorers { scorers } => {
                write!(f, "Weights and scorers exclude each other; clear all weights, or switch off ")?;
                list(f, scorers.iter())?;
                f.write_str(".")
            }
            Self::ScorerBesideWeights => f.write_str(
                "Scorers and target weights exclude each other; switch the scorer off, or clear all weights.",
            ),
            Self::ScorerWeight(weight) => write!(
                f,
                "A scorer weight is a positive number up to 1,000,000, such as 1 or 2.5, not {}; to do without the scorer, switch it off.",
                Number(*weight)
            ),
            Self::NoSessionKeys => f.write_str(
                "Without a session key nothing holds a session together; add one, or switch Session Affinity off.",
            ),
            Self::SessionKeyIsNotOne => {
                f.write_str("A session key is either a header or a body key; give exactly one of the two.")
            }
            Self::Repeats { earlier } => {
                write!(f, "This repeats entry {}; remove one of the two.", earlier + 1)
            }
            Self::HeaderHolds(character) => write!(
                f,
                "A header name cannot hold {}; write it like session-id, with letters, digits and hyphens.",
                Named(*character)
            ),
            Self::EmptySegment => f.write_str(
                "A body key is names joined by single dots, such as metadata.user_id; remove the dot that stands alone.",
            ),
            Self::NotAPath => f.write_str(
                "A path begins with a slash, such as /responses; write * for every path.",
            ),
            Self::TooFewCriteria { found } => write!(
                f,
                "A choice needs criteria for at least two models, and here {}; add some, or switch Decision Service Routing off.",
                match found {
                    0 => "there are none",
                    _ => "is only one",
                }
            ),
            Self::NoTargetHasModel => f.write_str(
                "No target has this model; name a target's model exactly, or remove the criterion.",
            ),
            Self::Timeout(timeout_ms) => write!(
                f,
                "A decision may take from 100 to 30,000 milliseconds, not {timeout_ms}; 3,000 is a good start."
            ),
            Self::Attempts(number) => write!(
                f,
                "A request may have from {} to {} attempts, in whole numbers, not {}; with 1 nothing is tried again.",
                Retry::LEAST_ATTEMPTS,
                Retry::MOST_ATTEMPTS,
                Number(*number)
            ),
            Self::NeverRetried(status @ 400..=499) => write!(
                f,
                "An answer of {status} says that the request itself is wrong, whoever gets it, so it is never tried again; remove this status."
            ),
            Self::NeverRetried(_) => f.write_str(
                "Name statuses of failures: 401, 403, 404, 408, 409, 425, 429, or any from 500 to 599.",
            ),
        }
    }
}

impl fmt::Display for Needed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::RouteName => "Give the route the model name that clients will send.",
            Self::Provider => "Choose the provider that serves this model.",
            Self::Model => "Choose a model of the provider.",
            Self::HeaderName => {
                "Name the request header that holds the session key, such as session-id."
            }
            Self::BodyPath => {
                "Name the body key that holds the session key, such as prompt_cache_key."
            }
            Self::RequestPath => {
                "Write the end of a path, such as /responses, or * for every path."
            }
            Self::DecisionService => {
                "Choose the decision service to ask, or switch Decision Service Routing off."
            }
            Self::DecisionModel => "Choose the model that decides, such as jev-latest.",
            Self::Criterion => "Describe what this model is good at, or remove the criterion.",
        })
    }
}

fn advice_on_target_weight(weight: f64) -> &'static str {
    if weight == 0.0 {
        "to give a target no traffic, switch it off"
    } else if !weight.is_finite() || weight < 0.0 {
        "write a number such as 100"
    } else if weight.fract() != 0.0 {
        "only the ratio counts, so multiply all weights until they are whole"
    } else {
        "only the ratio counts, so divide all weights alike"
    }
}

fn list<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    items: impl ExactSizeIterator<Item = T>,
) -> fmt::Result {
    let last = items.len().saturating_sub(1);
    for (position, item) in items.enumerate() {
        match position {
            0 => {}
            _ if position == last => f.write_str(" and ")?,
            _ => f.write_str(", ")?,
        }
        item.fmt(f)?;
    }
    Ok(())
}

/// A character as a person can find it, also where it cannot be seen.
struct Named(char);

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            ' ' => f.write_str("a space"),
            '\t' => f.write_str("a tab"),
            '\n' | '\r' => f.write_str("a line break"),
            seen if seen.is_ascii_graphic() || seen.is_alphanumeric() => write!(f, "“{seen}”"),
            unseen => write!(f, "the character U+{:04X}", u32::from(unseen)),
        }
    }
}

/// A number that stays short however large it is.
struct Number(f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            number if number.is_nan() => f.write_str("“not a number”"),
            number if number.is_infinite() => f.write_str("infinity"),
            number if number != 0.0 && !(1e-6..1e15).contains(&number.abs()) => {
                write!(f, "{number:e}")
            }
            number => number.fmt(f),
        }
    }
}
