//! Deleting routes: asks first, in a sentence that names what will stop working.

use std::collections::BTreeSet;

use leptos::prelude::*;
use uuid::Uuid;

use crate::components::confirm::Confirm;
use crate::components::focus::focus_first;
use crate::components::toast::use_toasts;
use crate::i18n::{Locale, text, use_locale};
use crate::server_fns;

use super::listing::Listing;

/// How many routes the question names before it counts the rest.
const NAMED: usize = 5;

#[component]
pub(super) fn DeleteRoutes(
    listing: Listing,
    #[prop(into)] on_deleted: Callback<()>,
) -> impl IntoView {
    let locale = use_locale();
    let toasts = use_toasts();
    let delete = Action::new(|routes: &Vec<(Uuid, String)>| {
        let routes = routes.clone();
        async move {
            let ids = routes.iter().map(|(id, _)| *id).collect();
            (routes, server_fns::delete_routes(ids).await)
        }
    });
    Effect::new(move |_| {
        let Some((routes, result)) = delete.value().get() else {
            return;
        };
        listing.doomed.set(Vec::new());
        match result {
            Ok(refused) => {
                let gone = routes.len() - refused.len();
                if gone > 0 {
                    toasts.success(deleted(locale, &routes, gone));
                }
                // Those that are left stay selected.
                let left: BTreeSet<Uuid> = refused.iter().map(|route| route.id).collect();
                listing
                    .selected
                    .update(|selected| selected.retain(|id| left.contains(id)));
                for route in refused {
                    toasts.failure(route.why);
                }
                // The row that had the focus is gone.
                focus_first("h1");
            }
            Err(error) => toasts.failure(error.message),
        }
        on_deleted.run(());
    });

    move || {
        let doomed = listing.doomed.get();
        if doomed.is_empty() {
            return None;
        }
        let title = match doomed.as_slice() {
            [(_, name)] => text!(locale, routes.delete_title, name = name.as_str()),
            several => text!(locale, routes.delete_several, count = several.len()),
        };
        Some(view! {
            <Confirm
                title
                question=question(locale, &doomed)
                action=text!(locale, routes.delete)
                busy=delete.pending()
                on_yes=move |()| {
                    delete.dispatch(listing.doomed.get_untracked());
                }
                on_close=move |()| listing.doomed.set(Vec::new())
            />
        })
    }
}

fn question(locale: Locale, doomed: &[(Uuid, String)]) -> String {
    let names = doomed.iter().take(NAMED).map(|(_, name)| name.as_str());
    let names = names.collect::<Vec<_>>().join(", ");
    match doomed.len().saturating_sub(NAMED) {
        0 => text!(locale, routes.delete_question, names = names),
        more => text!(
            locale,
            routes.delete_question_more,
            names = names,
            count = more
        ),
    }
}

fn deleted(locale: Locale, routes: &[(Uuid, String)], gone: usize) -> String {
    match routes {
        [(_, name)] => text!(locale, routes.deleted, name = name.as_str()),
        _ => text!(locale, routes.deleted_several, count = gone),
    }
}
