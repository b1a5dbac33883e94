use proptest::prelude::*;

use super::*;

/// What a scanner finds in the whole body, given in one piece.
fn scanned(body: &[u8]) -> Result<Option<Model>, Problem> {
    scanned_in([body])
}

fn scanned_in<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<Option<Model>, Problem> {
    let mut scanner = Scanner::new(b"b0");
    for piece in pieces {
        let pushed = scanner.push(piece);
        let held = scanner.kept.len() + scanner.value.as_ref().map_or(0, Vec::len);
        assert!(held <= LONGEST_HEADERS + 2 * LONGEST_MODEL, "{held}");
        pushed?;
    }
    scanner.finish()?;
    Ok(scanner.model().cloned())
}

/// The same however the body is cut: whole, and byte by byte.
fn refusal(body: impl AsRef<[u8]>) -> Problem {
    let body = body.as_ref();
    let problem = scanned(body).unwrap_err();
    assert_eq!(scanned_in(body.chunks(1)), Err(problem));
    problem
}

/// A body of one part with these headers and this value.
fn one(headers: &str, value: &str) -> String {
    format!("--b0\r\n{headers}\r\n\r\n{value}\r\n--b0--\r\n")
}

fn plain(disposition: &str) -> String {
    one(&format!("Content-Disposition: {disposition}"), "qwen3")
}

const MODEL: &str = "Content-Disposition: form-data; name=\"model\"";
const FILE: &str = "Content-Disposition: form-data; name=\"file\"; filename=\"a.wav\"\r\n\
                    Content-Type: audio/wav";

#[test]
fn the_boundary_is_read_however_it_is_written() {
    let table: [(&str, &str); 6] = [
        ("multipart/form-data; boundary=b0", "b0"),
        ("Multipart/Form-Data;BOUNDARY=\"b0\"", "b0"),
        ("multipart/form-data; charset=UTF-8; boundary=b0", "b0"),
        (
            "multipart/form-data ;\tboundary=b0 ; charset=\"utf-8\";",
            "b0",
        ),
        (
            "multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW",
            "----WebKitFormBoundary7MA4YWxkTrZu0gW",
        ),
        (
            "multipart/form-data; boundary=\"===_a/b+c.d-0==\"",
            "===_a/b+c.d-0==",
        ),
    ];
    for (content_type, expected) in table {
        let found = boundary(content_type.as_bytes());
        assert_eq!(found.as_deref(), Ok(expected.as_bytes()), "{content_type}");
    }
    let longest = format!("multipart/form-data; boundary={}", "x".repeat(70));
    assert_eq!(
        boundary(longest.as_bytes()).map(|found| found.len()),
        Ok(70)
    );
}

#[test]
fn a_content_type_that_leaves_the_boundary_open_is_refused() {
    let too_long = format!("multipart/form-data; boundary={}", "x".repeat(71));
    let table = [
        ("", Problem::ContentType),
        ("application/json", Problem::ContentType),
        ("multipart/form-data", Problem::ContentType),
        ("multipart/mixed; boundary=b0", Problem::ContentType),
        ("multipart/form-data, boundary=b0", Problem::ContentType),
        ("multipart/form-data; boundary", Problem::ContentType),
        ("multipart/form-data; boundary=", Problem::ContentType),
        ("multipart/form-data; boundary = b0", Problem::ContentType),
        ("multipart/form-data; boundary=\"b0", Problem::ContentType),
        ("multipart/form-data; boundary=b0 b1", Problem::ContentType),
        // Some take the first, some the last.
        (
            "multipart/form-data; boundary=b0; boundary=b1",
            Problem::ContentType,
        ),
        (
            "multipart/form-data; boundary=b0; boundary*=utf-8''b1",
            Problem::ContentType,
        ),
        // Some search for `boundary=`, wherever it stands.
        (
            "multipart/form-data; x=\"boundary=b1\"; boundary=b0",
            Problem::ContentType,
        ),
        // In UTF-7 `+AG0-odel` is `model`, and Starlette reads names in this charset.
        (
            "multipart/form-data; boundary=b0; charset=utf-7",
            Problem::ContentType,
        ),
        ("multipart/form-data; boundary=\"\"", Problem::Boundary),
        // Some trim blanks and quotes, some cut at a comma.
        ("multipart/form-data; boundary=\" b0\"", Problem::Boundary),
        ("multipart/form-data; boundary='b0'", Problem::Boundary),
        ("multipart/form-data; boundary=\"b0,b1\"", Problem::Boundary),
        ("multipart/form-data; boundary=\"b\\0\"", Problem::Boundary),
        ("multipart/form-data; boundary=\"bé\"", Problem::Boundary),
        (too_long.as_str(), Problem::Boundary),
    ];
    for (content_type, problem) in table {
        assert_eq!(
            boundary(content_type.as_bytes()),
            Err(problem),
            "{content_type}"
        );
    }
}

