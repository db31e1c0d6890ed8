//! Collects messages of wgpu and the driver instead of printing them.
//!
//! The handler takes every error that no error scope catches. Error scopes would keep only the first of each kind.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

/// Messages about one device.
#[derive(Clone, Debug, Default)]
pub(super) struct Messages {
    state: Arc<Mutex<MessageState>>,
}

#[derive(Debug, Default)]
struct MessageState {
    messages: Vec<String>,
    lost: Option<String>,
}

impl Messages {
    /// Collects messages about `device` from now on.
    pub(super) fn of(device: &wgpu::Device) -> Self {
        let all = Self::default();
        let errors = all.clone();
        device
            .on_uncaptured_error(Arc::new(move |error: wgpu::Error| errors.add(in_words(&error))));
        let losses = all.clone();
        device.set_device_lost_callback(move |reason, message| {
            losses.lock().lost.get_or_insert_with(|| match message.as_str() {
                "" => format!("{reason:?}"),
                text => text.to_owned(),
            });
        });
        all
    }

    /// Adds a message unless it is already there.
    pub(super) fn add(&self, message: String) {
        let mut state = self.lock();
        if !state.messages.contains(&message) {
            state.messages.push(message);
        }
    }

    /// All messages since the last call.
    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().messages)
    }

    /// True if there is a message that was not taken.
    pub(super) fn is_any(&self) -> bool {
        !self.lock().messages.is_empty()
    }

    /// The reason why the device was lost.
    pub(super) fn lost(&self) -> Option<String> {
        self.lock().lost.clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, MessageState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Maximum number of lines of driver output in a message.
const MAX_LINES: usize = 20;

/// The first lines of the error and of all its causes, joined into one line, followed by the other lines of the
/// innermost cause, which a driver writes when it compiles or links.
fn in_words(error: &(dyn Error + 'static)) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut rest = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let text = error.to_string();
        let is_said = |line: &str| line.chars().any(char::is_alphanumeric);
        let mut lines = text.lines().map(str::trim).filter(|line| is_said(line)).map(str::to_owned);
        let line = lines.next().unwrap_or_else(|| "error".to_owned());
        if parts.last().is_none_or(|last| !last.ends_with(&line)) {
            parts.push(line.trim_end_matches(':').to_owned());
        }
        next = error.source();
        if next.is_none() {
            rest = lines.take(MAX_LINES).collect();
        }
    }
    std::iter::once(parts.join(": ")).chain(rest).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("Validation Error\n\nCaused by:\n  the rest")]
    struct Outer(#[source] Inner);

    #[derive(Debug, thiserror::Error)]
    #[error("the format is not renderable")]
    struct Inner;

    #[test]
    fn a_message_names_every_cause_on_one_line() {
        assert_eq!(in_words(&Outer(Inner)), "Validation Error: the format is not renderable");
    }

    #[derive(Debug, thiserror::Error)]
    #[error("Vertex info\n-----------\n(0) : error C5041: no room\n\n")]
    struct OfDriver;

    #[test]
    fn a_message_keeps_the_words_of_the_driver() {
        assert_eq!(in_words(&OfDriver), "Vertex info\n(0) : error C5041: no room");
    }

    #[test]
    fn equal_messages_are_kept_once() {
        let messages = Messages::default();
        messages.add("a".to_owned());
        messages.add("b".to_owned());
        messages.add("a".to_owned());
        assert_eq!(messages.take(), ["a", "b"]);
        assert!(!messages.is_any());
    }
}
