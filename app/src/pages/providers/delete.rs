//! Deleting a provider: says first what goes with it.

use leptos::prelude::*;

use crate::components::dialog::Dialog;
use crate::components::notice::{Notice, Tone};
use crate::components::toast::use_toasts;
use crate::i18n::{text, use_locale};
use crate::server_fns;
use crate::summary::ProviderSummary;

#[component]
pub(super) fn DeleteProvider(
    provider: ProviderSummary,
    #[prop(into)] on_close: Callback<()>,
    #[prop(into)] on_deleted: Callback<()>,
) -> impl IntoView {
    let locale = use_locale();
    let toasts = use_toasts();
    let ProviderSummary {
        id,
        name,
        models,
        routes,
        ..
    } = provider;
    let used = !routes.is_empty();
    let title = text!(locale, providers.delete_title, name = name.as_str());
    let sentence = if used {
        text!(locale, providers.delete_used, routes = routes.join(", "))
    } else {
        text!(locale, providers.delete_unused, count = models)
    };
    let delete = Action::new(move |(): &()| server_fns::delete_provider(id));

    view! {
        <Dialog id="delete-provider" title on_close let:close>
            {
                Effect::new(move |_| {
                    if let Some(Ok(())) = delete.value().get() {
                        toasts.success(text!(locale, providers.deleted, name = name.as_str()));
                        close.run(());
                        on_deleted.run(());
                    }
                });
                view! {
                    <p>{sentence}</p>
                    {move || match delete.value().get() {
                        Some(Err(error)) if !delete.pending().get() => {
                            Some(view! { <Notice tone=Tone::Danger>{error.message}</Notice> })
                        }
                        _ => None,
                    }}
                    <div class="dialog-actions">
                        <button class="button" type="button" on:click=move |_| close.run(())>
                            {if used {
                                text!(locale, providers.close)
                            } else {
                                text!(locale, providers.keep)
                            }}
                        </button>
                        {(!used)
                            .then(|| {
                                view! {
                                    <button
                                        class="button danger"
                                        type="button"
                                        aria-disabled=move || delete.pending().get().then_some("true")
                                        on:click=move |_| {
                                            if !delete.pending().get_untracked() {
                                                delete.dispatch(());
                                            }
                                        }
                                    >
                                        {move || {
                                            if delete.pending().get() {
                                                text!(locale, providers.deleting)
                                            } else {
                                                text!(locale, providers.delete)
                                            }
                                        }}
                                    </button>
                                }
                            })}
                    </div>
                }
            }
        </Dialog>
    }
}
