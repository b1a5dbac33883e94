//! The pieces that pages are made of. Their looks are in `style/`, one file each.

pub(crate) mod checkbox;
pub(crate) mod choice;
pub(crate) mod confirm;
pub(crate) mod copy_button;
pub(crate) mod dialog;
pub(crate) mod empty_state;
pub(crate) mod field;
pub(crate) mod focus;
pub(crate) mod frame;
pub(crate) mod icon;
pub(crate) mod load;
pub(crate) mod notice;
pub(crate) mod page;
pub(crate) mod picker;
pub(crate) mod provider_words;
pub(crate) mod route_by;
pub(crate) mod select;
pub(crate) mod snippet;
pub(crate) mod submit;
pub(crate) mod switch;
pub(crate) mod time;
pub(crate) mod toast;
pub(crate) mod track;
