//! What a model's tokens cost, as it is typed.

use leptos::prelude::*;

use crate::api::price::{Amount, Price};
use crate::components::field::{FieldError, TextInput};
use crate::i18n::{text, use_locale};

/// Three texts, made only where somebody wants to see them: a provider may have ten thousand models.
#[derive(Clone, Copy)]
pub(super) struct TypedPrice {
    texts: RwSignal<Option<Texts>>,
    owner: StoredValue<Owner>,
}

#[derive(Clone, Copy)]
struct Texts {
    input: RwSignal<String>,
    output: RwSignal<String>,
    cached: RwSignal<String>,
}

/// What was typed is no price.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoPrice;

impl TypedPrice {
    pub(super) fn new(price: Option<Price>) -> Self {
        let typed = Self {
            texts: RwSignal::new(None),
            owner: StoredValue::new(Owner::current().unwrap_or_default()),
        };
        if price.is_some() {
            typed.open(price);
        }
        typed
    }

    fn open(self, price: Option<Price>) {
        let text = |amount: Option<Amount>| {
            let number = amount.map(|amount| amount.to_number().to_string());
            RwSignal::new(number.unwrap_or_default())
        };
        let texts = self.owner.get_value().with(|| Texts {
            input: text(price.map(|price| price.input)),
            output: text(price.map(|price| price.output)),
            cached: text(price.and_then(|price| price.cached)),
        });
        self.texts.set(Some(texts));
    }

    /// Nothing where nothing is typed.
    pub(super) fn read(self) -> Result<Option<Price>, NoPrice> {
        let Some(texts) = self.texts.get() else {
            return Ok(None);
        };
        let amount = |text: RwSignal<String>| {
            let text = text.read();
            match text.trim() {
                "" => Ok(None),
                typed => {
                    let number = typed.parse().ok();
                    number
                        .and_then(Amount::from_number)
                        .ok_or(NoPrice)
                        .map(Some)
                }
            }
        };
        match (
            amount(texts.input)?,
            amount(texts.output)?,
            amount(texts.cached)?,
        ) {
            (None, None, None) => Ok(None),
            (Some(input), Some(output), cached) => Ok(Some(Price {
                input,
                output,
                cached,
            })),
            _ => Err(NoPrice),
        }
    }
}

#[component]
pub(super) fn PriceFields(
    key: u32,
    model: String,
    price: TypedPrice,
    #[prop(into)] error: Signal<Option<String>>,
) -> impl IntoView {
    let locale = use_locale();
    let id = format!("model-price-{key}");
    let error_id = id.clone();
    let is_open = price.texts.with_untracked(Option::is_some);
    let open = move |_| {
        if price.texts.with_untracked(Option::is_none) {
            price.open(None);
        }
    };
    let fields = move || {
        let texts = price.texts.get()?;
        let field = |part: &str, label: String, value: RwSignal<String>| {
            view! {
                <label class="price-field">
                    <span class="field-hint">{label.clone()}</span>
                    <TextInput
                        id=format!("{id}-{part}")
                        label=Signal::stored(format!("{model}: {label}"))
                        inputmode="decimal"
                        value
                        error
                    />
                </label>
            }
        };
        Some(view! {
            <div class="price-fields">
                {field("input", text!(locale, provider.price_input).to_owned(), texts.input)}
                {field("output", text!(locale, provider.price_output).to_owned(), texts.output)}
                {field("cached", text!(locale, provider.price_cached).to_owned(), texts.cached)}
            </div>
        })
    };
    view! {
        <details class="model-price" open=is_open>
            <summary on:click=open>{text!(locale, provider.price)}</summary>
            <p class="field-hint">{text!(locale, provider.price_about)}</p>
            {fields}
            <FieldError id=error_id error />
        </details>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_a_price_nothing_or_wrong() {
        Owner::new().with(|| {
            let typed = |input: &str, output: &str, cached: &str| {
                let price = TypedPrice::new(None);
                assert_eq!(price.read(), Ok(None));
                price.open(None);
                let texts = price.texts.get_untracked().unwrap();
                texts.input.set(input.to_owned());
                texts.output.set(output.to_owned());
                texts.cached.set(cached.to_owned());
                price.read()
            };
            assert_eq!(typed("", " ", ""), Ok(None));
            let price = typed("0.15", " 3 ", "").unwrap().unwrap();
            assert_eq!(
                (price.input.to_number(), price.output.to_number()),
                (0.15, 3.0)
            );
            assert_eq!(TypedPrice::new(Some(price)).read(), Ok(Some(price)));
            for (input, output, cached) in [
                ("1", "", ""),
                ("", "", "1"),
                ("x", "1", ""),
                ("-1", "1", ""),
            ] {
                assert_eq!(
                    typed(input, output, cached),
                    Err(NoPrice),
                    "{input} {output} {cached}"
                );
            }
        });
    }
}
