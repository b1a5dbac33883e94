//! The few icons there are: 16 by 16, drawn in the text's colour, never the only word.

use leptos::prelude::*;

#[derive(Clone, Copy)]
pub(crate) enum Icon {
    Alert,
    Check,
    Chevron,
    Close,
    Copy,
    Info,
    Key,
    Keyboard,
    Onward,
    Playground,
    Plus,
    Providers,
    Requests,
    Routes,
    Settings,
    SignOut,
    Trash,
    Up,
    Usage,
}

impl Icon {
    fn path(self) -> &'static str {
        match self {
            Self::Alert => "M8 2.5 14.5 13.5H1.5ZM8 6.5v3M8 11.6v.1",
            Self::Check => "m3 8.5 3.2 3.2L13 4.8",
            Self::Chevron => "m5 6.5 3 3 3-3",
            Self::Close => "m4 4 8 8M12 4l-8 8",
            Self::Copy => "M5.5 5.5h7v8h-7zM3.5 10.5v-8h7",
            Self::Info => "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8ZM8 7.4v3.4M8 5.2v.1",
            Self::Key => {
                "M5 13.5a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4ZM7.3 8 13 2.3M10.2 5.1l2.2 2.2"
            }
            Self::Keyboard => {
                "M1.5 4h13v8h-13zM4.2 6.7h.1M6.7 6.7h.1M9.2 6.7h.1M11.7 6.7h.1M5 9.4h6"
            }
            Self::Onward => "M2.5 4v3.5a2 2 0 0 0 2 2h8M9.5 6.5l3 3-3 3",
            Self::Playground => "M2.5 3h11v8h-6l-3 2.5V11h-2zM5.5 7h.1M8 7h.1M10.5 7h.1",
            Self::Plus => "M8 3v10M3 8h10",
            Self::Providers => "M2.5 2.5h11v4.5h-11zM2.5 9h11v4.5h-11zM5 4.75h.1M5 11.25h.1",
            Self::Requests => "M2 3.5h12M2 8h6.5M2 12.5h4M9 12.3l2.2 2.2L14.5 9.5",
            Self::Routes => "M1.5 8h4c3 0 3-4.5 6-4.5h3M5.5 8c3 0 3 4.5 6 4.5h3",
            Self::Settings => {
                "M2 5h6M12 5h2M2 11h2M8 11h6M10 3.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6ZM6 9.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6Z"
            }
            Self::SignOut => "M6.5 2.5h-3v11h3M7 8h6.5M11 5.2 13.8 8 11 10.8",
            Self::Trash => "M2.5 4h11M6 4V2.5h4V4M4 4l.7 9.5h6.6L12 4M6.7 6.7v4.2M9.3 6.7v4.2",
            Self::Up => "m5 9.5 3-3 3 3",
            Self::Usage => "M2 13.5h12M4 11V8M8 11V3M12 11V5.5",
        }
    }
}

#[component]
pub(crate) fn Glyph(icon: Icon) -> impl IntoView {
    view! {
        <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d=icon.path() />
        </svg>
    }
}
