//! Rotary positions.

use tch::{Device, Kind, Tensor};

use crate::checkpoint::TextConfig;

/// Cosine and sine of the angles, ready to be multiplied with queries and keys.
pub struct Rotary {
    cos: Tensor,
    sin: Tensor,
}

impl Rotary {
    /// Of the text model, `[tokens, head_dim]`: the angles of time, height and width interleaved, the rest by time.
    ///
    /// Computed in 32-bit floats and cast to the type of the model, where the rotation then happens.
    pub(super) fn of_text(positions: &[[i64; 3]], config: &TextConfig, device: Device, kind: Kind) -> Self {
        let half = config.head_dim / 2;
        let powers =
            Tensor::arange_start_step(0, config.head_dim, 2, (Kind::Float, Device::Cpu)) / config.head_dim as f64;
        let inverse = Tensor::from(config.rope_theta).to_kind(Kind::Float).pow(&powers).reciprocal();
        let axes: Vec<i64> = (0..half)
            .map(|k| {
                let axis = k % 3;
                let reaches = axis != 0 && k < 3 * config.mrope_section[axis as usize];
                if reaches { axis } else { 0 }
            })
            .collect();
        let flat: Vec<i64> = positions.iter().flatten().copied().collect();
        let positions = Tensor::from_slice(&flat).view([-1, 3]).index_select(1, &Tensor::from_slice(&axes));
        let angles = positions.to_kind(Kind::Float) * inverse;
        Self::of(&angles, device, kind)
    }

    /// Of the vision tower, `[patches, head_dim]`: the first half of the angles by row, the second by column.
    pub(super) fn of_patches(rows: &Tensor, columns: &Tensor, head_dim: i64, theta: f64, device: Device) -> Self {
        let quarter = head_dim / 2;
        let powers = Tensor::arange_start_step(0, quarter, 2, (Kind::Float, Device::Cpu)) / quarter as f64;
        let inverse = Tensor::from(theta).to_kind(Kind::Float).pow(&powers).reciprocal();
        let by = |places: &Tensor| places.to_kind(Kind::Float).unsqueeze(-1) * &inverse;
        Self::of(&Tensor::cat(&[by(rows), by(columns)], -1), device, Kind::Float)
    }

    fn of(angles: &Tensor, device: Device, kind: Kind) -> Self {
        let twice = Tensor::cat(&[angles, angles], -1);
        let ready = |tensor: Tensor| tensor.to_kind(kind).to_device(device);
        Self { cos: ready(twice.cos()), sin: ready(twice.sin()) }
    }

    /// Rotates `[tokens, heads, head_dim]`, in the type that the angles have.
    pub(super) fn turn(&self, x: &Tensor) -> Tensor {
        let (cos, sin) = (self.cos.unsqueeze(1), self.sin.unsqueeze(1));
        let half = x.size()[2] / 2;
        let turned = Tensor::cat(&[x.narrow(2, half, half).neg(), x.narrow(2, 0, half)], 2);
        (x * cos).addcmul_(&turned, &sin)
    }
}
