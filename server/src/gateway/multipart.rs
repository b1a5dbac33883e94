//! Finding the field `model` in a `multipart/form-data` body while it comes in (RFC 7578, RFC 2046).
//!
//! The scanner says what the field says and where its value stands, so that it alone can be replaced;
//! it keeps no contents and changes nothing. A route is chosen by what it finds, so no parser behind us
//! may find another `model`, or one more. Parsers differ in what they forgive: what the RFCs forbid is
//! refused, and so is what they allow but parsers read in more than one way. Clients send neither.

use std::ops::Range;

use memchr::memmem::{self, Finder};

/// The headers of one part, line ends included.
const LONGEST_HEADERS: usize = 16 * 1024;
const LONGEST_MODEL: usize = 1024;
const MOST_PARTS: usize = 1_000;

const DISPOSITION: &[u8] = b"content-disposition";

/// Why a body is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    #[error(
        "Send the header `Content-Type: multipart/form-data; boundary=…`, with no parameter but `boundary` and `charset=utf-8`, each once."
    )]
    ContentType,
    #[error(
        "The boundary in `Content-Type` must have 1 to 70 characters, all of them letters, digits or one of + - . / = _."
    )]
    Boundary,
    #[error("The body must begin with `--` and the boundary that `Content-Type` names.")]
    Preamble,
    #[error(
        "The boundary stands where no part begins or ends. It must have lines of its own, ended by CRLF, and occur in no part."
    )]
    Delimiter,
    #[error("The body goes on after its closing boundary.")]
    Epilogue,
    #[error("A part has a header that is not `Name: value` on one line ended by CRLF.")]
    Header,
    #[error("The headers of a part are longer than 16 KiB.")]
    HeadersTooLong,
    #[error(
        "A part has no `Content-Disposition` of the form `form-data; name=\"…\"; filename=\"…\"`, or more than one."
    )]
    Disposition,
    #[error(
        "A part's `Content-Disposition` has `name*`, which multipart/form-data does not allow. Write `name=\"…\"`."
    )]
    ExtendedName,
    #[error(
        "A part's `Content-Disposition` can be read in more than one way. Leave \\ % & ; = out of `name`, and `name=` out of `filename`; write `model` in lower case, with nothing around it."
    )]
    Ambiguous,
    #[error("The body has more than one field `model`. Keep one.")]
    SecondModel,
    #[error(
        "The field `model` must be plain text: no `filename`, no `Content-Type` but text/plain in UTF-8, ASCII or ISO-8859-1, no `Content-Transfer-Encoding` but 7bit, 8bit or binary."
    )]
    ModelNotPlain,
    #[error("The value of `model` is longer than 1 KiB. Name a route there.")]
    ModelTooLong,
    #[error("The value of `model` is not UTF-8. Name a route there.")]
    ModelNotUtf8,
    #[error("The value of `model` is blank. Name a route there.")]
    ModelBlank,
    #[error("The body has more than 1,000 parts.")]
    TooManyParts,
    #[error("The body ended before its closing boundary.")]
    Unfinished,
}

/// The field `model`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    pub value: String,
    /// Where the bytes of the value stand, counted from the start of the body.
    pub span: Range<u64>,
}

/// The boundary that a `Content-Type` names.
///
/// # Errors
/// The type is another, or a parser could take another boundary or another charset from it: a charset
/// such as UTF-7 spells `model` in bytes that we would not know.
pub fn boundary(content_type: &[u8]) -> Result<Vec<u8>, Problem> {
    let (kind, parameters) = taken_apart(content_type).ok_or(Problem::ContentType)?;
    let mut boundary = None;
    let mut charset = None;
    for (name, value) in parameters {
        let earlier = match name.to_ascii_lowercase().as_slice() {
            b"boundary" => boundary.replace(value),
            b"charset" => charset.replace(value),
            _ => return Err(Problem::ContentType),
        };
        if earlier.is_some() {
            return Err(Problem::ContentType);
        }
    }
    if !kind.eq_ignore_ascii_case(b"multipart/form-data")
        || charset.is_some_and(|charset| !charset.eq_ignore_ascii_case(b"utf-8"))
    {
        return Err(Problem::ContentType);
    }
    let boundary = boundary.ok_or(Problem::ContentType)?;
    // RFC 2046 allows more: spaces and quotes, which some parsers trim, and commas, where some cut.
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-./=_".contains(byte);
    if boundary.is_empty() || boundary.len() > 70 || !boundary.iter().all(allowed) {
        return Err(Problem::Boundary);
    }
    Ok(boundary.to_vec())
}

