//! Futures in boxes.

use std::pin::Pin;

/// A future that is made in its box. `Box::pin` makes it on the stack and copies it, with the room of all that it
/// will ever hold: four kilobytes for a request to a route.
pub fn in_place<F: Future>(make: impl FnOnce() -> F) -> Pin<Box<F>> {
    Box::into_pin(Box::write(Box::new_uninit(), make()))
}