#[test]
fn the_model_is_found_wherever_its_part_stands() {
    let file = format!("--b0\r\n{FILE}\r\n\r\n\x00\r\n-\r\n--\r\n--b\r\nname=\"model\"\r\n");
    let model = format!("--b0\r\n{MODEL}\r\n\r\nqwen3\r\n");
    let bodies = [
        format!("{file}{model}--b0--\r\n"),
        format!("{model}{file}--b0--\r\n"),
        format!("{model}--b0--"),
        format!("{file}{model}{file}--b0-- \t\r\n"),
    ];
    for body in &bodies {
        let start = body.find("qwen3").unwrap() as u64;
        let expected = Model {
            value: String::from("qwen3"),
            span: start..start + 5,
        };
        assert_eq!(scanned(body.as_bytes()), Ok(Some(expected)), "{body}");
    }
}

#[test]
fn the_model_is_known_as_soon_as_its_value_has_ended() {
    let body = format!("--b0\r\n{MODEL}\r\n\r\nqwen3\r\n--b0\r\n{FILE}\r\n\r\n");
    let complete = body.find("\r\n--b0\r\nContent-Disposition: form-data; name=\"file\"");
    let complete = complete.unwrap() + "\r\n--b0".len();
    let mut scanner = Scanner::new(b"b0");
    for (index, byte) in body.bytes().enumerate() {
        scanner.push(&[byte]).unwrap();
        assert_eq!(scanner.model().is_some(), index + 1 >= complete);
    }
    assert_eq!(scanner.finish(), Err(Problem::Unfinished));
}

#[test]
fn the_part_of_the_model_is_known_however_its_headers_are_written() {
    for headers in [
        "content-disposition:form-data;name=model",
        "CONTENT-DISPOSITION: \tForm-Data ; NAME=\"model\" ;\t",
        "Content-Type: text/plain; charset=utf-8\r\nX: \r\nContent-Disposition: form-data; name=\"model\"",
        "Content-Disposition: form-data; name=\"model\"\r\nContent-Transfer-Encoding: 8BIT",
        "Content-Type: Text/Plain;charset=\"ISO-8859-1\"\r\nContent-Disposition: form-data; name=\"model\"",
    ] {
        let body = one(headers, "qwen3");
        let model = scanned(body.as_bytes()).unwrap().unwrap();
        assert_eq!(model.value, "qwen3", "{headers}");
        assert_eq!(scanned_in(body.as_bytes().chunks(1)), Ok(Some(model)));
    }
}

#[test]
fn a_value_is_taken_as_it_stands() {
    for value in [
        "a",
        " a b ",
        "日本/é-😀",
        "-",
        "a\r\n",
        "\r\na\n",
        "a\r\n--b",
    ] {
        let body = one(MODEL, value);
        let model = scanned(body.as_bytes()).unwrap().unwrap();
        assert_eq!(model.value, value);
        let span = model.span.start as usize..model.span.end as usize;
        assert_eq!(&body[span], value);
    }
}

