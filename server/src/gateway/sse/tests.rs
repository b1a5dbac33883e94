use proptest::prelude::*;

use super::*;

type Read = Vec<(Vec<u8>, Vec<u8>)>;

/// Type and data of each event that a reader gives.
fn events_of<'a>(longest: usize, pieces: impl IntoIterator<Item = &'a [u8]>) -> Read {
    let mut reader = Reader::new(longest);
    let mut events = Vec::new();
    for piece in pieces {
        reader.push(piece, |event| {
            events.push((event.event.to_vec(), event.data.to_vec()));
        });
        assert!(reader.lines.len() <= longest + 1);
    }
    events
}

fn events(stream: &[u8]) -> Read {
    events_of(1024, [stream])
}

fn is_between_events(stream: &[u8]) -> bool {
    let mut boundary = Boundary::default();
    boundary.push(stream);
    boundary.is_between_events()
}

#[test]
fn an_event_is_its_type_and_its_lines_of_data() {
    let table: [(&str, &[(&str, &str)]); 14] = [
        ("data: {\"a\":1}\n\n", &[("", "{\"a\":1}")]),
        ("event: ping\ndata:x\n\n", &[("ping", "x")]),
        ("data: x\nevent: a\nevent: b\n\n", &[("b", "x")]),
        // One space belongs to the form, further ones to the data.
        ("data:  x \n\n", &[("", " x ")]),
        ("data: YHOO\ndata: +2\ndata\n\n", &[("", "YHOO\n+2\n")]),
        ("data: a:b\n\n", &[("", "a:b")]),
        // Without data there is no event; empty data is data.
        ("event: ping\n\ndata: x\n\n", &[("", "x")]),
        ("data\n\ndata:\n\n", &[("", ""), ("", "")]),
        (": comment\n\n:data: x\n\n", &[]),
        ("id: 1\nretry: 2\nDATA: x\n data: y\n\n", &[]),
        // The ending is part of an event.
        ("data: x\n", &[]),
        // Line ends of every kind, and mixed.
        (
            "data: a\r\n\r\ndata: b\r\rdata: c\n\r\n",
            &[("", "a"), ("", "b"), ("", "c")],
        ),
        ("\n\n\r\n\rdata: x\n\n\n\n", &[("", "x")]),
        ("data: é日😀\ndata: \0\n\n", &[("", "é日😀\n\0")]),
    ];
    for (stream, expected) in table {
        let expected: Read = expected
            .iter()
            .map(|(event, data)| (event.as_bytes().to_vec(), data.as_bytes().to_vec()))
            .collect();
        assert_eq!(events(stream.as_bytes()), expected, "{stream:?}");
        assert_eq!(
            events_of(1024, stream.as_bytes().chunks(1)),
            expected,
            "{stream:?}"
        );
    }
}

#[test]
fn a_byte_order_mark_counts_at_the_start_only() {
    assert_eq!(events("\u{feff}data: x\n\n".as_bytes()).len(), 1);
    assert_eq!(events("\u{feff}\ndata: x\n\n".as_bytes()).len(), 1);
    assert_eq!(events("\n\u{feff}data: x\n\n".as_bytes()).len(), 0);
    assert_eq!(events("\u{feff}\u{feff}data: x\n\n".as_bytes()).len(), 0);
}

#[test]
fn an_event_that_is_too_long_is_left_out_and_the_next_is_read() {
    let long = "x".repeat(30);
    for event in [
        format!("data: {long}\n\n"),
        format!("data: {long}\r\revent: {long}\r\r"),
        format!(": {long}\ndata: x\n\n"),
        String::from("data: 1\ndata: 2\ndata: 3\n\n"),
    ] {
        let stream = format!("data: a\n\n{event}data: b\n\n");
        let expected = [(vec![], b"a".to_vec()), (vec![], b"b".to_vec())];
        assert_eq!(events_of(20, [stream.as_bytes()]), expected, "{stream:?}");
        assert_eq!(
            events_of(20, stream.as_bytes().chunks(1)),
            expected,
            "{stream:?}"
        );
    }
    let fits = format!("data: {}\n\n", "x".repeat(20 - "data: \n".len()));
    assert_eq!(events_of(20, [fits.as_bytes()]).len(), 1);
}

#[test]
fn between_events_is_the_start_and_after_a_blank_line_that_lf_ends() {
    for stream in [
        "",
        "\n",
        "\r\n",
        "data: x\n\n",
        "data: x\r\n\r\n",
        "data: x\n\r\n",
        "data: x\r\r\n",
        "data: x\r\n\n",
        ": comment\n\n",
        "\n\n\n",
    ] {
        assert!(is_between_events(stream.as_bytes()), "{stream:?}");
    }
    for stream in [
        "d",
        "data: x",
        "data: x\n",
        "data: x\r\n",
        "data: x\n\nd",
        "data: x\n ",
        // An LF may follow that belongs to the CR.
        "\r",
        "data: x\r",
        "data: x\r\r",
        "data: x\n\r",
        "data: x\r\n\r",
        "\u{feff}",
        "\u{feff}\n",
    ] {
        assert!(!is_between_events(stream.as_bytes()), "{stream:?}");
    }
    assert!(!is_between_events(b"\xEF"), "part of a byte order mark");
}

