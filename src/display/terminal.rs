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

/// How a terminal shows pictures. To be joined by kitty's, iTerm's and sixel protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Graphics {
    /// It does not: a line of words stands for the picture.
    None,
    /// Two pixels a character, by half blocks in two colours.
    HalfBlocks,
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
}

/// What the other end can show: width, colours, characters, pictures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terminal {
    width: Option<usize>,
    color: Color,
    unicode: bool,
    graphics: Graphics,
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
        Self { width: None, color: Color::None, unicode: false, graphics: Graphics::None, live: false }
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
    /// Colour: never under `NO_COLOR`; always under `CLICOLOR_FORCE`; else on a terminal that is not `dumb`, unless
    /// `CLICOLOR=0`. Depth by `COLORTERM` and `TERM`. Characters beyond ASCII: on a terminal, unless `LC_ALL`,
    /// `LC_CTYPE` or `LANG`, the first that is set, names another encoding than UTF-8; where none is set (a bare
    /// container), UTF-8 is assumed, since terminals speak it. Width: the terminal's, else `COLUMNS`, else 80 on a
    /// terminal and no limit elsewhere.
    pub fn detect(surroundings: &Surroundings<'_>) -> Self {
        let Surroundings { tty, columns, env } = *surroundings;
        let set = |name: &str| env(name).filter(|value| !value.is_empty());
        let term = set("TERM").unwrap_or_default();
        let dumb = term == "dumb";

        let forced = set("CLICOLOR_FORCE").is_some_and(|value| value != "0");
        let wanted = forced || (tty && !dumb && set("CLICOLOR").is_none_or(|value| value != "0"));
        let color = if set("NO_COLOR").is_some() || !wanted { Color::None } else { depth(&term, &set) };

        let encoding = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
        let utf8 = encoding.is_none_or(|locale| {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        });
        let unicode = tty && !dumb && utf8;

        let graphics = if unicode && color >= Color::Ansi256 { Graphics::HalfBlocks } else { Graphics::None };
        let width = columns
            .or_else(|| set("COLUMNS").and_then(|value| value.parse().ok()).filter(|columns| *columns > 0))
            .or(tty.then_some(80));
        Self { width, color, unicode, graphics, live: tty && !dumb }
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
        self.graphics = if self.unicode && color >= Color::Ansi256 { Graphics::HalfBlocks } else { Graphics::None };
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
            Tone::Good if rich => "38;5;39",
            Tone::Good => "36",
            Tone::Bad if rich => "38;5;208",
            Tone::Bad => "33",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

fn depth(term: &str, set: &dyn Fn(&str) -> Option<String>) -> Color {
    let deep = set("COLORTERM").is_some_and(|value| value == "truecolor" || value == "24bit");
    if deep || ["direct", "kitty", "ghostty", "alacritty", "wezterm"].iter().any(|known| term.contains(known)) {
        Color::True
    } else if term.contains("256") {
        Color::Ansi256
    } else {
        Color::Basic
    }
}