#[test]
fn other_parts_are_passed_over() {
    for headers in [
        "Content-Disposition: form-data; name=\"models\"",
        "Content-Disposition: form-data; name=\"_model\"",
        "Content-Disposition: form-data; name=\"timestamp_granularities[]\"",
        "Content-Disposition: form-data; name=\"file\"; filename=\"model\"",
        "Content-Disposition: form-data; filename*=utf-8''%e6%97%a5.wav; name=file",
        "Content-Disposition: form-data; name=\"file\"; filename=\"C:\\\\a \\\"b\\\"; c.wav\"",
        "Content-Disposition: form-data; name=\"file\"; filename=\"日本.wav\"",
        "Content-Disposition: form-data; name=\"file\"\r\nContent-Transfer-Encoding: base64",
        "Content-Type: text/plain; name=\"model\"\r\nContent-Disposition: form-data; name=\"a\"",
    ] {
        assert_eq!(scanned(one(headers, "x").as_bytes()), Ok(None), "{headers}");
    }
    assert_eq!(scanned(b"--b0--"), Ok(None));
}

#[test]
fn a_second_model_is_refused_also_after_the_first_was_found() {
    let model = format!("--b0\r\n{MODEL}\r\n\r\nqwen3\r\n");
    let body = format!("{model}--b0\r\n{FILE}\r\n\r\nx\r\n{model}--b0--\r\n");
    assert_eq!(refusal(&body), Problem::SecondModel);
    let mut scanner = Scanner::new(b"b0");
    assert_eq!(scanner.push(body.as_bytes()), Err(Problem::SecondModel));
    assert_eq!(scanner.push(b"--b0--\r\n"), Err(Problem::SecondModel));
    assert_eq!(scanner.finish(), Err(Problem::SecondModel));
}

#[test]
fn headers_that_parsers_read_differently_are_refused() {
    let table = [
        // Ended by LF alone, folded, blanks before the colon, control characters, no name, no colon.
        (
            "Content-Disposition: form-data; name=\"file\"\nX: y",
            Problem::Header,
        ),
        (
            "X: y\r\n Content-Disposition: form-data; name=\"model\"",
            Problem::Header,
        ),
        (
            "Content-Disposition: form-data;\r\n\tname=\"model\"",
            Problem::Header,
        ),
        (
            "Content-Disposition : form-data; name=\"model\"",
            Problem::Header,
        ),
        (
            "Content-Disposition: form-data; name=\"model\0x\"",
            Problem::Header,
        ),
        (
            "Content-Disposition: form-data; name=\"a\rb\"",
            Problem::Header,
        ),
        (": x", Problem::Header),
        ("model", Problem::Header),
        // No disposition, where some go by another header; or two, of which some take the first, some
        // the last; or its name within another header, where some find it.
        ("", Problem::Disposition),
        ("Content-ID: model", Problem::Disposition),
        (
            "Content-Disposition: form-data; name=\"a\"\r\ncontent-disposition: form-data; name=\"model\"",
            Problem::Disposition,
        ),
        (
            "X-Content-Disposition: form-data; name=\"model\"\r\nContent-Disposition: form-data; name=\"a\"",
            Problem::Disposition,
        ),
    ];
    for (headers, problem) in table {
        assert_eq!(refusal(one(headers, "x")), problem, "{headers}");
    }
}

