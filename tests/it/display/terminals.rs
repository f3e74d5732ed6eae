//! What is made of the surroundings.

use super::*;

fn detect(tty: bool, env: &[(&str, &str)]) -> Terminal {
    let env = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    Terminal::detect(&Surroundings { tty, columns: tty.then_some(100), env: &env })
}

#[test]
fn a_terminal_is_known_by_its_surroundings() {
    let xterm = ("TERM", "xterm-256color");
    let full = detect(true, &[xterm, ("COLORTERM", "truecolor"), ("LANG", "de_DE.UTF-8")]);
    assert_eq!((full.color(), full.unicode(), full.graphics()), (Color::True, true, Graphics::HalfBlocks));
    assert_eq!((full.width(), full.is_live()), (Some(100), true));

    let color = |env: &[(&str, &str)]| detect(true, env).color();
    assert_eq!(color(&[xterm]), Color::Ansi256);
    assert_eq!(color(&[("TERM", "xterm")]), Color::Basic);
    assert_eq!(color(&[xterm, ("NO_COLOR", "1")]), Color::None);
    assert_eq!(color(&[xterm, ("NO_COLOR", "")]), Color::Ansi256);
    assert_eq!(color(&[xterm, ("CLICOLOR", "0")]), Color::None);
    assert_eq!(color(&[("TERM", "dumb")]), Color::None);
    assert_eq!(color(&[xterm, ("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]), Color::None);

    let pipe = detect(false, &[xterm, ("LANG", "C.UTF-8")]);
    assert_eq!(pipe, Terminal::plain());
    assert_eq!(detect(false, &[xterm, ("CLICOLOR_FORCE", "1")]).color(), Color::Ansi256);
    assert_eq!(detect(false, &[("CLICOLOR_FORCE", "0")]).color(), Color::None);
    assert_eq!(detect(false, &[("COLUMNS", "60")]).width(), Some(60));
    assert_eq!(detect(false, &[("COLUMNS", "many")]).width(), None);

    assert!(detect(true, &[xterm]).unicode());
    assert!(!detect(true, &[xterm, ("LANG", "C")]).unicode());
    assert!(!detect(true, &[xterm, ("LANG", "de_DE.UTF-8"), ("LC_ALL", "POSIX")]).unicode());
    assert!(detect(true, &[xterm, ("LANG", "C"), ("LC_ALL", "C.utf8")]).unicode());
    assert_eq!(detect(true, &[xterm, ("NO_COLOR", "1")]).graphics(), Graphics::None);
    assert!(!detect(true, &[("TERM", "dumb")]).is_live());
}
