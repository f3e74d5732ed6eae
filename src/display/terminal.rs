//! What the other end can show.

use std::io::IsTerminal;

/// Colours that a terminal takes, each including those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Color {
    /// None at all.
    None,
    /// The sixteen of ECMA-48.
    Basic,
    /// The palette of 256.
    Ansi256,
    /// 24 bits.
    True,
}

/// How a terminal shows pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Graphics {
    /// It does not: a line of words stands for the picture.
    None,
    /// Two pixels a character, by half blocks in two colours.
    HalfBlocks,
    /// The graphics protocol of kitty.
    Kitty,
    /// Inline images of iTerm2.
    Iterm,
    /// Sixel graphics of DEC.
    Sixel,
}

/// What a piece of text means to its reader; never told by colour alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Nothing in particular.
    #[default]
    Plain,
    /// A heading.
    Strong,
    /// Aside.
    Dim,
    /// Success.
    Good,
    /// Failure, a flip, something to look at.
    Bad,
    /// What belongs together, as two brackets.
    Mark,
}

/// What the other end can show: width, colours, characters, pictures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terminal {
    width: Option<usize>,
    color: Color,
    unicode: bool,
    graphics: Graphics,
    /// The protocol that the terminal speaks; [`Graphics::HalfBlocks`] where it is not known to speak any.
    protocol: Graphics,
    live: bool,
}

/// What [`Terminal::detect`] decides by.
pub struct Surroundings<'a> {
    /// Is the stream a terminal?
    pub tty: bool,
    /// Columns, where the terminal tells.
    pub columns: Option<usize>,
    /// The environment.
    pub env: &'a dyn Fn(&str) -> Option<String>,
}

impl Terminal {
    /// A pipe or a file: ASCII, no colour, no limit to the width.
    pub fn plain() -> Self {
        Self {
            width: None,
            color: Color::None,
            unicode: false,
            graphics: Graphics::None,
            protocol: Graphics::None,
            live: false,
        }
    }

    /// Whatever standard output is.
    pub fn stdout() -> Self {
        let stream = std::io::stdout();
        Self::of(stream.is_terminal(), terminal_size::terminal_size_of(stream))
    }

    /// Whatever standard error is.
    pub fn stderr() -> Self {
        let stream = std::io::stderr();
        Self::of(stream.is_terminal(), terminal_size::terminal_size_of(stream))
    }

    fn of(tty: bool, size: Option<(terminal_size::Width, terminal_size::Height)>) -> Self {
        let columns = size.map(|(columns, _)| usize::from(columns.0)).filter(|columns| *columns > 0);
        Self::detect(&Surroundings { tty, columns, env: &|name| std::env::var(name).ok() })
    }

    /// What can be shown in given surroundings.
    ///
    /// Colour: never under `NO_COLOR`; always under `CLICOLOR_FORCE`; else on a terminal that has a name (`TERM`) other than `dumb`, unless
    /// `CLICOLOR=0`. Depth by `COLORTERM` and `TERM`. Characters beyond ASCII: on a terminal, unless `LC_ALL`,
    /// `LC_CTYPE` or `LANG`, the first that is set, names another encoding than UTF-8; where none is set (a bare
    /// container), UTF-8 is assumed, since terminals speak it. Width: the terminal's, else `COLUMNS`, else 80 on a
    /// terminal and no limit elsewhere. Pictures: where there are colours to show them; by the protocol that
    /// `ROBORM_GRAPHICS` names (`kitty`, `iterm`, `sixel`, `blocks`, `none`), else by one that the terminal is known to
    /// speak (not inside tmux and screen, which swallow it), else by half blocks.
    pub fn detect(surroundings: &Surroundings<'_>) -> Self {
        let Surroundings { tty, columns, env } = *surroundings;
        let set = |name: &str| env(name).filter(|value| !value.is_empty());
        let term = set("TERM").unwrap_or_default();
        // A terminal that nobody has named may be anything.
        let dumb = term.is_empty() || term == "dumb";

        let forced = set("CLICOLOR_FORCE").is_some_and(|value| value != "0");
        let wanted = forced || (tty && !dumb && set("CLICOLOR").is_none_or(|value| value != "0"));
        let color = if set("NO_COLOR").is_some() || !wanted { Color::None } else { depth(&term, &set) };

        let encoding = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
        let utf8 = encoding.is_none_or(|locale| {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        });
        let unicode = tty && !dumb && utf8;

        let protocol = if tty && !dumb { protocol(&term, &set) } else { Graphics::None };
        let width = columns
            .or_else(|| set("COLUMNS").and_then(|value| value.parse().ok()).filter(|columns| *columns > 0))
            .or(tty.then_some(80));
        let this = Self { width, color, unicode, graphics: Graphics::None, protocol, live: tty && !dumb };
        this.with_color(color)
    }

    /// The same with at most so many columns; `None` for no limit.
    #[must_use]
    pub fn with_width(mut self, columns: Option<usize>) -> Self {
        self.width = columns;
        self
    }

    /// The same with other colours, and pictures where these allow them.
    #[must_use]
    pub fn with_color(mut self, color: Color) -> Self {
        self.color = color;
        self.graphics = match self.protocol {
            _ if color == Color::None => Graphics::None,
            // Terminals made by hand have none; they show what their characters allow.
            Graphics::None | Graphics::HalfBlocks if !self.unicode || color < Color::Ansi256 => Graphics::None,
            Graphics::None if self.live => Graphics::None,
            Graphics::None => Graphics::HalfBlocks,
            protocol => protocol,
        };
        self
    }

