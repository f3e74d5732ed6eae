//! Where the names of points go, so that they do not cover each other.

use plotly::common::Position;

/// A letter's width and a line's height, as shares of a plot as wide as a page's column and as high as a chart.
const LETTER: f64 = 0.0125;
const LINE: f64 = 0.06;
/// From a point to its name.
const GAP: f64 = 0.025;

/// A place for the name of each point: the first of above, below, right and left that covers no name placed before it, no
/// point, and stays on the plot. `points` are shares of the plot, from its lower left corner; `letters` the lengths of the
/// names. A point that finds no such place has its name above.
pub(super) fn places(points: &[(f64, f64)], letters: &[usize]) -> Vec<Position> {
    let mut taken: Vec<Area> = Vec::new();
    let mut places = Vec::with_capacity(points.len());
    for (&(x, y), &letters) in points.iter().zip(letters) {
        let (width, half) = (letters as f64 * LETTER, letters as f64 * LETTER / 2.0);
        let candidates = [
            (Position::TopCenter, Area::at(x - half, y + GAP, width)),
            (Position::BottomCenter, Area::at(x - half, y - GAP - LINE, width)),
            (Position::MiddleRight, Area::at(x + GAP, y - LINE / 2.0, width)),
            (Position::MiddleLeft, Area::at(x - GAP - width, y - LINE / 2.0, width)),
        ];
        let free = |area: &Area| {
            !taken.iter().any(|other| area.overlaps(other))
                && !points.iter().any(|&(x, y)| area.holds(x, y))
                && area.left >= 0.0
                && area.left + area.width <= 1.0
        };
        let [above, ..] = &candidates;
        let (place, area) = candidates.iter().find(|(_, area)| free(area)).unwrap_or(above);
        taken.push(*area);
        places.push(place.clone());
    }
    places
}

#[derive(Clone, Copy)]
struct Area {
    left: f64,
    bottom: f64,
    width: f64,
}

impl Area {
    fn at(left: f64, bottom: f64, width: f64) -> Self {
        Self { left, bottom, width }
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.left < other.left + other.width
            && other.left < self.left + self.width
            && (self.bottom - other.bottom).abs() < LINE
    }

    fn holds(&self, x: f64, y: f64) -> bool {
        (self.left..self.left + self.width).contains(&x) && (self.bottom..self.bottom + LINE).contains(&y)
    }
}
