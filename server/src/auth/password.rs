//! People's passwords: argon2id, off the async threads.

use std::sync::Arc;

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use tokio::sync::Semaphore;

/// A hash takes 19 MiB and a core for tens of milliseconds, so no more than these run at once…
const AT_ONCE: usize = 2;
/// …and no more than these wait for their turn.
const WAITING: usize = 32;

pub const SHORTEST: usize = 8;
const LONGEST: usize = 1_024;

/// Hashes and checks passwords, a few at a time.
#[derive(Clone, Debug)]
pub struct Passwords {
    running: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
}

#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    #[error("Too many sign-ins are being checked right now. Try again in a second.")]
    Busy,
    #[error("The password could not be hashed.")]
    Failed,
}

impl Default for Passwords {
    fn default() -> Self {
        Self {
            running: Arc::new(Semaphore::new(AT_ONCE)),
            waiting: Arc::new(Semaphore::new(AT_ONCE + WAITING)),
        }
    }
}

impl Passwords {
    /// The PHC string to store.
    pub async fn hash(&self, password: String) -> Result<String, PasswordError> {
        self.run(move || {
            Argon2::default()
                .hash_password(password.as_bytes())
                .map(|hash| hash.to_string())
                .ok()
        })
        .await?
        .ok_or(PasswordError::Failed)
    }

    /// Whether the password fits. Without a stored hash the work is done all the same, so that the time
    /// taken does not tell whether the account exists.
    pub async fn verify(
        &self,
        password: String,
        stored: Option<String>,
    ) -> Result<bool, PasswordError> {
        self.run(move || {
            let argon2 = Argon2::default();
            match stored
                .as_deref()
                .and_then(|text| PasswordHash::new(text).ok())
            {
                Some(hash) => argon2.verify_password(password.as_bytes(), &hash).is_ok(),
                None => {
                    // Only its time is wanted.
                    let _ = argon2.hash_password(password.as_bytes());
                    false
                }
            }
        })
        .await
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, PasswordError> {
        let _place = self
            .waiting
            .try_acquire()
            .map_err(|_| PasswordError::Busy)?;
        let turn = Arc::clone(&self.running)
            .acquire_owned()
            .await
            .map_err(|_| PasswordError::Failed)?;
        tokio::task::spawn_blocking(move || {
            // The turn ends with the work even if the client has left meanwhile.
            let _turn = turn;
            work()
        })
        .await
        .map_err(|_| PasswordError::Failed)
    }
}

/// The one rule for new passwords; the error is a sentence.
pub fn check_new(password: &str) -> Result<(), String> {
    let length = password.chars().count();
    if length < SHORTEST {
        return Err(format!(
            "The password needs at least {SHORTEST} characters; this one has {length}."
        ));
    }
    if length > LONGEST {
        return Err(format!(
            "The password may have at most {LONGEST} characters."
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_fits_its_own_hash_only() {
        let passwords = Passwords::default();
        let hash = passwords.hash("correct horse".into()).await.unwrap();
        assert!(hash.starts_with("$argon2id$"));
        assert!(
            passwords
                .verify("correct horse".into(), Some(hash.clone()))
                .await
                .unwrap()
        );
        assert!(
            !passwords
                .verify("wrong horse".into(), Some(hash))
                .await
                .unwrap()
        );
        assert!(!passwords.verify("any".into(), None).await.unwrap());
        assert!(
            !passwords
                .verify("any".into(), Some("not a hash".into()))
                .await
                .unwrap()
        );
    }

    #[test]
    fn eight_characters_are_enough_whatever_they_are() {
        assert!(check_new("12345678").is_ok());
        assert!(check_new("éééééééé").is_ok());
        assert!(check_new("1234567").is_err());
        assert!(check_new(&"x".repeat(1_025)).is_err());
    }
}
