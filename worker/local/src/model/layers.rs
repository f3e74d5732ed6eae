//! The small parts that both towers are made of.

use tch::{Kind, Tensor};

/// `x W^T + b`.
pub(crate) struct Linear {
    pub(crate) weight: Tensor,
    pub(crate) bias: Option<Tensor>,
}

impl Linear {
    pub(crate) fn forward(&self, x: &Tensor) -> Tensor {
        x.linear(&self.weight, self.bias.as_ref())
    }
}

/// `x + y` in the memory of `y`: the rows of a clip are tens of megabytes, and fresh memory is what the system has to clear
/// page by page.
pub(super) fn add(x: &Tensor, mut y: Tensor) -> Tensor {
    let _ = y.g_add_(x);
    y
}

/// Layer norm with bias.
pub(crate) struct LayerNorm {
    pub(crate) weight: Tensor,
    pub(crate) bias: Tensor,
    /// Added under the root.
    pub(crate) eps: f64,
}

impl LayerNorm {
    pub(crate) fn forward(&self, x: &Tensor) -> Tensor {
        x.layer_norm(self.weight.size(), Some(&self.weight), Some(&self.bias), self.eps, false)
    }
}

/// Root mean square norm: in 32-bit floats, cast back, and only then multiplied by the weight.
pub(super) struct RmsNorm {
    pub(super) weight: Tensor,
    pub(super) eps: f64,
}

impl RmsNorm {
    pub(super) fn forward(&self, x: &Tensor) -> Tensor {
        let wide = x.to_kind(Kind::Float);
        let root = (wide.square().mean_dim(-1, true, Kind::Float) + self.eps).rsqrt();
        (wide * root).to_kind(x.kind()) * &self.weight
    }
}
