//! One connection to a host that is asked in clear: a request that is there as a whole goes out, an answer
//! comes in.
//!
//! hyper's client does more, and gives each connection a task, with two channels between that and who waits for
//! the answer: an eighth of all instructions of a small request. httparse reads heads and sizes of chunks.

use std::io;
use std::ops::Range;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use http::request;
use http::{HeaderName, HeaderValue, Method, Response, StatusCode, header};
use httparse::Status;
use smallvec::SmallVec;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::WriteHalf;
use tokio_util::io::poll_read_buf;

use super::BoxError;
use super::framing::Framing;

/// Room for what arrives: most answers and all frames of streams fit, and it grows with what comes.
const ROOM: usize = 4 * 1024;
const MOST_ROOM: usize = 128 * 1024;
/// Of an answer's head.
const MOST_HEAD: usize = 256 * 1024;
const USUAL_HEADERS: usize = 32;
const MOST_HEADERS: usize = 256;
/// A body up to this size is copied behind its head: cheaper than telling the system of two pieces.
const COPIED: usize = 16 * 1024;
const USUAL_REQUEST_HEAD: usize = 1024;

#[derive(Debug)]
pub struct Wire {
    stream: TcpStream,
    /// What has arrived and was not taken yet.
    arrived: BytesMut,
    room: usize,
}

/// The head of an answer, and what is known of the rest.
#[derive(Debug)]
pub struct Head {
    pub answer: Response<()>,
    pub framing: Framing,
    /// Whether another request may follow once the body has ended.
    pub can_go_on: bool,
}