/// Looks at a body that comes in pieces, cut anywhere, and holds no more than one part's headers.
#[derive(Debug)]
pub struct Scanner {
    /// `--` and the boundary.
    delimiter: Finder<'static>,
    state: State,
    /// How many bytes have been looked at.
    at: u64,
    parts: usize,
    /// What is kept of earlier pieces: a part's headers, or the end of contents, in which a delimiter
    /// may have begun.
    kept: Vec<u8>,
    /// What has come of the value of `model`, in its part.
    value: Option<Vec<u8>>,
    model: Option<Model>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// In the first delimiter, before which nothing may stand: parsers disagree on whether that is
    /// looked into.
    Start,
    AfterDelimiter,
    Padding,
    LineEnd,
    Headers,
    Contents,
    /// After `--boundary-`.
    Closing,
    Closed,
    ClosedLineEnd,
    /// After the last line. Nothing may follow, as some parsers look for one more part.
    End,
    Refused(Problem),
}

impl State {
    /// From a delimiter to the end of its line. Blanks before that are transport padding. To some
    /// parsers a padded delimiter is none: they see fewer parts than we do, but none that we do not see.
    fn after(self, byte: u8) -> Option<Self> {
        Some(match (self, byte) {
            (Self::AfterDelimiter | Self::Padding, b' ' | b'\t') => Self::Padding,
            (Self::AfterDelimiter | Self::Padding, b'\r') => Self::LineEnd,
            (Self::LineEnd, b'\n') => Self::Headers,
            (Self::AfterDelimiter, b'-') => Self::Closing,
            (Self::Closing, b'-') | (Self::Closed, b' ' | b'\t') => Self::Closed,
            (Self::Closed, b'\r') => Self::ClosedLineEnd,
            (Self::ClosedLineEnd, b'\n') => Self::End,
            _ => return None,
        })
    }
}

impl Scanner {
    /// For a body with this [`boundary`].
    pub fn new(boundary: &[u8]) -> Self {
        Self {
            delimiter: Finder::new(&[b"--", boundary].concat()).into_owned(),
            state: State::Start,
            at: 0,
            parts: 0,
            kept: Vec::new(),
            value: None,
            model: None,
        }
    }

    /// Looks at the next piece.
    ///
    /// # Errors
    /// The body is to be refused; so is every further piece.
    pub fn push(&mut self, piece: &[u8]) -> Result<(), Problem> {
        let mut rest = piece;
        while let Some(first) = rest.first() {
            let looked_at = match self.state {
                State::Start => self.start(rest),
                State::Headers => self.headers(rest),
                State::Contents => self.contents(rest),
                State::End => Err(Problem::Epilogue),
                State::Refused(problem) => Err(problem),
                _ => self.delimiter_line(*first),
            };
            let length = looked_at.inspect_err(|problem| self.state = State::Refused(*problem))?;
            self.at += length as u64;
            rest = &rest[length..];
        }
        Ok(())
    }

    /// The field `model`, as soon as its value is complete. A later piece may still be refused, as for
    /// a second one.
    pub fn model(&self) -> Option<&Model> {
        self.model.as_ref()
    }

    /// Tells that the body has ended.
    ///
    /// # Errors
    /// Its closing delimiter has not come, or it was refused before.
    pub fn finish(&self) -> Result<(), Problem> {
        match self.state {
            State::Closed | State::End => Ok(()),
            State::Refused(problem) => Err(problem),
            _ => Err(Problem::Unfinished),
        }
    }

    // Each of the following looks at the start of `rest`, up to where something else begins, and
    // answers how many bytes that was: at least one.

    fn start(&mut self, rest: &[u8]) -> Result<usize, Problem> {
        let expected = &self.delimiter.needle()[self.at as usize..];
        let length = expected.len().min(rest.len());
        if rest[..length] != expected[..length] {
            return Err(Problem::Preamble);
        }
        if length == expected.len() {
            self.state = State::AfterDelimiter;
        }
        Ok(length)
    }

    fn delimiter_line(&mut self, byte: u8) -> Result<usize, Problem> {
        self.state = self.state.after(byte).ok_or(Problem::Delimiter)?;
        if self.state == State::Headers {
            self.parts += 1;
            if self.parts > MOST_PARTS {
                return Err(Problem::TooManyParts);
            }
        }
        Ok(1)
    }

