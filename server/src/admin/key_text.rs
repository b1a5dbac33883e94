//! Draws new API keys: `sb_<8 public>_<32 secret>`.

use crate::vault::VaultError;

const PUBLIC: usize = 8;
const SECRET: usize = 32;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A new key in its parts. Only the 201 that answers its making shows it whole.
pub(super) struct KeyText {
    pub(super) public: String,
    pub(super) secret: String,
}

impl KeyText {
    /// # Errors
    /// `NoRandomness`.
    pub(super) fn generate() -> Result<Self, VaultError> {
        Ok(Self {
            public: draw(PUBLIC)?,
            secret: draw(SECRET)?,
        })
    }

    pub(super) fn whole(&self) -> String {
        format!("sb_{}_{}", self.public, self.secret)
    }
}

/// What lists show of a key.
pub(super) fn prefix(public: &str) -> String {
    format!("sb_{public}")
}

/// So many characters, each equally likely: bytes beyond the last whole round of the alphabet are drawn
/// again.
fn draw(length: usize) -> Result<String, VaultError> {
    let fair = u8::MAX - (u8::MAX % ALPHABET.len() as u8);
    let mut text = String::with_capacity(length);
    let mut bytes = [0; 64];
    while text.len() < length {
        getrandom::fill(&mut bytes).map_err(|_| VaultError::NoRandomness)?;
        let drawn = bytes
            .iter()
            .filter(|byte| **byte < fair)
            .map(|byte| char::from(ALPHABET[usize::from(*byte) % ALPHABET.len()]));
        text.extend(drawn.take(length - text.len()));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_their_form_and_differ() {
        let keys: Vec<KeyText> = (0..100).map(|_| KeyText::generate().unwrap()).collect();
        for key in &keys {
            let whole = key.whole();
            let parts: Vec<&str> = whole.split('_').collect();
            assert_eq!(parts, ["sb", &key.public, &key.secret]);
            assert_eq!((key.public.len(), key.secret.len()), (8, 32));
            assert!(
                parts
                    .concat()
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric())
            );
        }
        let distinct: std::collections::HashSet<_> = keys.iter().map(KeyText::whole).collect();
        assert_eq!(distinct.len(), keys.len());
    }

    #[test]
    fn every_character_is_about_equally_likely() {
        let text = draw(62_000).unwrap();
        for character in ALPHABET {
            let count = text.bytes().filter(|byte| byte == character).count();
            // 1,000 on average; a biased draw would give the first eight 1,200 and more.
            assert!(
                (850..1_150).contains(&count),
                "{} × {count}",
                char::from(*character)
            );
        }
    }
}
