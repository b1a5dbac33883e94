//! By the browser's `fetch`, with the session's cookie.

use js_sys::{Reflect, Uint8Array};
use leptos::prelude::window;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, Headers, ReadableStreamDefaultReader, RequestInit, Response};

use super::{Call, Came, Head, Lost, REQUEST_ID};

/// Whatever ends the call ends the request.
struct Cancel(AbortController);

impl Drop for Cancel {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl From<JsValue> for Lost {
    fn from(_: JsValue) -> Self {
        Self
    }
}

pub(in crate::pages::playground) async fn call(
    call: Call,
    mut came: impl FnMut(Came),
) -> Result<(), Lost> {
    let cancel = Cancel(AbortController::new()?);
    let headers = Headers::new()?;
    for (name, value) in &call.headers {
        headers.set(name, value)?;
    }
    let init = RequestInit::new();
    init.set_method("POST");
    init.set_headers_headers(&headers);
    init.set_body(&JsValue::from_str(&call.body));
    init.set_signal(Some(&cancel.0.signal()));

    let answer = JsFuture::from(window().fetch_with_str_and_init(&call.path, &init)).await?;
    let answer: Response = answer.dyn_into()?;
    let header = |name: &str| answer.headers().get(name).ok().flatten();
    came(Came::Head(Head {
        status: answer.status(),
        is_stream: header("content-type")
            .is_some_and(|kind| kind.to_ascii_lowercase().starts_with("text/event-stream")),
        request: header(REQUEST_ID).and_then(|id| id.parse().ok()),
    }));

    let Some(body) = answer.body() else {
        return Ok(());
    };
    let reader: ReadableStreamDefaultReader = body.get_reader().dyn_into().map_err(|_| Lost)?;
    loop {
        let read = JsFuture::from(reader.read()).await?;
        if Reflect::get(&read, &"done".into())?.is_truthy() {
            return Ok(());
        }
        let bytes = Reflect::get(&read, &"value".into())?;
        let bytes: Uint8Array = bytes.dyn_into()?;
        came(Came::Bytes(bytes.to_vec()));
    }
}