    fn headers(&mut self, rest: &[u8]) -> Result<usize, Problem> {
        let before = self.kept.len();
        let room = LONGEST_HEADERS.saturating_sub(before).min(rest.len());
        self.kept.extend_from_slice(&rest[..room]);
        // Some parsers read a part that begins with an empty line as if its headers came after that.
        if self.kept.starts_with(b"\r") {
            return Err(Problem::Disposition);
        }
        let from = before.saturating_sub(3);
        let Some(found) = memmem::find(&self.kept[from..], b"\r\n\r\n") else {
            let is_full = self.kept.len() >= LONGEST_HEADERS;
            return if is_full {
                Err(Problem::HeadersTooLong)
            } else {
                Ok(room)
            };
        };
        let end = from + found + 4;
        let headers = &self.kept[..end - 2];
        if self.delimiter.find(headers).is_some() {
            return Err(Problem::Delimiter);
        }
        if is_model(headers)? {
            if self.model.is_some() {
                return Err(Problem::SecondModel);
            }
            self.value = Some(Vec::new());
        }
        self.kept.clear();
        self.state = State::Contents;
        Ok(end - before)
    }

    fn contents(&mut self, rest: &[u8]) -> Result<usize, Problem> {
        let found = self.find_delimiter(rest);
        let length = found.map_or(rest.len(), |(end, _)| end);
        let around = self.delimiter.needle().len() + 2;
        if let Some(value) = &mut self.value {
            if value.len() + length > LONGEST_MODEL + around {
                return Err(Problem::ModelTooLong);
            }
            value.extend_from_slice(&rest[..length]);
        }
        let Some((_, begins_line)) = found else {
            return Ok(length);
        };
        // Some parsers cut contents at a boundary wherever it stands, some after any line end.
        if !begins_line {
            return Err(Problem::Delimiter);
        }
        if let Some(mut value) = self.value.take() {
            value.truncate(value.len() - around);
            let end = self.at + length as u64 - around as u64;
            let span = end - value.len() as u64..end;
            let value = String::from_utf8(value).map_err(|_| Problem::ModelNotUtf8)?;
            if value.trim().is_empty() {
                return Err(Problem::ModelBlank);
            }
            self.model = Some(Model { value, span });
        }
        self.state = State::AfterDelimiter;
        Ok(length)
    }

    /// Where in `rest` the next delimiter ends, and whether a CRLF of these contents stands before it.
    fn find_delimiter(&mut self, rest: &[u8]) -> Option<(usize, bool)> {
        let length = self.delimiter.needle().len();
        // As many bytes as may belong to an unfinished delimiter and the CRLF before it.
        let reach = length + 1;
        let overlap = rest.len().min(reach);
        let before = self.kept.len();
        self.kept.extend_from_slice(&rest[..overlap]);
        let over_the_cut = self.delimiter.find(&self.kept).map(|start| {
            let begins_line = self.kept[..start].ends_with(b"\r\n");
            (start + length - before, begins_line)
        });
        // What begins later than the overlap shows has its CRLF in this piece.
        let found = over_the_cut.or_else(|| {
            let start = self.delimiter.find(rest)?;
            Some((start + length, rest[..start].ends_with(b"\r\n")))
        });
        if found.is_some() {
            self.kept.clear();
        } else if rest.len() > reach {
            self.kept.clear();
            self.kept.extend_from_slice(&rest[rest.len() - reach..]);
        } else {
            self.kept.drain(..self.kept.len().saturating_sub(reach));
        }
        found
    }
}

/// Whether the part with these headers is the field `model`.
fn is_model(headers: &[u8]) -> Result<bool, Problem> {
    let mut disposition = None;
    let mut is_text = true;
    for line in headers.split_inclusive(|byte| *byte == b'\n') {
        let (name, value) = header(line).ok_or(Problem::Header)?;
        if name.eq_ignore_ascii_case(DISPOSITION) {
            disposition = Some(value);
        }
        is_text &= leaves_text(name, value);
    }
    // Of two, some parsers take the first, some the last, and some search for it within other headers.
    let named = memmem::find_iter(&headers.to_ascii_lowercase(), DISPOSITION).count();
    let disposition = disposition.filter(|_| named == 1);
    let (name, is_file) = field(disposition.ok_or(Problem::Disposition)?)?;
    if name != b"model" {
        return Ok(false);
    }
    if is_file || !is_text {
        return Err(Problem::ModelNotPlain);
    }
    Ok(true)
}

/// Name and value of a header. Nothing for a line that parsers read differently: ended by LF alone,
/// which is a line end to some; folded; with blanks before the colon; with control characters.
fn header(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (name, value) = token(line.strip_suffix(b"\r\n")?)?;
    let value = value.strip_prefix(b":")?;
    let is_text = |byte: &u8| *byte == b'\t' || !byte.is_ascii_control();
    value
        .iter()
        .all(is_text)
        .then(|| (name, value.trim_ascii()))
}