#[test]
fn dispositions_that_parsers_read_differently_are_refused() {
    let table = [
        ("", Problem::Disposition),
        ("attachment; name=\"model\"", Problem::Disposition),
        ("name=\"model\"", Problem::Disposition),
        ("form-data name=\"model\"", Problem::Disposition),
        ("form-data", Problem::Disposition),
        ("form-data; filename=\"model\"", Problem::Disposition),
        (
            "form-data; name=\"\"; filename=\"model\"",
            Problem::Disposition,
        ),
        ("form-data; name", Problem::Disposition),
        ("form-data; name=", Problem::Disposition),
        ("form-data; name =\"model\"", Problem::Disposition),
        ("form-data; name= \"model\"", Problem::Disposition),
        ("form-data; name=\"model", Problem::Disposition),
        ("form-data; name=\"model\\\"", Problem::Disposition),
        ("form-data; name=\"model\"x", Problem::Disposition),
        ("form-data; name=<model>", Problem::Disposition),
        ("form-data;; name=model", Problem::Disposition),
        (
            "form-data; name=\"a\"; name=\"model\"",
            Problem::Disposition,
        ),
        (
            "form-data; name=\"model\"; NAME=\"model\"",
            Problem::Disposition,
        ),
        (
            "form-data; x-name=\"model\"; name=\"a\"",
            Problem::Disposition,
        ),
        ("form-data; name*=utf-8''model", Problem::ExtendedName),
        (
            "form-data; name=\"a\"; name*=utf-8''model",
            Problem::ExtendedName,
        ),
        (
            "form-data; Name*0=\"mo\"; name*1=\"del\"",
            Problem::ExtendedName,
        ),
        ("form-data; name=\"mo\\del\"", Problem::Ambiguous),
        ("form-data; name=\"a\\\"b\"", Problem::Ambiguous),
        ("form-data; name=\"%6dodel\"", Problem::Ambiguous),
        ("form-data; name=%6dodel", Problem::Ambiguous),
        ("form-data; name=\"=?utf-8?q?model?=\"", Problem::Ambiguous),
        ("form-data; name=\"a;b\"", Problem::Ambiguous),
        ("form-data; name=\"&#109;odel\"", Problem::Ambiguous),
        ("form-data; name=\"Model\"", Problem::Ambiguous),
        ("form-data; name=\"/model\"", Problem::Ambiguous),
        ("form-data; name=\"\u{feff}model\"", Problem::Ambiguous),
        ("form-data; name=\"model[]\"", Problem::Ambiguous),
        ("form-data; name=\" model\"", Problem::Ambiguous),
        (
            "form-data; name=\"a\"; filename=\"b; name=model; c\"",
            Problem::Ambiguous,
        ),
        (
            "form-data; filename=\"b NAME =model\"; name=\"a\"",
            Problem::Ambiguous,
        ),
        (
            "form-data; name=\"a\"; filename=\"\\\"; name*=model; x=\\\"\"",
            Problem::Ambiguous,
        ),
    ];
    for (disposition, problem) in table {
        assert_eq!(refusal(plain(disposition)), problem, "{disposition}");
    }
}

#[test]
fn a_model_that_is_no_plain_name_is_refused() {
    let longest = "x".repeat(LONGEST_MODEL);
    assert!(scanned(one(MODEL, &longest).as_bytes()).unwrap().is_some());
    for more in [
        "; filename=\"a\"",
        "; filename*=utf-8''a",
        "\r\nContent-Transfer-Encoding: base64",
        "\r\nContent-Encoding: deflate",
        "\r\nContent-Type: application/json",
        "\r\nContent-Type: text/plain; charset=utf-16le",
        "\r\nContent-Type: text/plain; charset",
    ] {
        let body = one(&format!("{MODEL}{more}"), "qwen3");
        assert_eq!(refusal(body), Problem::ModelNotPlain, "{more}");
    }
    let too_long = format!("{longest}x");
    for (value, problem) in [
        (too_long.as_str(), Problem::ModelTooLong),
        ("", Problem::ModelBlank),
        (" \t\r\n\u{3000}", Problem::ModelBlank),
    ] {
        assert_eq!(refusal(one(MODEL, value)), problem, "{value}");
    }
    let mut latin_1 = one(MODEL, "caf?").into_bytes();
    let accented = latin_1.iter().position(|byte| *byte == b'?').unwrap();
    latin_1[accented] = 0xE9;
    assert_eq!(refusal(latin_1), Problem::ModelNotUtf8);
}

#[test]
fn a_boundary_that_is_no_delimiter_line_is_refused() {
    let table = [
        // Nothing may stand before the first, as some parsers look into it.
        ("x\r\n--b0--", Problem::Preamble),
        ("\r\n--b0--", Problem::Preamble),
        ("--b1--", Problem::Preamble),
        // Going on otherwise than with blanks and CRLF, or `--`.
        ("--b0\n", Problem::Delimiter),
        ("--b0x\r\n", Problem::Delimiter),
        ("--b0\r\r\n", Problem::Delimiter),
        ("--b0-\r\n", Problem::Delimiter),
        ("--b0 --\r\n", Problem::Delimiter),
        ("--b0--x", Problem::Delimiter),
        ("--b0--\n", Problem::Delimiter),
        // Nor after the last.
        ("--b0--\r\n\r\n", Problem::Epilogue),
        ("--b0--\r\n--b0--", Problem::Epilogue),
    ];
    for (body, problem) in table {
        assert_eq!(refusal(body), problem, "{body}");
    }
    // Within contents: after LF or CR alone, after anything, going on otherwise.
    for value in [
        "x\n--b0",
        "x\r--b0",
        "x--b0",
        "\r\n---b0",
        "--b0",
        "\r\n--b0x",
        "\r\n--b0\n",
    ] {
        assert_eq!(refusal(one(FILE, value)), Problem::Delimiter, "{value}");
    }
    let headers = format!("{FILE}\r\nX: --b0");
    assert_eq!(refusal(one(&headers, "x")), Problem::Delimiter);
    let no_line_end = format!("--b0\r\n{FILE}\r\n\r\n--b0--");
    assert_eq!(refusal(no_line_end), Problem::Delimiter);
}

