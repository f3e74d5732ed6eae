//! Weights as tensors: mapped where they can be used as they lie in the file, converted and copied where not.

use std::collections::BTreeMap;
use std::sync::Arc;

use tch::{Device, Kind, Tensor};

use super::layers::{LayerNorm, Linear, RmsNorm};
use crate::checkpoint::{Dtype, Shard, TensorInfo};
use crate::{Error, Result};

/// Told that the work goes on, and at what.
pub type Alive<'a> = &'a mut dyn FnMut(&str);

/// Gives out the tensors of a checkpoint on a device and in a type.
pub struct Weights<'a> {
    tensors: &'a BTreeMap<String, (Arc<Shard>, TensorInfo)>,
    device: Device,
    kind: Kind,
    /// The shards whose bytes tensors point into: they must stay mapped as long as those tensors live.
    mapped: Vec<Arc<Shard>>,
    alive: Alive<'a>,
}

impl<'a> Weights<'a> {
    /// For tensors whose places have been checked.
    pub fn new(
        tensors: &'a BTreeMap<String, (Arc<Shard>, TensorInfo)>,
        device: Device,
        kind: Kind,
        alive: Alive<'a>,
    ) -> Self {
        Self { tensors, device, kind, mapped: Vec::new(), alive }
    }

    /// The shards that must outlive the tensors given out.
    pub fn into_mapped(self) -> Vec<Arc<Shard>> {
        self.mapped
    }

    /// The type that the tensors are given out in.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Where the tensors are given out.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Whether a tensor is in the files.
    pub fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    /// A tensor by name.
    ///
    /// # Errors
    /// Where it is missing, or holds a number that is none.
    pub fn tensor(&mut self, name: &str) -> Result<Tensor> {
        (self.alive)(name);
        let (shard, info) =
            self.tensors.get(name).ok_or_else(|| Error::setup(format!("the tensor {name} is in no file")))?;
        let stored = match info.dtype {
            Dtype::F32 => Kind::Float,
            Dtype::F16 => Kind::Half,
            Dtype::Bf16 => Kind::BFloat16,
        };
        let bytes = &shard.bytes()[info.range.clone()];
        let aligned = (bytes.as_ptr() as usize).is_multiple_of(info.dtype.size());
        let in_place = aligned && stored == self.kind && self.device == Device::Cpu;
        let lying = if aligned {
            // SAFETY: the bytes are those of the shape in this type (checked when the shard was opened); they are only
            // read; and they stay mapped: either the shard is kept beside the model, or the copy below is made first.
            unsafe { Tensor::from_blob(bytes.as_ptr(), &info.shape, &[], stored, Device::Cpu) }
        } else {
            Tensor::from_data_size(bytes, &info.shape, stored)
        };
        let tensor = if in_place {
            if !self.mapped.iter().any(|kept| Arc::ptr_eq(kept, shard)) {
                self.mapped.push(Arc::clone(shard));
            }
            lying.shallow_clone()
        } else {
            // Over to the device in the stored type first: half the bytes on the way where that is a 16-bit one.
            lying.to_device(self.device).to_kind(self.kind).copy()
        };
        // A sum is as good as a look at each: weights are far too small for it to overflow, and NaN and infinity stay.
        let finite = |tensor: &Tensor| tensor.sum(Kind::Float).double_value(&[]).is_finite();
        if !finite(&tensor) {
            if finite(&lying) {
                return Err(Error::setup(format!(
                    "{}: {name} holds numbers too large for f16",
                    shard.path().display()
                ))
                .with_help("dtype=bf16 takes as much memory and holds them"));
            }
            return Err(Error::setup(format!("{}: {name} holds NaN or infinity", shard.path().display()))
                .with_help("the file is damaged or the training run that wrote it had diverged"));
        }
        Ok(tensor)
    }

    pub(crate) fn linear(&mut self, name: &str, bias: bool) -> Result<Linear> {
        let weight = self.tensor(&format!("{name}.weight"))?;
        let bias = if bias { Some(self.tensor(&format!("{name}.bias"))?) } else { None };
        Ok(Linear { weight, bias })
    }

    pub(crate) fn layer_norm(&mut self, name: &str, eps: f64) -> Result<LayerNorm> {
        let (weight, bias) = (self.tensor(&format!("{name}.weight"))?, self.tensor(&format!("{name}.bias"))?);
        Ok(LayerNorm { weight, bias, eps })
    }

    pub(super) fn rms_norm(&mut self, name: &str, eps: f64) -> Result<RmsNorm> {
        Ok(RmsNorm { weight: self.tensor(&format!("{name}.weight"))?, eps })
    }
}
