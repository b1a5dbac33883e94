//! One file a page.

pub(crate) mod add_key;
pub(crate) mod add_provider;
pub(crate) mod add_route;
pub(crate) mod edit_provider;
pub(crate) mod edit_route;
#[cfg(debug_assertions)]
pub(crate) mod gallery;
pub(crate) mod keys;
pub(crate) mod not_found;
pub(crate) mod playground;
pub(crate) mod provider_editor;
pub(crate) mod providers;
pub(crate) mod request;
pub(crate) mod requests;
pub(crate) mod route_editor;
pub(crate) mod routes;
pub(crate) mod settings;
pub(crate) mod sign_in;
pub(crate) mod usage;
pub(crate) mod what_if;