#[test]
fn a_body_without_its_closing_delimiter_is_refused() {
    let whole = one(MODEL, "qwen3");
    let end = whole.len() - "\r\n".len();
    for length in 0..end {
        assert_eq!(
            scanned(&whole.as_bytes()[..length]),
            Err(Problem::Unfinished)
        );
    }
    assert!(scanned(&whole.as_bytes()[..end]).is_ok());
    // Half a line end is none.
    assert_eq!(refusal(&whole[..=end]), Problem::Unfinished);
}

#[test]
fn a_body_holds_no_more_than_its_limits() {
    let headers = |length: usize| {
        let fixed = format!("{FILE}\r\nX: \r\n\r\n");
        format!("{FILE}\r\nX: {}", "y".repeat(length - fixed.len()))
    };
    let body = one(&headers(LONGEST_HEADERS), "x");
    assert_eq!(scanned(body.as_bytes()), Ok(None));
    let body = one(&headers(LONGEST_HEADERS + 1), "x");
    assert_eq!(refusal(body), Problem::HeadersTooLong);
    let file = format!("--b0\r\n{FILE}\r\n\r\n\r\n");
    let parts = |count: usize| format!("{}--b0--", file.repeat(count));
    assert_eq!(scanned(parts(MOST_PARTS).as_bytes()), Ok(None));
    assert_eq!(refusal(parts(MOST_PARTS + 1)), Problem::TooManyParts);
}

/// Headers and contents of each part, by splitting the whole body at its delimiters.
fn parts(body: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let body = [b"\r\n", body].concat();
    let delimiters: Vec<_> = memmem::find_iter(&body, b"\r\n--b0").collect();
    let between = delimiters.windows(2).map(|pair| &body[pair[0]..pair[1]]);
    between
        .map(|part| {
            let line = memmem::find(&part[2..], b"\r\n").unwrap() + 4;
            let empty = memmem::find(part, b"\r\n\r\n").unwrap();
            (part[line..empty].to_vec(), part[empty + 4..].to_vec())
        })
        .collect()
}

/// Contents made of what a scanner may stumble over, but for a whole delimiter.
fn any_contents() -> impl Strategy<Value = Vec<u8>> {
    let crumbs: Vec<&[u8]> = vec![
        b"\r\n",
        b"\r",
        b"\n",
        b"-",
        b"--",
        b"--b",
        b"b0",
        b"0",
        b"\0",
        b"\xFF",
        b"text",
        b"Content-Disposition: form-data; name=\"model\"\r\n\r\n",
    ];
    prop::collection::vec(prop::sample::select(crumbs), 0..20)
        .prop_map(|crumbs| crumbs.concat())
        .prop_filter("no delimiter", |contents| {
            memmem::find(contents, b"--b0").is_none()
        })
}

fn any_part() -> impl Strategy<Value = (String, Vec<u8>)> {
    let headers = prop_oneof![
        "[a-zé_\\[\\]]{0,9}"
            .prop_map(|name| format!("Content-Disposition: form-data; name=\"a{name}\"")),
        "[a-z日; .]{0,9}".prop_map(|file| format!(
            "Content-Type: x/y\r\nContent-Disposition: form-data; filename=\"{file}\"; name=file"
        )),
    ];
    (headers, any_contents())
}

