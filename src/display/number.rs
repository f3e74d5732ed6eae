//! How figures are written, in tables and in the report alike.

/// What stands for a figure that is not there.
pub const MISSING: &str = "–";

/// A statistic with its interval and what it is over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The statistic; `None` where it is over nothing.
    pub value: Option<f64>,
    /// Lower and upper end of its confidence interval.
    pub interval: Option<(f64, f64)>,
    /// How many trajectories or pairs it is over.
    pub n: u64,
}

impl Estimate {
    /// Its parts as written, none of which is ever broken: `0.30`, `[0.21, 0.40]`, `n=40`.
    pub fn parts(&self) -> Vec<String> {
        let mut parts = vec![self.value.map_or_else(|| MISSING.to_owned(), rate)];
        if let (Some(_), Some((lo, hi))) = (self.value, self.interval) {
            parts.push(format!("[{}, {}]", rate(lo), rate(hi)));
        }
        parts.push(format!("n={}", count(self.n)));
        parts
    }
}

impl std::fmt::Display for Estimate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.parts().join(" "))
    }
}

/// A rate, an error or a spread: two decimals. What is no number is missing.
pub fn rate(value: f64) -> String {
    fixed(value, 2)
}

/// A score: a whole number where it is one, else two decimals.
pub fn score(value: f64) -> String {
    if value.is_finite() && value.fract() == 0.0 { fixed(value, 0) } else { fixed(value, 2) }
}

/// A number that somebody chose (a boundary, a level): as short as it can be written.
pub fn chosen(value: f64) -> String {
    if value.is_finite() { format!("{value}") } else { MISSING.to_owned() }
}

/// So many decimals; never `-0.00`. What is no number is missing.
pub fn fixed(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return MISSING.to_owned();
    }
    if value.abs() >= 1e15 {
        // Beyond what a double holds exactly, decimals are noise.
        return format!("{value:.decimals$e}");
    }
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.chars().all(|digit| matches!(digit, '0' | '.')) => digits.to_owned(),
        _ => text,
    }
}

/// So many things: `1 frame`, `45,072 frames`.
pub fn things(count_of: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(count_of as u64), if count_of == 1 { one } else { many })
}

/// Whole things, in groups of three: `45,072`.
pub fn count(value: u64) -> String {
    group(&value.to_string())
}

/// US dollars: to the cent, or two figures of what is less than a cent (`$0.0034`); `<$0.000001` for less than that.
pub fn dollars(value: f64) -> String {
    if !value.is_finite() {
        return MISSING.to_owned();
    }
    let (sign, amount) = if value < 0.0 { ("-", -value) } else { ("", value) };
    if amount > 0.0 && amount < 0.000_001 {
        return format!("{sign}<$0.000001");
    }
    let cents = format!("{amount:.2}");
    if amount == 0.0 || amount >= 0.01 {
        let (whole, rest) = cents.split_once('.').unwrap_or((&cents, "00"));
        let sign = if amount == 0.0 { "" } else { sign };
        return format!("{sign}${}.{rest}", group(whole));
    }
    // The first figure is at the decimal place -floor(log10): one more makes two figures.
    let decimals = (-amount.log10().floor()) as usize + 1;
    let text = format!("{amount:.decimals$}");
    format!("{sign}${}", text.trim_end_matches('0'))
}

/// Seconds as people say them: `35 ms`, `4.2 s`, `3 min 20 s`, `2 h 05 min`, `3 d 04 h`.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return MISSING.to_owned();
    }
    // Each limit is where the unit's own rounding would reach the next unit.
    if seconds < 0.000_5 {
        return "0 s".to_owned();
    }
    if seconds < 0.999_5 {
        return format!("{:.0} ms", seconds * 1000.0);
    }
    if seconds < 9.95 {
        return format!("{seconds:.1} s");
    }
    if seconds < 59.5 {
        return format!("{seconds:.0} s");
    }
    if seconds < 3599.5 {
        let whole = seconds.round() as u64;
        return format!("{} min {:02} s", whole / 60, whole % 60);
    }
    let minutes = (seconds / 60.0).round() as u64;
    if minutes < 24 * 60 {
        return format!("{} h {:02} min", minutes / 60, minutes % 60);
    }
    let hours = (seconds / 3600.0).round() as u64;
    format!("{} d {:02} h", group(&(hours / 24).to_string()), hours % 24)
}

/// Commas between groups of three digits.
fn group(digits: &str) -> String {
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}