/// Whether, with this header, all parsers read the contents as the text that they are.
fn leaves_text(name: &[u8], value: &[u8]) -> bool {
    let is_one_of = |value: &[u8], plain: &[&str]| {
        plain
            .iter()
            .any(|plain| value.eq_ignore_ascii_case(plain.as_bytes()))
    };
    match name.to_ascii_lowercase().as_slice() {
        b"content-encoding" => is_one_of(value, &["identity"]),
        b"content-transfer-encoding" => is_one_of(value, &["7bit", "8bit", "binary"]),
        b"content-type" => taken_apart(value).is_some_and(|(kind, parameters)| {
            is_one_of(kind, &["text/plain"])
                && parameters.iter().all(|(name, value)| {
                    !name.to_ascii_lowercase().starts_with(b"charset")
                        || is_one_of(value, &["utf-8", "us-ascii", "iso-8859-1"])
                })
        }),
        _ => true,
    }
}

/// The name in a `Content-Disposition`, and whether it is a file's. RFC 7578 demands a name; where it is
/// missing or empty, some parsers take that of the file for it, or a `Content-ID`.
fn field(disposition: &[u8]) -> Result<(&[u8], bool), Problem> {
    let (kind, parameters) = taken_apart(disposition).ok_or(Problem::Disposition)?;
    // Some parsers read the name whatever kind this is, and some only of this one.
    if !kind.eq_ignore_ascii_case(b"form-data") {
        return Err(Problem::Disposition);
    }
    let mut name = None;
    let mut is_file = false;
    for (parameter, value) in parameters {
        if hides_a_name(value) {
            return Err(Problem::Ambiguous);
        }
        match parameter.to_ascii_lowercase().as_slice() {
            b"name" if name.is_none() => name = Some(value),
            b"filename" | b"filename*" => is_file = true,
            // Whether its parts (`name*0`, `name*1`) make up a name differs too.
            extended if extended.starts_with(b"name*") => return Err(Problem::ExtendedName),
            _ => return Err(Problem::Disposition),
        }
    }
    let name = name.filter(|name| !name.is_empty());
    let name = name.ok_or(Problem::Disposition)?;
    if is_ambiguous(name) {
        return Err(Problem::Ambiguous);
    }
    Ok((name, is_file))
}

/// Whether parsers that split at every `;`, or search for `name=`, find a name within a quoted value.
fn hides_a_name(value: &[u8]) -> bool {
    let value = value.to_ascii_lowercase();
    memmem::find_iter(&value, b"name").any(|at| {
        let after = value[at + 4..].trim_ascii_start();
        after.starts_with(b"=") || after.starts_with(b"*")
    })
}

/// Whether parsers read different names: some take a backslash, `%6d`, `&#109;` and `=?utf-8?q?m?=` for
/// what they stand for, some split at every `;` and `=`, and some ignore case, or trim blanks, slashes
/// or a byte order mark.
fn is_ambiguous(name: &[u8]) -> bool {
    let spelled = name
        .iter()
        .filter(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(byte))
        .map(u8::to_ascii_lowercase);
    name.iter().any(|byte| b"\\%&;=".contains(byte)) || (name != b"model" && spelled.eq(*b"model"))
}

type Parameters<'a> = Vec<(&'a [u8], &'a [u8])>;

/// A header's value before its first `;`, and the parameters after that: `name=token` or
/// `name="quoted"`, given without the quotes but with its backslashes.
fn taken_apart(value: &[u8]) -> Option<(&[u8], Parameters<'_>)> {
    let end = value.iter().position(|byte| *byte == b';');
    let (first, mut rest) = value.split_at(end.unwrap_or(value.len()));
    let mut parameters = Vec::new();
    while let Some(after) = rest.strip_prefix(b";") {
        rest = after.trim_ascii_start();
        if rest.is_empty() {
            break;
        }
        let (name, after) = token(rest)?;
        let after = after.strip_prefix(b"=")?;
        let (value, after) = match after.strip_prefix(b"\"") {
            Some(after) => quoted(after)?,
            None => token(after)?,
        };
        parameters.push((name, value));
        rest = after.trim_ascii_start();
    }
    rest.is_empty().then(|| (first.trim_ascii(), parameters))
}

/// A token (RFC 9110), and what follows it.
fn token(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let belongs = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    let end = text.iter().position(|byte| !belongs(byte));
    let (token, rest) = text.split_at(end.unwrap_or(text.len()));
    (!token.is_empty()).then_some((token, rest))
}

/// The inside of a quoted string whose first quote is taken off, and what follows its last.
fn quoted(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut is_escaped = false;
    let end = text.iter().position(|byte| {
        let ends = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        ends
    })?;
    Some((&text[..end], &text[end + 1..]))
}

#[cfg(test)]
mod tests;
