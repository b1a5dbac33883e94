//! Where the body of an answer ends (RFC 9112, sections 6 and 7).

use bytes::{Buf, Bytes, BytesMut};
use http::{HeaderMap, Method, StatusCode, header};
use httparse::Status;

/// Of a line that says how long a chunk is.
const MOST_SIZE_LINE: usize = 16 * 1024;
/// Of all that follows the last chunk.
const MOST_TRAILERS: usize = 16 * 1024;

/// What of a body is still to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    Length(u64),
    Chunked(Chunked),
    /// All there is until the connection ends.
    UntilClose,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunked {
    Size,
    Data(u64),
    DataEnd,
    /// Lines up to an empty one, and how many bytes they may still have.
    Trailers(usize),
    Nothing,
}

/// What an answer must not be like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    #[error("the answer says twice, and differently, how long it is")]
    Length,
    #[error("the answer is in a transfer encoding that is not `chunked`")]
    Encoding,
    #[error("a chunk of the answer is not written as it should be")]
    Chunk,
}

impl Framing {
    /// Of an answer to a request by `method`. Chunks go before a length.
    pub fn of(method: &Method, status: StatusCode, headers: &HeaderMap) -> Result<Self, Malformed> {
        let has_none = *method == Method::HEAD
            || status == StatusCode::NO_CONTENT
            || status == StatusCode::NOT_MODIFIED;
        if has_none {
            return Ok(Self::Length(0));
        }
        let mut encodings = headers.get_all(header::TRANSFER_ENCODING).iter();
        if let Some(encoding) = encodings.next() {
            let is_chunked = encoding
                .as_bytes()
                .trim_ascii()
                .eq_ignore_ascii_case(b"chunked");
            return match is_chunked && encodings.next().is_none() {
                true => Ok(Self::Chunked(Chunked::Size)),
                false => Err(Malformed::Encoding),
            };
        }
        let mut lengths = headers.get_all(header::CONTENT_LENGTH).iter();
        let Some(length) = lengths.next() else {
            return Ok(Self::UntilClose);
        };
        if lengths.any(|other| other != length) {
            return Err(Malformed::Length);
        }
        let digits = length.as_bytes();
        if !digits.iter().all(u8::is_ascii_digit) {
            return Err(Malformed::Length);
        }
        let length = str::from_utf8(digits)
            .ok()
            .and_then(|digits| digits.parse().ok());
        length.map(Self::Length).ok_or(Malformed::Length)
    }

    /// The next piece of the body, out of what has arrived. Nothing when more has to arrive for it, or when
    /// the body has ended.
    pub fn next(&mut self, arrived: &mut BytesMut) -> Result<Option<Bytes>, Malformed> {
        match self {
            Self::Length(left) => Ok(take(left, arrived)),
            Self::UntilClose => Ok(take(&mut u64::MAX.clone(), arrived)),
            Self::Chunked(chunked) => chunked.next(arrived),
        }
    }

    /// Whether all of it was taken.
    pub fn is_ended(self) -> bool {
        self.left() == Some(0)
    }

    /// How many bytes are still to come, where that is known.
    pub fn left(self) -> Option<u64> {
        match self {
            Self::Length(left) => Some(left),
            Self::Chunked(Chunked::Nothing) => Some(0),
            Self::Chunked(_) | Self::UntilClose => None,
        }
    }
}

impl Chunked {
    fn next(&mut self, arrived: &mut BytesMut) -> Result<Option<Bytes>, Malformed> {
        loop {
            match self {
                // httparse reads a line without a number as the last chunk.
                Self::Size
                    if arrived
                        .first()
                        .is_some_and(|byte| !byte.is_ascii_hexdigit()) =>
                {
                    return Err(Malformed::Chunk);
                }
                Self::Size => match httparse::parse_chunk_size(arrived) {
                    Ok(Status::Complete((length, size))) => {
                        let line = arrived.split_to(length);
                        // Others end a line there, and read on in the middle of this one.
                        if memchr::memchr(b'\n', &line) != Some(length - 1) {
                            return Err(Malformed::Chunk);
                        }
                        *self = match size {
                            0 => Self::Trailers(MOST_TRAILERS),
                            _ => Self::Data(size),
                        };
                    }
                    Ok(Status::Partial) if arrived.len() <= MOST_SIZE_LINE => return Ok(None),
                    Ok(Status::Partial) | Err(_) => return Err(Malformed::Chunk),
                },
                Self::Data(0) => *self = Self::DataEnd,
                Self::Data(left) => return Ok(take(left, arrived)),
                Self::DataEnd => match &arrived[..] {
                    [b'\r', b'\n', ..] => {
                        arrived.advance(2);
                        *self = Self::Size;
                    }
                    [] | [b'\r'] => return Ok(None),
                    _ => return Err(Malformed::Chunk),
                },
                // Nobody has asked for them.
                Self::Trailers(left) => match memchr::memchr(b'\n', arrived) {
                    Some(end) if end < *left => {
                        let line = arrived.split_to(end + 1);
                        *self = match &line[..] {
                            b"\r\n" | b"\n" => Self::Nothing,
                            _ => Self::Trailers(*left - line.len()),
                        };
                    }
                    None if arrived.len() <= *left => return Ok(None),
                    Some(_) | None => return Err(Malformed::Chunk),
                },
                Self::Nothing => return Ok(None),
            }
        }
    }
}

