//! What is kept of one unit: one model's replies to one trajectory within a group.

/// Running sums over the scores of a unit, enough for every figure at every boundary but the failures, which are
/// counted a boundary beside it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    /// Pairs, unparsed ones included.
    pub pairs: u32,
    /// Pairs whose reply was not parsed.
    pub unparsed: u32,
    /// Pairs that have a score (a substitute for an unparsed reply included).
    pub scored: u32,
    /// Scored pairs that have a label.
    pub labelled: u32,
    /// The label, NaN where there is none.
    pub label: f64,
    /// Least and greatest score.
    pub min: f64,
    pub max: f64,
    /// Sum of |score - label|.
    pub error: f64,
    /// Sums of (score - first) and of its square. Measured from the first score they are exact for integer scores in
    /// any order, and do not cancel where the scores are close together.
    first: f64,
    sum: f64,
    sum_squares: f64,
}

impl Cell {
    pub fn new() -> Self {
        Self {
            pairs: 0,
            unparsed: 0,
            scored: 0,
            labelled: 0,
            label: f64::NAN,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
            error: 0.0,
            first: 0.0,
            sum: 0.0,
            sum_squares: 0.0,
        }
    }

    /// Takes in one pair. NaN stands for an unparsed reply and for a missing label.
    #[inline]
    pub fn push(
        &mut self,
        mut score: f64,
        label: f64,
        substitute: Option<f64>,
        boundaries: &[f64],
        failed: &mut [u32],
    ) {
        self.pairs += 1;
        if !label.is_nan() && self.label.is_nan() {
            self.label = label;
        }
        if score.is_nan() {
            self.unparsed += 1;
            match substitute {
                Some(number) => score = number,
                None => return,
            }
        }
        if self.scored == 0 {
            self.first = score;
        }
        self.scored += 1;
        self.min = self.min.min(score);
        self.max = self.max.max(score);
        let offset = score - self.first;
        self.sum += offset;
        self.sum_squares += offset * offset;
        if !label.is_nan() {
            self.labelled += 1;
            self.error += (score - label).abs();
            for (&boundary, failed) in boundaries.iter().zip(failed) {
                *failed += u32::from((score > boundary) != (label > boundary));
            }
        }
    }

    /// Takes in another part of the same unit.
    pub fn merge(&mut self, other: &Self) {
        if self.label.is_nan() {
            self.label = other.label;
        }
        self.pairs += other.pairs;
        self.unparsed += other.unparsed;
        self.labelled += other.labelled;
        self.error += other.error;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        if self.scored == 0 {
            self.first = other.first;
        }
        let shift = other.first - self.first;
        let n = f64::from(other.scored);
        self.sum_squares += other.sum_squares + 2.0 * shift * other.sum + n * shift * shift;
        self.sum += other.sum + n * shift;
        self.scored += other.scored;
    }

    /// Two replies or more: one alone cannot disagree with itself.
    pub fn can_cross(&self) -> bool {
        self.scored >= 2
    }

    /// Some score above the boundary, some not.
    pub fn crosses(&self, boundary: f64) -> Option<bool> {
        self.can_cross().then_some(self.max > boundary && self.min <= boundary)
    }

    pub fn range(&self) -> Option<f64> {
        self.can_cross().then_some(self.max - self.min)
    }

    /// Standard deviation with `ddof` degrees of freedom taken off; none for two scores or fewer than that leaves.
    pub fn std(&self, ddof: u8) -> Option<f64> {
        if !self.can_cross() || self.scored <= u32::from(ddof) {
            return None;
        }
        if self.min == self.max {
            return Some(0.0);
        }
        let n = f64::from(self.scored);
        let squares = (n * self.sum_squares - self.sum * self.sum) / n;
        // Scores beyond 1e150: what overflows is no figure.
        if !squares.is_finite() {
            return None;
        }
        Some((squares.max(0.0) / (n - f64::from(ddof))).sqrt())
    }
}
