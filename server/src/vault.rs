//! Keeps secrets: seals provider credentials for their rows, hashes API-key secrets.
//!
//! Everything hangs on one secret key outside the database, so that a copy of the database alone
//! gives nothing away. Purposes get keys of their own, derived from it.

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use uuid::Uuid;

use crate::store::{Store, StoreError};

const SEALING: &str = "signalbox 2026-11 seal rows of the database";
const HASHING: &str = "signalbox 2026-11 hash api key secrets";

/// First byte of everything sealed; the layout after it is 24 bytes of nonce and the ciphertext.
const VERSION: u8 = 1;
const NONCE_BYTES: usize = 24;

/// Sealed at the first start and opened at each later one, to notice a wrong key before it does harm.
const CHECK_KEY: &str = "vault.check";
const CHECK_TEXT: &str = "This database belongs to this secret key.";

/// The 32 bytes on which everything hangs.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretKey([u8; 32]);

impl SecretKey {
    /// Reads 64 hexadecimal characters, with space around them ignored.
    ///
    /// # Errors
    /// A sentence that does not repeat the text.
    pub fn parse(text: &str) -> Result<Self, VaultError> {
        let digits = text.trim().as_bytes();
        let mut key = [0; 32];
        if digits.len() != 2 * key.len() {
            return Err(VaultError::NotAKey);
        }
        for (byte, pair) in key.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = pair.iter().try_fold(0, |byte, digit| {
                let nibble = char::from(*digit).to_digit(16).ok_or(VaultError::NotAKey)?;
                Ok::<u8, VaultError>(byte << 4 | nibble as u8)
            })?;
        }
        Ok(Self(key))
    }

    /// Draws a new key from the operating system.
    pub fn generate() -> Result<Self, VaultError> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(|_| VaultError::NoRandomness)?;
        Ok(Self(key))
    }

    /// The text that `parse` reads: what the key file holds.
    pub fn to_text(&self) -> String {
        blake3::Hash::from_bytes(self.0).to_hex().to_string()
    }
}

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretKey(…)")
    }
}

/// Why a secret could not be kept or given back. No message holds any part of a secret.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    #[error("The secret key must be 64 hexadecimal characters, as in the file secret.key.")]
    NotAKey,
    #[error(
        "The secret key does not fit this database: the credentials in it were encrypted with \
         another key. Start with the key this database was first started with (SIGNALBOX_SECRET_KEY, \
         or secret.key in the data directory), or with a new, empty database."
    )]
    WrongKey,
    #[error(
        "A stored secret cannot be decrypted: its row was changed outside Signalbox. Enter the \
         credential or header again."
    )]
    Damaged,
    #[error("The operating system gives no random numbers, so nothing can be encrypted.")]
    NoRandomness,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The row that a sealed value belongs to. A value opens for its own row only, so that whoever can
/// write to the database still cannot make one provider send another's credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// `credentials.id`
    Credential(Uuid),
    /// `provider_headers.id`
    Header(Uuid),
    /// `request_bodies.id`
    Bodies(Uuid),
    /// The check value among the settings.
    Check,
}

impl Row {
    fn associated_data(self) -> Vec<u8> {
        let (table, id): (&str, Uuid) = match self {
            Self::Credential(id) => ("credentials", id),
            Self::Header(id) => ("provider_headers", id),
            Self::Bodies(id) => ("request_bodies", id),
            Self::Check => ("settings", Uuid::nil()),
        };
        [&[VERSION], table.as_bytes(), &[0], id.as_bytes()].concat()
    }
}

/// Seals, opens and hashes with the keys of one database.
#[derive(Clone)]
pub struct Vault {
    cipher: XChaCha20Poly1305,
    hashing_key: [u8; 32],
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Vault(…)")
    }
}

impl Vault {
    /// The vault of this database. Its first opening ties the database to the secret key.
    ///
    /// # Errors
    /// `WrongKey` when the database is tied to another key.
    pub async fn open(secret: &SecretKey, store: &Store) -> Result<Self, VaultError> {
        let vault = Self::new(secret);
        let check = match store.setting(CHECK_KEY).await? {
            Some(stored) => stored,
            None => {
                let fresh = vault.seal(Row::Check, CHECK_TEXT)?;
                store.put_setting_if_absent(CHECK_KEY, &fresh).await?
            }
        };
        match vault.unseal(Row::Check, &check) {
            Ok(text) if text == CHECK_TEXT => Ok(vault),
            _ => Err(VaultError::WrongKey),
        }
    }

    pub fn new(secret: &SecretKey) -> Self {
        let sealing_key = blake3::derive_key(SEALING, &secret.0);
        Self {
            cipher: XChaCha20Poly1305::new(&sealing_key.into()),
            hashing_key: blake3::derive_key(HASHING, &secret.0),
        }
    }

    /// Encrypts a secret for its row.
    ///
    /// # Errors
    /// `NoRandomness`.
    pub fn seal(&self, row: Row, secret: &str) -> Result<Vec<u8>, VaultError> {
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).map_err(|_| VaultError::NoRandomness)?;
        let aad = row.associated_data();
        let payload = Payload {
            msg: secret.as_bytes(),
            aad: &aad,
        };
        // Fails only for messages of 256 GiB.
        let ciphertext = self
            .cipher
            .encrypt(&XNonce::from(nonce), payload)
            .map_err(|_| VaultError::Damaged)?;
        Ok([&[VERSION], &nonce[..], &ciphertext].concat())
    }

    /// Decrypts what was sealed for this very row.
    ///
    /// # Errors
    /// `Damaged` for anything else.
    pub fn unseal(&self, row: Row, sealed: &[u8]) -> Result<String, VaultError> {
        let Some((&VERSION, rest)) = sealed.split_first() else {
            return Err(VaultError::Damaged);
        };
        let Some((nonce, ciphertext)) = rest.split_first_chunk::<NONCE_BYTES>() else {
            return Err(VaultError::Damaged);
        };
        let aad = row.associated_data();
        let payload = Payload {
            msg: ciphertext,
            aad: &aad,
        };
        let secret = self
            .cipher
            .decrypt(&XNonce::from(*nonce), payload)
            .map_err(|_| VaultError::Damaged)?;
        String::from_utf8(secret).map_err(|_| VaultError::Damaged)
    }

    /// The hash by which the secret part of an API key is recognised. Fast on purpose: the secret is
    /// 190 random bits, and the hash is keyed, so that a stolen database does not even tell whether a
    /// guess is right.
    pub fn hash_api_key_secret(&self, secret: &str) -> [u8; 32] {
        *blake3::keyed_hash(&self.hashing_key, secret.as_bytes()).as_bytes()
    }
}

#[cfg(test)]
mod tests;