/// As much as there is of `left` bytes.
fn take(left: &mut u64, arrived: &mut BytesMut) -> Option<Bytes> {
    let most = usize::try_from(*left).unwrap_or(usize::MAX);
    let length = arrived.len().min(most);
    *left -= length as u64;
    (length > 0).then(|| arrived.split_to(length).freeze())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn framing(status: u16, lines: &[(&'static str, &'static str)]) -> Result<Framing, Malformed> {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, HeaderValue::from_static(value));
        }
        let status = StatusCode::from_u16(status).unwrap();
        Framing::of(&Method::POST, status, &headers)
    }

    #[test]
    fn an_answers_head_says_where_its_body_ends_or_is_refused() {
        let chunked = ("transfer-encoding", "chunked");
        let length = ("content-length", "5");
        assert_eq!(framing(200, &[length]), Ok(Framing::Length(5)));
        assert_eq!(framing(200, &[length, length]), Ok(Framing::Length(5)));
        assert_eq!(
            framing(200, &[("transfer-encoding", "Chunked")]),
            Ok(Framing::Chunked(Chunked::Size))
        );
        assert_eq!(framing(200, &[]), Ok(Framing::UntilClose));
        assert_eq!(framing(204, &[chunked]), Ok(Framing::Length(0)));
        assert_eq!(framing(304, &[length]), Ok(Framing::Length(0)));
        let head = Framing::of(&Method::HEAD, StatusCode::OK, &HeaderMap::new());
        assert_eq!(head, Ok(Framing::Length(0)));

        let six = ("content-length", "6");
        assert_eq!(framing(200, &[length, six]), Err(Malformed::Length));
        for wrong in ["", "+5", "-1", "5, 5", "0x5", "99999999999999999999"] {
            let refused = framing(200, &[("content-length", wrong)]);
            assert_eq!(refused, Err(Malformed::Length), "{wrong}");
        }
        let both = framing(200, &[length, chunked]);
        assert_eq!(both, Ok(Framing::Chunked(Chunked::Size)));
        for wrong in [
            &[chunked, chunked][..],
            &[("transfer-encoding", "gzip, chunked")],
            &[("transfer-encoding", "identity")],
        ] {
            assert_eq!(framing(200, wrong), Err(Malformed::Encoding), "{wrong:?}");
        }
    }

    /// The body of what arrives in pieces of `size`, and what is left over.
    fn read(
        mut framing: Framing,
        all: &[u8],
        size: usize,
    ) -> Result<(Vec<u8>, Vec<u8>), Malformed> {
        let mut arrived = BytesMut::new();
        let mut body = Vec::new();
        for piece in all.chunks(size) {
            arrived.extend_from_slice(piece);
            while let Some(part) = framing.next(&mut arrived)? {
                body.extend_from_slice(&part);
            }
        }
        assert!(framing.is_ended());
        Ok((body, arrived.to_vec()))
    }

    #[test]
    fn chunks_are_put_together_however_they_arrive() {
        let all =
            b"4\r\nWiki\r\n5;name=\"value\"\r\npedia\r\n00\r\nx-trailer: 1\r\nother: 2\r\n\r\nnext";
        for size in 1..all.len() {
            let (body, left) = read(Framing::Chunked(Chunked::Size), all, size).unwrap();
            assert_eq!(body, b"Wikipedia", "in pieces of {size}");
            assert_eq!(left, b"next");
        }
        let blank = read(Framing::Chunked(Chunked::Size), b"0\r\n \r\n\r\nnext", 1).unwrap();
        assert_eq!(blank.1, b"next", "only an empty line is the end");
        let plain = read(Framing::Length(4), b"fournext", 3).unwrap();
        assert_eq!(plain, (b"four".to_vec(), b"next".to_vec()));
    }

    #[test]
    fn what_is_not_a_chunk_is_refused() {
        let endless = [b"4;".as_slice(), &[b'x'; 2 * MOST_SIZE_LINE]].concat();
        let trailer = [b"0\r\n".as_slice(), &[b'x'; 2 * MOST_TRAILERS]].concat();
        let trailers = [b"0\r\n".as_slice(), &b"x: y\r\n".repeat(MOST_TRAILERS / 3)].concat();
        for wrong in [
            b"x\r\n".as_slice(),
            b"-1\r\n",
            b"4\r\nWikiXX",
            b"4\r\nWiki\rX",
            b"11111111111111111\r\n",
            b"\r\n",
            b"4;a\nb\r\nWiki\r\n0\r\n\r\n",
            &endless,
            &trailer,
            &trailers,
        ] {
            let refused = read(Framing::Chunked(Chunked::Size), wrong, 1);
            assert_eq!(refused, Err(Malformed::Chunk));
        }
    }
}
