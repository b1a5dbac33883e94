//! Column types that both databases read into the shapes of `app`.

use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::{Database, Decode, Encode, Type};

/// An enum by its word on the wire (`openai`), in a text column.
pub(super) struct Word<T>(pub(super) T);

impl<DB: Database, T> Type<DB> for Word<T>
where
    String: Type<DB>,
{
    fn type_info() -> DB::TypeInfo {
        <String as Type<DB>>::type_info()
    }

    fn compatible(ty: &DB::TypeInfo) -> bool {
        <String as Type<DB>>::compatible(ty)
    }
}

impl<'r, DB: Database, T: DeserializeOwned> Decode<'r, DB> for Word<T>
where
    String: Decode<'r, DB>,
{
    fn decode(value: DB::ValueRef<'r>) -> Result<Self, BoxDynError> {
        let word = String::decode(value)?;
        Ok(Self(serde_json::from_value(word.into())?))
    }
}

impl<'q, DB: Database, T: Serialize> Encode<'q, DB> for Word<T>
where
    String: Encode<'q, DB>,
{
    fn encode_by_ref(&self, buffer: &mut DB::ArgumentBuffer) -> Result<IsNull, BoxDynError> {
        match serde_json::to_value(&self.0)? {
            serde_json::Value::String(word) => word.encode(buffer),
            other => Err(format!("{other} is not a word").into()),
        }
    }
}

/// A small whole number or nothing; both databases keep whole numbers in 64 bits.
pub(super) struct Small(pub(super) Option<u32>);

impl<DB: Database> Type<DB> for Small
where
    i64: Type<DB>,
{
    fn type_info() -> DB::TypeInfo {
        <i64 as Type<DB>>::type_info()
    }

    fn compatible(ty: &DB::TypeInfo) -> bool {
        <i64 as Type<DB>>::compatible(ty)
    }
}

impl<'r, DB: Database> Decode<'r, DB> for Small
where
    Option<i64>: Decode<'r, DB>,
{
    fn decode(value: DB::ValueRef<'r>) -> Result<Self, BoxDynError> {
        let wide = <Option<i64>>::decode(value)?;
        Ok(Self(wide.map(u32::try_from).transpose()?))
    }
}

/// Thirty-two bytes: a hash.
pub(super) struct Hash(pub(super) [u8; 32]);

impl<DB: Database> Type<DB> for Hash
where
    Vec<u8>: Type<DB>,
{
    fn type_info() -> DB::TypeInfo {
        <Vec<u8> as Type<DB>>::type_info()
    }

    fn compatible(ty: &DB::TypeInfo) -> bool {
        <Vec<u8> as Type<DB>>::compatible(ty)
    }
}

impl<'r, DB: Database> Decode<'r, DB> for Hash
where
    Vec<u8>: Decode<'r, DB>,
{
    fn decode(value: DB::ValueRef<'r>) -> Result<Self, BoxDynError> {
        let bytes = <Vec<u8>>::decode(value)?;
        let length = bytes.len();
        let hash = bytes
            .try_into()
            .map_err(|_| format!("a hash of {length} bytes instead of 32"))?;
        Ok(Self(hash))
    }
}
