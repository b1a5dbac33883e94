use super::*;
use crate::testing::{TestDatabase, on_both_databases};

fn vault() -> Vault {
    Vault::new(&SecretKey::generate().unwrap())
}

#[test]
fn a_key_reads_back_and_shows_itself_nowhere() {
    let key = SecretKey::generate().unwrap();
    let text = key.to_text();
    assert_eq!(text.len(), 64);
    assert_eq!(SecretKey::parse(&format!(" {text}\n")).unwrap(), key);
    assert_eq!(SecretKey::parse(&text.to_uppercase()).unwrap(), key);
    assert_ne!(SecretKey::generate().unwrap(), key);
    let shown = format!("{key:?} {:?}", Vault::new(&key));
    assert!(!shown.contains(&text[..8]), "{shown}");
    assert_eq!(SecretKey::parse(&"0f".repeat(32)).unwrap().0, [0x0f; 32]);
}

#[test]
fn what_is_no_key_is_refused_without_repeating_it() {
    let good = SecretKey::generate().unwrap().to_text();
    for text in [
        "",
        "hunter2",
        &good[1..],
        &format!("{good}0"),
        &format!("{}g", &good[1..]),
        &format!("+{}", &good[1..]),
        &format!("{}ü", &good[2..]),
    ] {
        let error = SecretKey::parse(text).unwrap_err();
        assert_eq!(
            error.to_string(),
            "The secret key must be 64 hexadecimal characters, as in the file secret.key."
        );
    }
}

#[test]
fn a_sealed_secret_opens_for_its_row_only() {
    let vault = vault();
    let (one, other) = (Uuid::now_v7(), Uuid::now_v7());
    for secret in ["sk-secret", "", "ü\u{1f600}", &"x".repeat(8_000)] {
        let sealed = vault.seal(Row::Credential(one), secret).unwrap();
        assert_eq!(vault.unseal(Row::Credential(one), &sealed).unwrap(), secret);
        for row in [Row::Credential(other), Row::Header(one), Row::Check] {
            let error = vault.unseal(row, &sealed).unwrap_err();
            assert!(matches!(error, VaultError::Damaged), "{error:?}");
        }
    }
}

#[test]
fn a_changed_or_foreign_blob_does_not_open() {
    let vault = vault();
    let row = Row::Credential(Uuid::now_v7());
    let sealed = vault.seal(row, "sk-secret").unwrap();
    for position in 0..sealed.len() {
        let mut changed = sealed.clone();
        changed[position] ^= 1;
        assert!(vault.unseal(row, &changed).is_err(), "byte {position}");
        assert!(
            vault.unseal(row, &sealed[..position]).is_err(),
            "cut at {position}"
        );
    }
    assert!(self::vault().unseal(row, &sealed).is_err());
    assert!(!sealed.windows(4).any(|part| part == b"sk-s"));
    assert_ne!(
        vault.seal(row, "sk-secret").unwrap(),
        sealed,
        "a nonce is never used twice"
    );
}

#[test]
fn hashes_of_key_secrets_depend_on_secret_and_key() {
    let (one, other) = (vault(), vault());
    assert_eq!(one.hash_api_key_secret("a"), one.hash_api_key_secret("a"));
    assert_ne!(one.hash_api_key_secret("a"), one.hash_api_key_secret("b"));
    assert_ne!(one.hash_api_key_secret("a"), other.hash_api_key_secret("a"));
}

/// Stored blobs and hashes must survive upgrades, so the derivation may never change.
#[test]
fn what_an_earlier_version_kept_still_opens() {
    let vault = Vault::new(&SecretKey([7; 32]));
    let hash =
        blake3::Hash::from_bytes(vault.hash_api_key_secret("0123456789abcdefghijABCDEFGHIJ99"));
    assert_eq!(
        hash.to_hex().as_str(),
        "8ee2c2f52d8484342291e573924815332b603be20095400f85ce54f64de6a2fc"
    );
    let sealed: Vec<u8> = (0..SEALED.len() / 2)
        .map(|index| u8::from_str_radix(&SEALED[2 * index..2 * index + 2], 16).unwrap())
        .collect();
    let row = Row::Credential(Uuid::from_u128(42));
    assert_eq!(vault.unseal(row, &sealed).unwrap(), "sk-kept-from-earlier");
}

const SEALED: &str = "019e3acec9e0fd33ce2cf401d561ba0ceda27d4df4c78fb3c38bc2fdad955a82cd5d567bbda119028b3bcc7c604230\
                      aa2be7af839dbd945e798c47489e";

on_both_databases! {
    async fn a_database_belongs_to_the_key_it_was_first_opened_with(database: TestDatabase) {
        let store = Store::connect(database.url()).await.unwrap();
        let key = SecretKey::generate().unwrap();
        let sealed = Vault::open(&key, &store).await.unwrap().seal(Row::Check, "x").unwrap();
        let again = Vault::open(&key, &store).await.unwrap();
        assert_eq!(again.unseal(Row::Check, &sealed).unwrap(), "x");
        let error = Vault::open(&SecretKey::generate().unwrap(), &store).await.unwrap_err();
        assert!(matches!(error, VaultError::WrongKey), "{error:?}");
        assert!(error.to_string().contains("does not fit this database"), "{error}");
    }

    async fn of_two_keys_at_the_first_start_one_wins(database: TestDatabase) {
        let store = Store::connect(database.url()).await.unwrap();
        let keys = [SecretKey::generate().unwrap(), SecretKey::generate().unwrap()];
        let (one, other) = tokio::join!(Vault::open(&keys[0], &store), Vault::open(&keys[1], &store));
        assert!(one.is_ok() != other.is_ok());
    }
}
