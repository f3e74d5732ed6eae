//! Which colour and mark stands for which model and strategy.

use plotly::common::MarkerSymbol;
use serde_json::{Map, Value};

use crate::paraphrase::Strategy;

/// A colour for light paper and its partner for dark paper.
///
/// The hues are those of Okabe and Ito (2008), "Color Universal Design", which stay apart for all common kinds of colour
/// blindness; sky blue, orange and reddish purple are darkened so that each has a contrast of at least 3 to 1 on white,
/// and each has a lighter partner for dark paper.
type Ink = (&'static str, &'static str);

pub(super) const BLUE: Ink = ("#0072b2", "#5ab4f0");
pub(super) const VERMILLION: Ink = ("#d55e00", "#ff8b4d");
pub(super) const GREEN: Ink = ("#00875f", "#3ccb9f");
const PURPLE: Ink = ("#b8578f", "#eb9fca");
const ORANGE: Ink = ("#b87a00", "#f5bd3d");
const SKY: Ink = ("#2b93cc", "#a3dcff");
pub(super) const GREY: Ink = ("#6a6f76", "#b1b7bf");

/// Lines and words that belong to no series: the boundary, notes.
pub(super) const NOTE: Ink = ("#4d535a", "#c3c9d1");
/// Faint rules between rows.
pub(super) const RULE: Ink = ("#e3e6ea", "#30363d");
/// The side of success behind the scores.
pub(super) const SUCCESS_AREA: Ink = ("#eaf3fa", "#14283a");
/// The lightest and the strongest cell of a heat map, and words on them.
pub(super) const HEAT: [Ink; 3] = [("#f3f8fc", "#16222e"), ("#7ab3d9", "#2f6f9f"), ("#084d80", "#a9dcff")];
pub(super) const ON_PALE: Ink = ("#122334", "#e4edf6");
pub(super) const ON_STRONG: Ink = ("#fcfdfe", "#08131d");

const MODEL_INKS: [Ink; 6] = [BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY];
const MODEL_SYMBOLS: [MarkerSymbol; 6] = [
    MarkerSymbol::Circle,
    MarkerSymbol::Diamond,
    MarkerSymbol::Square,
    MarkerSymbol::TriangleUp,
    MarkerSymbol::Cross,
    MarkerSymbol::X,
];
/// Of strategies beyond the protocol's three and the original: no symbol is one of theirs, and seven colours against eight
/// symbols give 56 pairs before one comes again.
const OTHER_INKS: [Ink; 7] = [PURPLE, ORANGE, SKY, GREY, BLUE, GREEN, VERMILLION];
const OTHER_SYMBOLS: [MarkerSymbol; 8] = [
    MarkerSymbol::TriangleUp,
    MarkerSymbol::TriangleDown,
    MarkerSymbol::Cross,
    MarkerSymbol::X,
    MarkerSymbol::Star,
    MarkerSymbol::Pentagon,
    MarkerSymbol::Hourglass,
    MarkerSymbol::TriangleLeft,
];

/// How a series looks: never by colour alone.
#[derive(Clone, Debug)]
pub struct Mark {
    /// A CSS colour for light paper; reports swap it on dark paper.
    pub color: &'static str,
    /// The symbol of its points.
    pub symbol: MarkerSymbol,
}

/// Which mark stands for which model and which strategy, so that each looks alike in every chart of a report.
///
/// A chart gives what the palette was not told of a mark of its own, so [`Palette::default`] does for one chart; a report
/// makes one palette of all its models and strategies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Palette {
    models: Vec<String>,
    /// Beyond the protocol's three and the original, which have marks of their own.
    strategies: Vec<Strategy>,
}

impl Palette {
    /// A palette for these models; a name that comes twice counts once. Up to 36 get marks of their own.
    pub fn new<S: Into<String>>(models: impl IntoIterator<Item = S>) -> Self {
        let mut palette = Self::default();
        for model in models {
            let model = model.into();
            if !palette.models.contains(&model) {
                palette.models.push(model);
            }
        }
        palette
    }

    /// This palette, told of these strategies too. Up to 56 beyond the protocol's three and the original get marks of
    /// their own, by the alphabet.
    #[must_use]
    pub fn strategies<'a>(mut self, strategies: impl IntoIterator<Item = &'a Strategy>) -> Self {
        let mut new: Vec<&Strategy> = strategies.into_iter().collect();
        new.sort();
        for strategy in new {
            if matches!(strategy, Strategy::Other(_)) && !self.strategies.contains(strategy) {
                self.strategies.push(strategy.clone());
            }
        }
        self
    }

    /// This palette, told of whatever a chart shows that it does not know yet.
    pub(super) fn of_chart(&self, models: &[&str], strategies: &[&Strategy]) -> Self {
        let all = self.models.iter().map(String::as_str).chain(models.iter().copied());
        Self { strategies: self.strategies.clone(), ..Self::new(all) }.strategies(strategies.iter().copied())
    }

    /// The mark of a model; of one that the palette was not told of by its name, which may be another's too.
    pub fn model(&self, name: &str) -> Mark {
        let slot = self.models.iter().position(|model| model == name).unwrap_or_else(|| hash(name));
        let round = slot / MODEL_INKS.len();
        // The symbol moves with the colour, and shifts by one each round: 36 pairs before one comes again.
        let (ink, symbol) = (slot % MODEL_INKS.len(), (slot + round) % MODEL_SYMBOLS.len());
        Mark { color: MODEL_INKS[ink].0, symbol: MODEL_SYMBOLS[symbol].clone() }
    }

    /// The mark of a strategy; of one that the palette was not told of by its name, which may be another's too.
    pub fn strategy(&self, strategy: &Strategy) -> Mark {
        let (ink, symbol) = match strategy {
            Strategy::Original => (GREY, MarkerSymbol::CircleOpen),
            Strategy::Lexical => (BLUE, MarkerSymbol::Circle),
            Strategy::Structural => (GREEN, MarkerSymbol::Diamond),
            Strategy::Adversarial => (VERMILLION, MarkerSymbol::Square),
            Strategy::Other(name) => {
                let slot = self.strategies.iter().position(|known| known == strategy).unwrap_or_else(|| hash(name));
                (OTHER_INKS[slot % OTHER_INKS.len()], OTHER_SYMBOLS[slot % OTHER_SYMBOLS.len()].clone())
            }
        };
        Mark { color: ink.0, symbol }
    }
}

/// FNV-1a: a name's mark must be the same in every run and on every machine.
fn hash(name: &str) -> usize {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    (hash % 36) as usize
}

/// Whether a model's name says that it is simulated (`simulated`, `simulated:preset`, `simulated-2`).
pub fn is_simulated(model: &str) -> bool {
    model.strip_prefix("simulated").is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
}

/// The table by which a page swaps colours on dark paper.
pub(super) fn dark_partners() -> Value {
    let inks = MODEL_INKS.iter().chain(&HEAT).chain([&GREY, &NOTE, &RULE, &SUCCESS_AREA, &ON_PALE, &ON_STRONG]);
    Value::Object(inks.map(|(light, dark)| ((*light).to_owned(), Value::from(*dark))).collect::<Map<_, _>>())
}