/// All events of a stream, by the letter of the standard: decoded, lines split, interpreted.
fn by_the_standard(stream: &[u8]) -> Read {
    let stream = stream.strip_prefix(BYTE_ORDER_MARK).unwrap_or(stream);
    // One character a byte, so that bytes which are no UTF-8 stay apart.
    let text: String = stream.iter().map(|byte| char::from(*byte)).collect();
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let bytes = |text: &str| text.chars().map(|c| c as u8).collect::<Vec<u8>>();
    let mut lines: Vec<_> = text.split('\n').collect();
    lines.pop();
    let (mut data, mut event, mut events) = (String::new(), String::new(), Vec::new());
    for line in lines {
        if line.is_empty() {
            if let Some(data) = data.strip_suffix('\n') {
                events.push((bytes(&event), bytes(data)));
            }
            data.clear();
            event.clear();
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => data = data + value + "\n",
            "event" => event = value.to_owned(),
            _ => {}
        }
    }
    events
}

/// The same question, answered by looking at every byte.
fn between_by_every_byte(stream: &[u8]) -> bool {
    let mut line_is_blank = true;
    let mut ended_blank = true;
    let mut before = None;
    for byte in stream {
        match (before, byte) {
            (Some(b'\r'), b'\n') => {}
            (_, b'\n' | b'\r') => ended_blank = std::mem::replace(&mut line_is_blank, true),
            _ => line_is_blank = false,
        }
        before = Some(*byte);
    }
    ended_blank && matches!(before, None | Some(b'\n'))
}

fn any_stream() -> impl Strategy<Value = Vec<u8>> {
    let crumbs: Vec<&[u8]> = vec![
        b"\n",
        b"\r",
        b"\r\n",
        b"\n\n",
        b"data: x",
        b"data",
        b"data:",
        b"event: e",
        b":",
        b" ",
        b"\xEF",
        b"\xEF\xBB\xBF",
        "é".as_bytes(),
        b"x",
        b"\0",
    ];
    prop::collection::vec(prop::sample::select(crumbs), 0..40).prop_map(|crumbs| crumbs.concat())
}

/// The pieces between these places.
fn cut<'a>(stream: &'a [u8], places: &[prop::sample::Index]) -> Vec<&'a [u8]> {
    let mut places: Vec<_> = places.iter().map(|at| at.index(stream.len() + 1)).collect();
    places.extend([0, stream.len()]);
    places.sort_unstable();
    places
        .windows(2)
        .map(|pair| &stream[pair[0]..pair[1]])
        .collect()
}

proptest! {
    #[test]
    fn events_are_those_of_the_standard_however_the_stream_is_cut(
        stream in any_stream(),
        places in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        longest in 0_usize..60,
    ) {
        let expected = by_the_standard(&stream);
        prop_assert_eq!(&events(&stream), &expected);
        prop_assert_eq!(&events_of(1024, cut(&stream, &places)), &expected);
        prop_assert_eq!(&events_of(1024, stream.chunks(1)), &expected);
        // With a limit they are some of them, and the same ones.
        let within = events_of(longest, [stream.as_slice()]);
        let mut all = expected.iter();
        prop_assert!(within.iter().all(|event| all.any(|one| one == event)));
        prop_assert_eq!(&events_of(longest, cut(&stream, &places)), &within);
        prop_assert_eq!(&events_of(longest, stream.chunks(1)), &within);
    }

    #[test]
    fn the_last_bytes_say_what_all_bytes_say(
        stream in any_stream(),
        places in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let mut boundary = Boundary::default();
        let mut length = 0;
        for piece in cut(&stream, &places) {
            boundary.push(piece);
            length += piece.len();
            prop_assert_eq!(boundary.is_between_events(), between_by_every_byte(&stream[..length]));
        }
    }

    #[test]
    fn a_comment_between_events_changes_none(stream in any_stream(), longest in 20_usize..60) {
        let expected = events_of(longest, [stream.as_slice()]);
        // At the start only where no byte order mark follows.
        let first = usize::from(stream.starts_with(BYTE_ORDER_MARK));
        for at in (first..=stream.len()).filter(|at| is_between_events(&stream[..*at])) {
            let longer = [&stream[..at], b": keep-alive\n\n", &stream[at..]].concat();
            prop_assert_eq!(&events_of(longest, [longer.as_slice()]), &expected);
        }
    }
}
