//! Reading a copy of a compressed answer.

use async_compression::tokio::bufread::{BrotliDecoder, GzipDecoder, ZlibDecoder, ZstdDecoder};
use futures_util::FutureExt;
use http::{HeaderMap, header};
use tokio::io::{AsyncRead, AsyncReadExt};

/// What an answer is compressed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Identity,
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

impl Encoding {
    /// Of an answer with these headers. Nothing when it is one that cannot be read here.
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        let named = headers.get(header::CONTENT_ENCODING);
        let named = named.map(|value| value.as_bytes().to_ascii_lowercase());
        match named.as_deref() {
            None | Some(b"identity") => Some(Self::Identity),
            Some(b"gzip") => Some(Self::Gzip),
            Some(b"deflate") => Some(Self::Deflate),
            Some(b"br") => Some(Self::Brotli),
            Some(b"zstd") => Some(Self::Zstd),
            Some(_) => None,
        }
    }

    /// As much as can be decoded of what may be only a beginning, at most `most` bytes of it.
    pub fn decode(self, bytes: &[u8], most: usize) -> Vec<u8> {
        let decoder: Box<dyn AsyncRead + Unpin + '_> = match self {
            Self::Identity => Box::new(bytes),
            Self::Gzip => Box::new(GzipDecoder::new(bytes)),
            Self::Deflate => Box::new(ZlibDecoder::new(bytes)),
            Self::Brotli => Box::new(BrotliDecoder::new(bytes)),
            Self::Zstd => Box::new(ZstdDecoder::new(bytes)),
        };
        let mut decoded = Vec::new();
        // Memory is always ready. That it breaks off is no surprise, and what came before it stays.
        let _ = decoder
            .take(most as u64)
            .read_to_end(&mut decoded)
            .now_or_never();
        decoded
    }
}

#[cfg(test)]
pub mod tests {
    use async_compression::tokio::bufread::{BrotliEncoder, GzipEncoder, ZlibEncoder, ZstdEncoder};
    use http::HeaderValue;

    use super::*;

    /// As an upstream would send it.
    pub fn encoded(body: &[u8], encoding: &str) -> Vec<u8> {
        let mut encoder: Box<dyn AsyncRead + Unpin + '_> = match encoding {
            "gzip" => Box::new(GzipEncoder::new(body)),
            "deflate" => Box::new(ZlibEncoder::new(body)),
            "br" => Box::new(BrotliEncoder::new(body)),
            "zstd" => Box::new(ZstdEncoder::new(body)),
            _ => Box::new(body),
        };
        let mut bytes = Vec::new();
        encoder
            .read_to_end(&mut bytes)
            .now_or_never()
            .unwrap()
            .unwrap();
        bytes
    }

    #[test]
    fn a_beginning_is_decoded_as_far_as_it_goes() {
        let body: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
        for name in ["identity", "gzip", "deflate", "br", "zstd"] {
            let headers = HeaderMap::from_iter([(
                header::CONTENT_ENCODING,
                HeaderValue::try_from(name.to_uppercase()).unwrap(),
            )]);
            let encoding = Encoding::of(&headers).unwrap();
            let bytes = encoded(&body, name);
            assert!(encoding.decode(&bytes, usize::MAX) == body, "{name}");
            assert!(encoding.decode(&bytes, 1_000) == body[..1_000], "{name}");
            let some = encoding.decode(&bytes[..bytes.len() / 2], usize::MAX);
            assert!(!some.is_empty() && body.starts_with(&some), "{name}");
            assert!(encoding.decode(b"\x00nonsense", 100).len() <= 9);
        }
        let odd = HeaderMap::from_iter([(
            header::CONTENT_ENCODING,
            HeaderValue::from_static("compress"),
        )]);
        assert_eq!(Encoding::of(&odd), None);
        assert_eq!(Encoding::of(&HeaderMap::new()), Some(Encoding::Identity));
    }
}
