//! A page's head: its title, and at most one main action.

use leptos::html::H1;
use leptos::prelude::*;
use leptos_meta::Title;

use crate::components::focus::focus_soon;
use crate::live::use_live;

#[component]
pub(crate) fn Page(
    title: &'static str,
    /// A line under the title.
    #[prop(optional, into)]
    about: Option<&'static str>,
    /// Stands before the title: where one came from.
    #[prop(optional, into)]
    back: ViewFnOnce,
    #[prop(optional, into)] action: ViewFnOnce,
    children: Children,
) -> impl IntoView {
    let heading = NodeRef::<H1>::new();
    let arrived_by_click = use_live().get_untracked();

    // A screen reader and the Tab key go on at the new page, as they would after a full load.
    heading.on_load(move |heading| {
        if arrived_by_click {
            focus_soon(&heading);
        }
    });

    view! {
        <Title text=title />
        <div class="page">
            {back.run()}
            <div class="page-head">
                <div>
                    <h1 class="page-title" tabindex="-1" node_ref=heading>
                        {title}
                    </h1>
                    {about.map(|about| view! { <p class="page-about">{about}</p> })}
                </div>
                {action.run()}
            </div>
            {children()}
        </div>
    }
}