/// No answer.
#[derive(Debug, thiserror::Error)]
pub enum Broken {
    /// Not a byte came before the end.
    #[error("the connection ended")]
    Ended(#[source] Option<io::Error>),
    #[error("the answer broke off in its head")]
    Head(#[source] Option<io::Error>),
    #[error("the answer cannot be read")]
    Malformed(#[source] BoxError),
}

impl Wire {
    pub fn over(stream: TcpStream) -> Self {
        Self {
            stream,
            arrived: BytesMut::new(),
            room: ROOM,
        }
    }

    /// Whether it can take a request: the other end is there and has said nothing unasked.
    pub fn is_idle(&self) -> bool {
        let nothing = self.stream.try_read(&mut [0]);
        self.arrived.is_empty()
            && nothing.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }

    /// Gives back what a large answer has made it hold.
    pub fn shrink(&mut self) {
        if self.room > ROOM {
            self.room = ROOM;
            self.arrived = BytesMut::new();
        }
    }

    /// Sends a request to the host of that name, and waits for the head of its answer.
    pub async fn ask(
        &mut self,
        host: &HeaderValue,
        request: &request::Parts,
        body: Bytes,
    ) -> Result<Head, Broken> {
        let (mut reader, mut writer) = self.stream.split();
        let mut sending = pin!(send(&mut writer, written(host, request, &body), body));
        let mut answer = pin!(read_head(&mut reader, &mut self.arrived, &request.method));
        let mut is_sent = false;
        loop {
            tokio::select! {
                // Most answer when they have all of it.
                biased;
                sent = &mut sending, if !is_sent => {
                    is_sent = true;
                    if let Err(error) = sent {
                        // Who does not read on may have said why.
                        let head = answer.await.map_err(|broken| broken.because(error))?;
                        return Ok(Head { can_go_on: false, ..head });
                    }
                }
                head = &mut answer => {
                    let head = head?;
                    // Who refuses need not read the rest; who goes along waits for it.
                    let is_sent = is_sent
                        || head.answer.status().is_success() && sending.await.is_ok();
                    return Ok(Head { can_go_on: head.can_go_on && is_sent, ..head });
                }
            }
        }
    }

    /// The next piece of a body; nothing at its end.
    pub fn poll_piece(
        &mut self,
        framing: &mut Framing,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, BoxError>>> {
        loop {
            match framing.next(&mut self.arrived) {
                Ok(Some(piece)) => return Poll::Ready(Some(Ok(piece))),
                Ok(None) if framing.is_ended() => return Poll::Ready(None),
                Ok(None) => {}
                Err(malformed) => return Poll::Ready(Some(Err(malformed.into()))),
            }
            // All that is known to come, or more each time.
            let known = framing.left().and_then(|left| usize::try_from(left).ok());
            self.room = self.room.max(known.unwrap_or_default().min(MOST_ROOM));
            self.arrived.reserve(self.room);
            let stream = Pin::new(&mut self.stream);
            match std::task::ready!(poll_read_buf(stream, cx, &mut self.arrived)) {
                Ok(0) if *framing == Framing::UntilClose => return Poll::Ready(None),
                Ok(0) => {
                    return Poll::Ready(Some(Err(Box::new(io::Error::from(
                        io::ErrorKind::UnexpectedEof,
                    )))));
                }
                Ok(came) if came >= self.room => self.room = MOST_ROOM.min(2 * self.room),
                Ok(_) => {}
                Err(error) => return Poll::Ready(Some(Err(error.into()))),
            }
        }
    }
}

impl Broken {
    /// With why it could not be sent, should that say more.
    fn because(self, error: io::Error) -> Self {
        match self {
            Self::Ended(None) => Self::Ended(Some(error)),
            known => known,
        }
    }
}

/// The head of a request as it is sent, with the body where that is short.
fn written(host: &HeaderValue, request: &request::Parts, body: &Bytes) -> Vec<u8> {
    let copied = if body.len() <= COPIED { &body[..] } else { &[] };
    let mut text = Vec::with_capacity(USUAL_REQUEST_HEAD + copied.len());
    let path = request
        .uri
        .path_and_query()
        .map_or("/", |path| path.as_str());
    text.extend_from_slice(request.method.as_str().as_bytes());
    text.push(b' ');
    text.extend_from_slice(path.as_bytes());
    text.extend_from_slice(b" HTTP/1.1\r\n");
    let mut line = |name: &HeaderName, value: &[u8]| {
        text.extend_from_slice(name.as_str().as_bytes());
        text.extend_from_slice(b": ");
        text.extend_from_slice(value);
        text.extend_from_slice(b"\r\n");
    };
    line(&header::HOST, host.as_bytes());
    for (name, value) in &request.headers {
        // What this end says itself.
        let is_ours = *name == header::HOST
            || *name == header::CONTENT_LENGTH
            || *name == header::TRANSFER_ENCODING
            || *name == header::CONNECTION;
        if !is_ours {
            line(name, value.as_bytes());
        }
    }
    let may_have_none = matches!(request.method, Method::GET | Method::HEAD | Method::DELETE);
    if !body.is_empty() || !may_have_none {
        line(&header::CONTENT_LENGTH, body.len().to_string().as_bytes());
    }
    text.extend_from_slice(b"\r\n");
    text.extend_from_slice(copied);
    text
}

async fn send(writer: &mut WriteHalf<'_>, head: Vec<u8>, body: Bytes) -> io::Result<()> {
    writer.write_all(&head).await?;
    match body.len() <= COPIED {
        true => Ok(()),
        false => writer.write_all(&body).await,
    }
}

async fn read_head(
    reader: &mut (impl AsyncRead + Unpin),
    arrived: &mut BytesMut,
    method: &Method,
) -> Result<Head, Broken> {
    let mut is_silent = true;
    loop {
        arrived.reserve(ROOM);
        let ended = match reader.read_buf(arrived).await {
            Ok(0) => None,
            Ok(_) => {
                is_silent = false;
                if let Some(head) = parse(arrived, method)? {
                    return Ok(head);
                }
                continue;
            }
            Err(error) => Some(error),
        };
        return Err(match is_silent {
            true => Broken::Ended(ended),
            false => Broken::Head(ended),
        });
    }
}

/// Takes the head out of what has arrived, if all of it has.
fn parse(arrived: &mut BytesMut, method: &Method) -> Result<Option<Head>, Broken> {
    loop {
        let Some(mut answer) = parse_one(arrived)? else {
            return match arrived.len() > MOST_HEAD {
                true => Err(malformed("its head is too long")),
                false => Ok(None),
            };
        };
        let status = answer.status();
        if status == StatusCode::SWITCHING_PROTOCOLS {
            return Err(malformed("it switches to a protocol that nobody asked for"));
        }
        // Those come before the answer.
        if status.is_informational() {
            continue;
        }
        let headers = answer.headers_mut();
        let framing = Framing::of(method, status, headers).map_err(malformed)?;
        let closes = headers
            .get_all(header::CONNECTION)
            .iter()
            .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
            .any(|option| option.trim_ascii().eq_ignore_ascii_case(b"close"));
        // Others on the way may have taken the length for the end, which is how answers are smuggled.
        let is_doubtful = headers.contains_key(header::TRANSFER_ENCODING)
            && headers.remove(header::CONTENT_LENGTH).is_some();
        let can_go_on = !closes
            && !is_doubtful
            && answer.version() == http::Version::HTTP_11
            && framing != Framing::UntilClose;
        return Ok(Some(Head {
            answer,
            framing,
            can_go_on,
        }));
    }
}

fn parse_one(arrived: &mut BytesMut) -> Result<Option<Response<()>>, Broken> {
    let mut few = [httparse::EMPTY_HEADER; USUAL_HEADERS];
    let mut many;
    let mut parsed = httparse::Response::new(&mut few);
    let mut status = parsed.parse(arrived);
    if status == Err(httparse::Error::TooManyHeaders) {
        many = vec![httparse::EMPTY_HEADER; MOST_HEADERS];
        parsed = httparse::Response::new(&mut many);
        status = parsed.parse(arrived);
    }
    let Status::Complete(length) = status.map_err(malformed)? else {
        return Ok(None);
    };
    let mut answer = Response::new(());
    *answer.status_mut() =
        StatusCode::from_u16(parsed.code.unwrap_or_default()).map_err(malformed)?;
    *answer.version_mut() = match parsed.version {
        Some(1) => http::Version::HTTP_11,
        _ => http::Version::HTTP_10,
    };
    let begin = arrived.as_ptr().addr();
    let mut lines = SmallVec::<[(HeaderName, Range<usize>); USUAL_HEADERS]>::new();
    for line in &*parsed.headers {
        let name = HeaderName::from_bytes(line.name.as_bytes()).map_err(malformed)?;
        let value = line.value.as_ptr().addr() - begin;
        lines.push((name, value..value + line.value.len()));
    }
    // Its values stay where they arrived.
    let head = arrived.split_to(length).freeze();
    let headers = answer.headers_mut();
    // Some are put in afterwards.
    headers.reserve(lines.len() + 4);
    for (name, value) in lines {
        let value = HeaderValue::from_maybe_shared(head.slice(value)).map_err(malformed)?;
        headers.append(name, value);
    }
    Ok(Some(answer))
}

fn malformed(why: impl Into<BoxError>) -> Broken {
    Broken::Malformed(why.into())
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use http::Request;
    use proptest::prelude::*;
    use proptest::sample::Index;
    use tokio::net::TcpListener;

    use super::*;

    static HOST: HeaderValue = HeaderValue::from_static("model:8000");
    const OK: &str = "HTTP/1.1 200 OK\r\n";

    fn post(headers: &[(&'static str, &'static str)]) -> request::Parts {
        let mut request = Request::post("/v1/chat/completions?beta=1")
            .body(())
            .unwrap();
        for (name, value) in headers {
            let value = HeaderValue::from_static(value);
            request.headers_mut().append(*name, value);
        }
        request.into_parts().0
    }

    fn head(text: &str) -> Result<Option<Head>, Broken> {
        parse(&mut BytesMut::from(text), &Method::POST)
    }

    /// A wire, and its other end.
    async fn wire() -> (Wire, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (here, there) = tokio::join!(TcpStream::connect(address), listener.accept());
        (Wire::over(here.unwrap()), there.unwrap().0)
    }

    /// Reads a request with a body of `length` bytes.
    async fn read_request(there: &mut TcpStream, length: usize) -> Vec<u8> {
        let mut request = Vec::new();
        while memchr::memmem::find(&request, b"\r\n\r\n")
            .is_none_or(|head| request.len() < head + 4 + length)
        {
            assert!(there.read_buf(&mut request).await.unwrap() > 0);
        }
        request
    }

    async fn body(wire: &mut Wire, head: &Head) -> Result<Vec<u8>, BoxError> {
        let mut framing = head.framing;
        let mut body = Vec::new();
        while let Some(piece) = poll_fn(|cx| wire.poll_piece(&mut framing, cx)).await {
            body.extend_from_slice(&piece?);
        }
        Ok(body)
    }

    #[test]
    fn a_request_is_framed_here_whatever_its_headers_say() {
        let request = post(&[
            ("content-type", "application/json"),
            ("host", "elsewhere"),
            ("content-length", "7"),
            ("transfer-encoding", "chunked"),
            ("connection", "close"),
            ("x-two", "1"),
            ("x-two", "2"),
        ]);
        let text = written(&HOST, &request, &Bytes::from_static(b"{}"));
        let text = String::from_utf8(text).unwrap();
        assert_eq!(
            text,
            "POST /v1/chat/completions?beta=1 HTTP/1.1\r\nhost: model:8000\r\n\
             content-type: application/json\r\nx-two: 1\r\nx-two: 2\r\ncontent-length: 2\r\n\r\n{}"
        );
        let empty = written(&HOST, &post(&[]), &Bytes::new());
        assert!(empty.ends_with(b"content-length: 0\r\n\r\n"));
        let get = Request::get("/v1/responses/1").body(()).unwrap();
        let get = written(&HOST, &get.into_parts().0, &Bytes::new());
        assert_eq!(
            get,
            b"GET /v1/responses/1 HTTP/1.1\r\nhost: model:8000\r\n\r\n"
        );
    }

    #[test]
    fn an_answers_head_is_read_once_all_of_it_is_there() {
        let whole = format!("{OK}Content-Length: 3\r\nX-Id:  a b \r\nx-id: c\r\n\r\n");
        for end in 0..whole.len() {
            assert!(head(&whole[..end]).unwrap().is_none(), "{end}");
        }
        let read = head(&whole).unwrap().unwrap();
        assert_eq!(read.framing, Framing::Length(3));
        assert!(read.can_go_on);
        let ids = read.answer.headers().get_all("x-id").iter();
        assert_eq!(ids.collect::<Vec<_>>(), ["a b", "c"]);
        let many: String = (0..200)
            .map(|number| format!("x-{number}: y\r\n"))
            .collect();
        let many = head(&format!("{OK}{many}content-length: 0\r\n\r\n"));
        assert_eq!(many.unwrap().unwrap().answer.headers().len(), 201);
    }

    #[test]
    fn what_comes_before_the_answer_is_not_taken_for_it() {
        let early = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n";
        assert!(head(early).unwrap().is_none());
        let read = head(&format!("{early}HTTP/1.1 100 Continue\r\n\r\n{OK}\r\n"));
        assert_eq!(read.unwrap().unwrap().answer.status(), StatusCode::OK);
    }

    #[test]
    fn a_connection_is_kept_only_where_the_answer_lets_it_be() {
        let table = [
            ("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", true),
            ("HTTP/1.1 204 No Content\r\n\r\n", true),
            (
                "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
                true,
            ),
            ("HTTP/1.1 200 OK\r\n\r\n", false),
            ("HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n", false),
            (
                "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: x, Close\r\n\r\n",
                false,
            ),
        ];
        for (text, expected) in table {
            assert_eq!(head(text).unwrap().unwrap().can_go_on, expected, "{text}");
        }
        let both = format!("{OK}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n");
        let both = head(&both).unwrap().unwrap();
        assert!(!both.can_go_on);
        assert!(!both.answer.headers().contains_key("content-length"));
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        let long = format!("{OK}x: {}", "y".repeat(MOST_HEAD));
        let many: String = (0..=MOST_HEADERS).map(|_| "x: y\r\n").collect();
        for text in [
            "SSH-2.0-OpenSSH\r\n",
            "HTTP/2 200\r\n\r\n",
            "HTTP/1.1 99 No\r\n\r\n",
            "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nx y: z\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n",
            &long,
            &format!("{OK}{many}\r\n"),
        ] {
            let refused = head(text);
            assert!(matches!(refused, Err(Broken::Malformed(_))), "{text:.60}");
        }
    }

    proptest! {
        #[test]
        fn no_answer_makes_it_panic(
            text in "HTTP/1\\.[01] [1-5][0-9]{2} [a-z]{0,5}\r\n\
                     ((content-length|transfer-encoding|connection|x): ([0-9]{1,3}|chunked|close|[ -~]{0,9})\r\n){0,4}\r\n",
            body in "([0-9a-f]{1,2}(;[a-z]{0,3})?\r\n|[ -~]{0,20}|\r\n){0,9}",
            at: Index,
            byte: u8,
        ) {
            let mut bytes = [text.as_bytes(), body.as_bytes()].concat();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let mut arrived = BytesMut::from(&bytes[..]);
            if let Ok(Some(head)) = parse(&mut arrived, &Method::POST) {
                let mut framing = head.framing;
                let mut left = arrived.len();
                while let Ok(Some(piece)) = framing.next(&mut arrived) {
                    prop_assert!(!piece.is_empty() && piece.len() <= left);
                    left -= piece.len();
                }
            }
        }
    }

    #[tokio::test]
    async fn one_request_follows_another() {
        let (mut wire, mut there) = wire().await;
        for size in [2, COPIED + 1] {
            assert!(wire.is_idle());
            let sent = Bytes::from(vec![b'x'; size]);
            let request = post(&[]);
            let answer = async {
                let request = read_request(&mut there, size).await;
                assert!(request.ends_with(&sent));
                let answer = format!("{OK}transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n");
                there.write_all(answer.as_bytes()).await.unwrap();
                there.write_all(b"2\r\nde\r\n0\r\n\r\n").await.unwrap();
            };
            let (head, ()) = tokio::join!(wire.ask(&HOST, &request, sent.clone()), answer);
            let head = head.unwrap();
            assert!(head.can_go_on);
            assert_eq!(body(&mut wire, &head).await.unwrap(), b"abcde");
        }
        there.write_all(b"unasked").await.unwrap();
        wire.stream.readable().await.unwrap();
        assert!(!wire.is_idle());
    }

    #[tokio::test]
    async fn who_refuses_before_all_was_sent_gets_no_more_and_who_answers_gets_all() {
        // More than the system takes off this process.
        const LARGE: usize = 64 << 20;
        for (status, reads_on) in [("413 Content Too Large", false), ("200 OK", true)] {
            let (mut wire, mut there) = wire().await;
            let answer = async {
                let text = format!("HTTP/1.1 {status}\r\ncontent-length: 2\r\n\r\nno");
                there.write_all(text.as_bytes()).await.unwrap();
                if reads_on {
                    read_request(&mut there, LARGE).await;
                }
            };
            let large = Bytes::from(vec![b'x'; LARGE]);
            let request = post(&[]);
            let (head, ()) = tokio::join!(wire.ask(&HOST, &request, large), answer);
            let head = head.unwrap();
            assert_eq!(head.can_go_on, reads_on, "{status}");
            assert_eq!(body(&mut wire, &head).await.unwrap(), b"no");
        }
    }

    #[tokio::test]
    async fn where_it_breaks_off_is_told_apart() {
        let early = "HTTP/1.1 103 Early Hints\r\n\r\n";
        for (text, at_the_beginning) in [("", true), ("HTTP/1.1 200", false), (early, false)] {
            let (mut wire, mut there) = wire().await;
            there.write_all(text.as_bytes()).await.unwrap();
            drop(there);
            let broken = wire.ask(&HOST, &post(&[]), Bytes::new()).await.unwrap_err();
            assert_eq!(matches!(broken, Broken::Ended(_)), at_the_beginning);
            assert_eq!(matches!(broken, Broken::Head(_)), !at_the_beginning);
        }
        for (framing, ends_well) in [("content-length: 9\r\n", false), ("", true)] {
            let (mut wire, mut there) = wire().await;
            let text = format!("{OK}{framing}\r\nabc");
            there.write_all(text.as_bytes()).await.unwrap();
            let head = wire.ask(&HOST, &post(&[]), Bytes::new()).await.unwrap();
            read_request(&mut there, 0).await;
            drop(there);
            assert_eq!(body(&mut wire, &head).await.is_ok(), ends_well);
        }
    }
}