prop_compose! {
    /// A valid body in which `model` has this value.
    fn any_body()(
        before in prop::collection::vec(any_part(), 0..4),
        after in prop::collection::vec(any_part(), 0..4),
        value in "\\PC{0,20}[a-z0-9/:-]",
        padding in "[ \t]{0,2}",
        end in prop::sample::select(vec!["", "\r\n", "\t\r\n"]),
    ) -> (Vec<u8>, String) {
        let model = (String::from(MODEL), value.clone().into_bytes());
        let mut body = Vec::new();
        for (headers, contents) in before.into_iter().chain([model]).chain(after) {
            body.extend_from_slice(format!("--b0{padding}\r\n{headers}\r\n\r\n").as_bytes());
            body.extend_from_slice(&contents);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(format!("--b0--{end}").as_bytes());
        (body, value)
    }
}

/// Bytes that may be anything, and often nearly a body.
fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    let crumbs: Vec<&[u8]> = vec![
        b"--b0",
        b"--b0\r\n",
        b"\r\n--b0\r\n",
        b"\r\n--b0--",
        b"\r\n",
        b"\r\n\r\n",
        b"\n",
        b"-",
        b"Content-Disposition: form-data; name=\"model\"",
        b"Content-Disposition: form-data",
        b"; name=\"a\"",
        b"; filename=\"",
        b"\"",
        b"\\",
        b"x",
        b" ",
        b"\xC3",
    ];
    let crumb = prop_oneof![
        4 => prop::sample::select(crumbs).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ];
    (any::<bool>(), prop::collection::vec(crumb, 0..30)).prop_map(|(begins, crumbs)| {
        let start: &[u8] = if begins { b"--b0\r\n" } else { b"" };
        [start, &crumbs.concat()].concat()
    })
}

/// The pieces between these places.
fn cut<'a>(body: &'a [u8], places: &[prop::sample::Index]) -> Vec<&'a [u8]> {
    let mut places: Vec<_> = places.iter().map(|at| at.index(body.len() + 1)).collect();
    places.extend([0, body.len()]);
    places.sort_unstable();
    places
        .windows(2)
        .map(|pair| &body[pair[0]..pair[1]])
        .collect()
}

proptest! {
    #[test]
    fn a_body_may_be_cut_anywhere(
        (body, value) in any_body(),
        places in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let model = scanned(&body).unwrap().unwrap();
        prop_assert_eq!(&model.value, &value);
        prop_assert_eq!(
            &body[model.span.start as usize..model.span.end as usize],
            value.as_bytes()
        );
        let found = scanned_in(cut(&body, &places)).unwrap();
        prop_assert_eq!(found.as_ref(), Some(&model));
        prop_assert_eq!(scanned_in(body.chunks(1)).unwrap(), Some(model));
    }

    #[test]
    fn with_another_name_in_the_span_only_the_model_is_another(
        (body, _) in any_body(),
        name in "\\PC{0,20}[a-z0-9/:-]",
    ) {
        let span = scanned(&body).unwrap().unwrap().span;
        let (start, end) = (span.start as usize, span.end as usize);
        let other = [&body[..start], name.as_bytes(), &body[end..]].concat();
        let (before, after) = (parts(&body), parts(&other));
        prop_assert_eq!(before.len(), after.len());
        for (old, new) in before.iter().zip(&after) {
            prop_assert_eq!(&old.0, &new.0);
            if old.0 == MODEL.as_bytes() {
                prop_assert_eq!(&new.1, name.as_bytes());
            } else {
                prop_assert_eq!(&old.1, &new.1);
            }
        }
        let model = Model { span: span.start..span.start + name.len() as u64, value: name };
        prop_assert_eq!(scanned(&other).unwrap(), Some(model));
    }

    #[test]
    fn any_bytes_end_the_same_way_however_they_are_cut(
        bytes in any_bytes(),
        places in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let whole = scanned(&bytes);
        prop_assert_eq!(&scanned_in(cut(&bytes, &places)), &whole);
        prop_assert_eq!(scanned_in(bytes.chunks(1)), whole);
    }

    #[test]
    fn any_text_has_one_boundary_or_none(text in "[a-z/;=\" *\\\\.b-]{0,40}|\\PC{0,20}") {
        let _ = boundary(text.as_bytes());
        let typed = format!("multipart/form-data; boundary={text}");
        if let Ok(found) = boundary(typed.as_bytes()) {
            prop_assert!((1..=70).contains(&found.len()));
            prop_assert!(memmem::find(typed.as_bytes(), &found).is_some());
        }
    }
}