    /// The same with or without characters beyond ASCII of its own (those in data stay).
    #[must_use]
    pub fn with_unicode(mut self, unicode: bool) -> Self {
        self.unicode = unicode;
        let color = self.color;
        self.with_color(color)
    }

    /// Columns; `None` where there is no limit.
    pub fn width(&self) -> Option<usize> {
        self.width
    }

    /// Columns for what needs a width to be drawn at all: at most `at_most`, which also stands where there is no limit.
    pub fn columns(&self, at_most: usize) -> usize {
        self.width.unwrap_or(at_most).min(at_most)
    }

    /// Its colours.
    pub fn color(&self) -> Color {
        self.color
    }

    /// Characters beyond ASCII?
    pub fn unicode(&self) -> bool {
        self.unicode
    }

    /// How it shows pictures.
    pub fn graphics(&self) -> Graphics {
        self.graphics
    }

    /// Can a line be drawn over again, as a progress bar needs it?
    pub fn is_live(&self) -> bool {
        self.live
    }

    /// The first where characters beyond ASCII can be shown, else the second.
    pub fn either<T>(&self, unicode: T, ascii: T) -> T {
        if self.unicode { unicode } else { ascii }
    }

    /// `text` in the colour of a tone; as it is where there are no colours. The text must be clean already.
    pub fn paint(&self, tone: Tone, text: &str) -> String {
        let rich = self.color >= Color::Ansi256;
        // Blue against orange: told apart with any colour vision.
        let code = match tone {
            _ if self.color == Color::None || text.is_empty() => return text.to_owned(),
            Tone::Plain => return text.to_owned(),
            Tone::Strong => "1",
            Tone::Dim => "2",
            Tone::Mark => "1;4",
            Tone::Good if rich => "38;5;39",
            Tone::Good => "36",
            Tone::Bad if rich => "38;5;208",
            Tone::Bad => "33",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

/// Names of terminals that say nothing of colours and take the palette of 256 all the same: those that call themselves
/// xterm have had it for twenty years, the multiplexers take it and show the nearest that they have, and so does the
/// console of Linux (3.16).
const PALETTE: [&str; 10] = ["xterm", "screen", "tmux", "linux", "rxvt", "vte", "gnome", "konsole", "putty", "foot"];

/// `screen` and `screen.xterm`, not `screenly`.
fn of_family(term: &str, family: &str) -> bool {
    // Names that tell their number of colours are taken at their word.
    let told = ["-color", "-16color", "-8color", "-88color", "-mono", "-m"].iter().any(|told| term.ends_with(told));
    !told && term.strip_prefix(family).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.']))
}

fn depth(term: &str, set: &dyn Fn(&str) -> Option<String>) -> Color {
    let deep = set("COLORTERM").is_some_and(|value| value == "truecolor" || value == "24bit");
    if deep || ["direct", "kitty", "ghostty", "alacritty", "wezterm"].iter().any(|known| term.contains(known)) {
        Color::True
    } else if term.contains("256") || PALETTE.iter().any(|family| of_family(term, family)) {
        Color::Ansi256
    } else {
        Color::Basic
    }
}

/// What `ROBORM_GRAPHICS` may be.
const GRAPHICS: [(&str, Graphics); 6] = [
    ("kitty", Graphics::Kitty),
    ("iterm", Graphics::Iterm),
    ("iterm2", Graphics::Iterm),
    ("sixel", Graphics::Sixel),
    ("blocks", Graphics::HalfBlocks),
    ("none", Graphics::None),
];

fn named(wanted: &str) -> Option<Graphics> {
    GRAPHICS.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, graphics)| *graphics)
}

/// What is to be said of a `ROBORM_GRAPHICS` that names no way to show pictures, where that is set.
pub fn wrong_graphics() -> Option<String> {
    let wanted = std::env::var("ROBORM_GRAPHICS").ok().filter(|wanted| !wanted.is_empty())?;
    named(&wanted)
        .is_none()
        .then(|| format!("note: ROBORM_GRAPHICS={wanted} is passed over: it takes kitty, iterm, sixel, blocks or none"))
}

/// The protocol for pictures that `ROBORM_GRAPHICS` names or the terminal is known by.
fn protocol(term: &str, set: &dyn Fn(&str) -> Option<String>) -> Graphics {
    // A word that names none of them is no reason to show less than without it.
    if let Some(graphics) = set("ROBORM_GRAPHICS").and_then(|wanted| named(&wanted)) {
        return graphics;
    }
    // A multiplexer inherits the variables of the terminal around it, and keeps its pictures from it.
    if set("TMUX").is_some() || term.starts_with("tmux") || term.starts_with("screen") {
        return Graphics::HalfBlocks;
    }
    let program = set("TERM_PROGRAM").unwrap_or_default();
    let is = |names: &[&str]| names.iter().any(|name| term.contains(name) || program.eq_ignore_ascii_case(name));
    if is(&["kitty", "ghostty"]) || set("KITTY_WINDOW_ID").is_some() {
        Graphics::Kitty
    } else if is(&["iTerm.app", "wezterm", "mintty"]) {
        Graphics::Iterm
    } else if is(&["foot", "mlterm", "contour", "sixel"]) {
        Graphics::Sixel
    } else {
        Graphics::HalfBlocks
    }
}
