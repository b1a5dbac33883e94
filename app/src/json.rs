//! How server functions speak: JSON, read as text.
//!
//! The data that a page starts with is read as text too. Reading both alike puts each type's reader
//! into the wasm once; leptos' own JSON codec reads bytes, which is another copy of every one.

use bytes::Bytes;
use leptos::server_fn::codec::Post;
use leptos::server_fn::{ContentType, Decodes, Encodes, Format, FormatType};
use serde::Serialize;
use serde::de::{DeserializeOwned, Error};

/// Arguments and answers in the bodies of a POST.
pub type Json = Post<JsonText>;

pub struct JsonText;

impl ContentType for JsonText {
    const CONTENT_TYPE: &'static str = "application/json";
}

impl FormatType for JsonText {
    const FORMAT_TYPE: Format = Format::Text;
}

impl<T: Serialize> Encodes<T> for JsonText {
    type Error = serde_json::Error;

    fn encode(value: &T) -> Result<Bytes, Self::Error> {
        serde_json::to_vec(value).map(Bytes::from)
    }
}

impl<T: DeserializeOwned> Decodes<T> for JsonText {
    type Error = serde_json::Error;

    fn decode(bytes: Bytes) -> Result<T, Self::Error> {
        serde_json::from_str(std::str::from_utf8(&bytes).map_err(Error::custom)?)
    }
}
