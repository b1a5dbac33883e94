//! The rule for route names: `^[A-Za-z0-9](?:[A-Za-z0-9_.:/@+-]*[A-Za-z0-9])?$`, at most 255
//! characters, so that `Qwen/Qwen3-32B` and `team:small-v1.2` are names.

use crate::problem::{Needed, Problem};

const MOST: usize = 255;
const SIGNS: [char; 7] = ['_', '.', ':', '/', '@', '+', '-'];

/// What a name may hold besides letters and digits, for a sentence.
pub(crate) const SIGNS_IN_WORDS: &str = "_ . : / @ + -";

/// The first thing wrong with a name, seen from its start.
pub(crate) fn check(name: &str) -> Result<(), Problem> {
    let (Some(first), Some(last)) = (name.chars().next(), name.chars().next_back()) else {
        return Err(Problem::Blank(Needed::RouteName));
    };
    if let Some(stranger) = name.chars().find(|character| !is_allowed(*character)) {
        return Err(Problem::NameHolds(stranger));
    }
    if !first.is_ascii_alphanumeric() {
        return Err(Problem::NameBeginsWith(first));
    }
    if !last.is_ascii_alphanumeric() {
        return Err(Problem::NameEndsWith(last));
    }
    let found = name.chars().count();
    if found > MOST {
        return Err(Problem::TooLong { most: MOST, found });
    }
    Ok(())
}

fn is_allowed(character: char) -> bool {
    character.is_ascii_alphanumeric() || SIGNS.contains(&character)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names() {
        for name in [
            "a",
            "Z",
            "7",
            "qwen3",
            "Qwen/Qwen3-32B",
            "team:small-v1.2",
            "a_b.c:d/e@f+g-h",
            "a//b",
            "0--0",
            &"x".repeat(255),
        ] {
            assert_eq!(check(name), Ok(()), "{name}");
        }
    }

    #[test]
    fn no_names() {
        for (name, problem) in [
            ("", Problem::Blank(Needed::RouteName)),
            (" ", Problem::NameHolds(' ')),
            ("qwen 3", Problem::NameHolds(' ')),
            (" qwen3", Problem::NameHolds(' ')),
            ("qwen3\n", Problem::NameHolds('\n')),
            ("größe", Problem::NameHolds('ö')),
            ("模型", Problem::NameHolds('模')),
            ("a\\b", Problem::NameHolds('\\')),
            ("a?b", Problem::NameHolds('?')),
            ("a%2fb", Problem::NameHolds('%')),
            ("a\0b", Problem::NameHolds('\0')),
            ("-a", Problem::NameBeginsWith('-')),
            (".", Problem::NameBeginsWith('.')),
            ("/qwen3", Problem::NameBeginsWith('/')),
            ("qwen3/", Problem::NameEndsWith('/')),
            ("a-", Problem::NameEndsWith('-')),
            (
                &"x".repeat(256),
                Problem::TooLong {
                    most: 255,
                    found: 256,
                },
            ),
        ] {
            assert_eq!(check(name), Err(problem), "{name}");
        }
    }

    #[test]
    fn the_sentence_names_the_character() {
        let sentence = |name| check(name).unwrap_err().to_string();
        assert_eq!(
            sentence("qwen 3"),
            "A route name cannot hold a space; use letters (A to Z), digits and _ . : / @ + -."
        );
        assert!(sentence("a?").contains("“?”"));
        assert!(sentence("a\u{200b}").contains("U+200B"));
        assert!(sentence("-a").contains("begin with “-”"));
    }

    #[test]
    fn the_sentence_lists_every_sign() {
        assert_eq!(SIGNS.map(String::from).join(" "), SIGNS_IN_WORDS);
    }

    proptest! {
        #[test]
        fn names_follow_the_rule(name in "[a-b_./ -]{0,4}") {
            let ends_well = |end: Option<char>| end.is_some_and(|end| end.is_ascii_alphanumeric());
            let valid = ends_well(name.chars().next())
                && ends_well(name.chars().next_back())
                && !name.contains(' ');
            prop_assert_eq!(check(&name).is_ok(), valid);
        }
    }
}
