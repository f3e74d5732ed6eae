//! When to try again.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::reward::Patience;

/// The wait before try `failures + 1`: doubled each time up to the longest, and between half and all of that at random, so
/// that calls which failed together do not come back together.
pub(super) fn back_off(patience: &Patience, failures: u32) -> Duration {
    let doubled = patience.first_wait.saturating_mul(1u32 << failures.saturating_sub(1).min(16));
    doubled.min(patience.longest_wait).mul_f64(0.5 + 0.5 * random())
}

/// From 0 up to 1: the random keys of the standard library's hasher are all that a jitter needs.
fn random() -> f64 {
    (RandomState::new().build_hasher().finish() >> 11) as f64 / (1u64 << 53) as f64
}

/// A `Retry-After` header in either form, seconds or an HTTP date, as the wait from `now`; a date that is past is no wait.
pub(super) fn retry_after(header: &str, now: SystemTime) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = UNIX_EPOCH + Duration::from_secs(http_date(header)?);
    Some(date.duration_since(now).unwrap_or_default())
}

/// When a rate limit is lifted (`X-RateLimit-Reset`), as the wait from `now`. Nobody has written down what stands there:
/// OpenRouter gives milliseconds since 1970, others seconds since then, or until then, or a date, or `1m30s`.
pub(super) fn rate_limit_reset(text: &str, now: SystemTime) -> Option<Duration> {
    /// Seconds that are no wait but a time, and milliseconds that are: thirty years, and three thousand.
    const A_TIME: f64 = 1e9;
    const A_TIME_MS: f64 = 1e11;
    let until = |seconds: f64| {
        let at = UNIX_EPOCH.checked_add(Duration::try_from_secs_f64(seconds).ok()?)?;
        Some(at.duration_since(now).unwrap_or_default())
    };
    match text.trim().parse::<f64>() {
        Ok(number) if number >= A_TIME_MS => until(number / 1e3),
        Ok(number) if number >= A_TIME => until(number),
        Ok(_) => retry_after(text, now),
        Err(_) => units(text.trim()).or_else(|| retry_after(text, now)),
    }
}

/// `6m0s`, `1.5s`, `120ms`.
fn units(text: &str) -> Option<Duration> {
    let (mut seconds, mut rest) = (0.0, text);
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..end].parse().ok()?;
        rest = &rest[end..];
        let unit = &rest[..rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len())];
        seconds += number
            * match unit {
                "ms" => 1e-3,
                "s" => 1.0,
                "m" => 60.0,
                "h" => 3600.0,
                "d" => 86_400.0,
                _ => return None,
            };
        rest = &rest[unit.len()..];
    }
    Duration::try_from_secs_f64(seconds).ok().filter(|_| !text.is_empty())
}

/// Seconds since 1970 of an IMF-fixdate (RFC 9110, 5.6.7): "Sun, 06 Nov 1994 08:49:37 GMT".
fn http_date(text: &str) -> Option<u64> {
    let rest = text.split_once(", ")?.1;
    let fields: Vec<&str> = rest.split(' ').collect();
    let [day, month, year, time, "GMT"] = fields.as_slice() else { return None };
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let month = MONTHS.iter().position(|name| name == month)? as u64 + 1;
    let (day, year): (u64, u64) = (day.parse().ok()?, year.parse().ok()?);
    let time: Vec<u64> = time.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let [hour, minute, second] = time.as_slice() else { return None };
    if !(1970..=9999).contains(&year) || !(1..=31).contains(&day) || *hour > 23 || *minute > 59 || *second > 60 {
        return None;
    }
    // Days of the civil calendar, years counted from March so that the leap day is the last (Hinnant's days_from_civil).
    let (year, month) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    Some((days - 719_468) * 86_400 + hour * 3600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_read_in_both_forms() {
        // The example of RFC 9110.
        let date = "Sun, 06 Nov 1994 08:49:37 GMT";
        assert_eq!(http_date(date), Some(784_111_777));
        assert_eq!(http_date("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(http_date("Tue, 29 Feb 2028 12:00:00 GMT"), Some(1_835_438_400));
        let at = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
        assert_eq!(retry_after(date, at(784_111_770)), Some(Duration::from_secs(7)));
        assert_eq!(retry_after(date, at(784_111_999)), Some(Duration::ZERO), "past");
        assert_eq!(retry_after(" 12 ", at(0)), Some(Duration::from_secs(12)));
        assert_eq!(retry_after("0.5", at(0)), Some(Duration::from_millis(500)));
        for wrong in
            ["", "-1", "nan", "1e300", "soon", "Sun, 99 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "a, b"]
        {
            assert_eq!(retry_after(wrong, at(0)), None, "{wrong:?}");
        }
    }

    #[test]
    fn the_end_of_a_rate_limit_is_read_in_every_form() {
        let now = UNIX_EPOCH + Duration::from_secs(1_741_305_000);
        let wait = |text: &str| rate_limit_reset(text, now).map(|wait| wait.as_secs_f64());
        assert_eq!(wait("1741305600000"), Some(600.0), "milliseconds since 1970");
        assert_eq!(wait("1741305600"), Some(600.0), "seconds since 1970");
        assert_eq!(wait("1741304000000"), Some(0.0), "past");
        assert_eq!(wait(" 30 "), Some(30.0), "seconds from now");
        assert_eq!((wait("6m0s"), wait("120ms"), wait("1h1.5s")), (Some(360.0), Some(0.12), Some(3601.5)));
        assert_eq!(wait("Thu, 06 Mar 2025 23:51:00 GMT"), Some(60.0));
        for wrong in ["", "soon", "-1", "nan", "inf", "1e300", "s", "5", "1x", "1.2.3s", "m5"] {
            assert_eq!(wait(wrong), if wrong == "5" { Some(5.0) } else { None }, "{wrong:?}");
        }
    }

    #[test]
    fn waits_double_up_to_the_longest() {
        let patience = Patience {
            first_wait: Duration::from_millis(100),
            longest_wait: Duration::from_secs(1),
            ..Patience::default()
        };
        for (failures, whole) in [(1, 100), (2, 200), (3, 400), (4, 800), (5, 1000), (60, 1000)] {
            let wait = back_off(&patience, failures).as_millis();
            assert!((whole / 2..=whole).contains(&wait), "{failures}: {wait}");
        }
    }
}
