//! Which language a page is written in: the one chosen by hand, else the one the browser prefers, else
//! English.

use app::i18n::{LANGUAGE_COOKIE, Language, Locale};
use http::{HeaderMap, header};

use crate::cookies;

pub(super) fn choose(headers: &HeaderMap) -> Language {
    let by_hand = cookies::find(headers, LANGUAGE_COOKIE).and_then(|name| name.parse().ok());
    Language {
        chosen: by_hand.is_some(),
        locale: by_hand.or_else(|| preferred(headers)).unwrap_or_default(),
    }
}

/// The first of the most wanted languages that there are texts in.
fn preferred(headers: &HeaderMap) -> Option<Locale> {
    let mut wanted: Vec<(Locale, f32)> = headers
        .get_all(header::ACCEPT_LANGUAGE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(weighed)
        .collect();
    // Equals stay in the browser's order.
    wanted.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    wanted.first().map(|(locale, _)| *locale)
}

/// `ja-JP;q=0.8` is Japanese, wanted by 0.8: a region makes no difference here.
fn weighed(range: &str) -> Option<(Locale, f32)> {
    let (tag, parameter) = range.split_once(';').unwrap_or((range, "q=1"));
    let (name, q) = parameter.split_once('=')?;
    let q: f32 = q.trim().parse().ok()?;
    let language = tag.trim().split('-').next()?.to_ascii_lowercase();
    (name.trim().eq_ignore_ascii_case("q") && q > 0.0).then_some((language.parse().ok()?, q))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn chosen(accepted: &'static str, cookie: Option<&'static str>) -> Language {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_LANGUAGE, HeaderValue::from_static(accepted));
        if let Some(cookie) = cookie {
            headers.insert(header::COOKIE, HeaderValue::from_static(cookie));
        }
        choose(&headers)
    }

    #[test]
    fn the_browsers_languages_count_by_their_weights() {
        let cases = [
            ("ja", Locale::ja),
            ("ja-JP,ja;q=0.9,en-US;q=0.8,en;q=0.7", Locale::ja),
            ("en-US,en;q=0.9,ja;q=0.8", Locale::en),
            ("en;q=0.2, JA-jp ; Q=0.4", Locale::ja),
            ("fr-FR,fr;q=0.9,ja;q=0.3,en;q=0.2", Locale::ja),
            ("ja;q=0.5,en;q=0.5", Locale::ja),
            ("ja;q=0,en", Locale::en),
        ];
        for (accepted, locale) in cases {
            assert_eq!(chosen(accepted, None).locale, locale, "{accepted}");
        }
    }

    #[test]
    fn what_is_unknown_or_unreadable_falls_back_to_english() {
        assert_eq!(choose(&HeaderMap::new()), Language::default());
        for accepted in [
            "", "*", "fr", "jav", "ja;q=", "ja;q=nan", "ja;v=1", ";;,,=", "ja;q=0",
        ] {
            assert_eq!(chosen(accepted, None).locale, Locale::en, "{accepted}");
        }
    }

    #[test]
    fn a_choice_by_hand_wins() {
        let english = chosen("ja", Some("signalbox_session=x; signalbox_language=en"));
        assert_eq!((english.locale, english.chosen), (Locale::en, true));
        let japanese = chosen("en", Some("signalbox_language=ja"));
        assert_eq!((japanese.locale, japanese.chosen), (Locale::ja, true));
        for cookie in ["signalbox_language=", "signalbox_language=xx", "other=en"] {
            let left_to_the_browser = chosen("ja", Some(cookie));
            assert_eq!(left_to_the_browser.locale, Locale::ja, "{cookie}");
            assert!(!left_to_the_browser.chosen, "{cookie}");
        }
    }
}
