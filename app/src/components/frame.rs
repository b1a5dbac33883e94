//! What stands around every page of a signed-in person: navigation, and the way out.

use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::components::{A, Outlet};
use leptos_router::hooks::use_navigate;

use crate::components::icon::{Glyph, Icon};
use crate::components::leaving::{LeaveGuard, provide_leaving, use_leaving};
use crate::components::shortcuts::Shortcuts;
use crate::components::time::provide_clock;
use crate::components::toast::{Toasts, provide_toasts, use_toasts};
use crate::error::{ApiError, ErrorCode};
use crate::i18n::{text, use_locale};
use crate::live::use_live;
use crate::{paths, server_fns};

#[component]
pub(crate) fn Frame() -> impl IntoView {
    provide_toasts();
    provide_clock();
    provide_leaving();
    let locale = use_locale();

    view! {
        <div class="frame">
            <a class="frame-skip" href="#content" rel="external">
                {text!(locale, nav.skip)}
            </a>
            <header class="frame-side">
                <Brand />
                <nav class="nav" aria-label=text!(locale, nav.label)>
                    <ul>
                        <li>
                            <A href=paths::ROUTES>
                                <Glyph icon=Icon::Routes />
                                {text!(locale, routes.title)}
                            </A>
                        </li>
                        <li>
                            <A href=paths::PROVIDERS>
                                <Glyph icon=Icon::Providers />
                                {text!(locale, providers.title)}
                            </A>
                        </li>
                        <li>
                            <A href=paths::KEYS>
                                <Glyph icon=Icon::Key />
                                {text!(locale, keys.title)}
                            </A>
                        </li>
                        <li>
                            <A href=paths::REQUESTS>
                                <Glyph icon=Icon::Requests />
                                {text!(locale, requests.title)}
                            </A>
                        </li>
                        <li>
                            <A href=paths::USAGE>
                                <Glyph icon=Icon::Usage />
                                {text!(locale, usage.title)}
                            </A>
                        </li>
                        <li>
                            <A href=paths::PLAYGROUND>
                                <Glyph icon=Icon::Playground />
                                {text!(locale, playground.title)}
                            </A>
                        </li>
                        <li>
                            <A href=paths::SETTINGS>
                                <Glyph icon=Icon::Settings />
                                {text!(locale, settings.title)}
                            </A>
                        </li>
                    </ul>
                </nav>
                <div class="nav-actions">
                    <Shortcuts />
                    <SignOut />
                </div>
            </header>
            <main class="frame-main" id="content" tabindex="-1">
                <Outlet />
            </main>
            <Toasts />
            <LeaveGuard />
        </div>
    }
}

/// The name, with its mark: one track becoming two.
#[component]
pub(crate) fn Brand() -> impl IntoView {
    view! {
        <span class="brand">
            <svg class="brand-mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
                <path class="brand-track" d="M2 12h5c5 0 5-6 10-6h1" />
                <path class="brand-track" d="M7 12c5 0 5 6 10 6h1" />
                <circle class="brand-lamp" cx="20" cy="6" r="2.5" />
                <circle class="brand-lamp-dark" cx="20" cy="18" r="2.5" />
            </svg>
            {text!(use_locale(), product)}
        </span>
    }
}

#[component]
fn SignOut() -> impl IntoView {
    let locale = use_locale();
    let live = use_live();
    let navigate = use_navigate();
    let toasts = use_toasts();
    let sign_out = Action::new(|(): &()| server_fns::sign_out());

    Effect::new(move |_| match sign_out.value().get() {
        // Nobody being signed in is what was wanted.
        Some(
            Ok(())
            | Err(ApiError {
                code: ErrorCode::Unauthenticated,
                ..
            }),
        ) => {
            navigate(paths::SIGN_IN, NavigateOptions::default());
        }
        Some(Err(error)) => toasts.failure(error.message),
        None => {}
    });

    let leaving = use_leaving();
    let on_click = move |_| {
        let sign_out = Callback::new(move |()| {
            sign_out.dispatch(());
        });
        match leaving {
            Some(leaving) => leaving.leave_by(sign_out),
            None => sign_out.run(()),
        }
    };

    view! {
        <button
            class="nav-action"
            type="button"
            disabled=move || !live.get() || sign_out.pending().get()
            on:click=on_click
        >
            <Glyph icon=Icon::SignOut />
            <span>{text!(locale, nav.sign_out)}</span>
        </button>
    }
}
