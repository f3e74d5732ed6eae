//! Keys and values of the tokens that have been through the model.

use tch::{Device, Kind, Tensor};

use crate::checkpoint::TextConfig;

/// Keys and values of every layer, `[1, kv heads, room, head_dim]`, of which the first `length` tokens count.
pub struct Cache {
    keys: Vec<Tensor>,
    values: Vec<Tensor>,
    length: i64,
    room: i64,
}

impl Cache {
    /// An empty cache.
    pub fn new(config: &TextConfig, device: Device, kind: Kind) -> Self {
        let empty = || {
            (0..config.layers)
                .map(|_| Tensor::empty([1, config.kv_heads, 0, config.head_dim], (kind, device)))
                .collect::<Vec<_>>()
        };
        Self { keys: empty(), values: empty(), length: 0, room: 0 }
    }

    /// Bytes that a token takes.
    pub fn bytes_a_token(config: &TextConfig, kind: Kind) -> i64 {
        2 * config.layers * config.kv_heads * config.head_dim * kind.elt_size_in_bytes() as i64
    }

    /// Tokens that count.
    pub fn length(&self) -> i64 {
        self.length
    }

    /// Forgets all but the first `length` tokens.
    pub fn crop(&mut self, length: i64) {
        self.length = self.length.min(length);
    }

    /// Makes room for `room` tokens in all.
    pub fn reserve(&mut self, room: i64) {
        if room > self.room {
            self.resize(room);
        }
    }

    /// Gives back what is beyond the tokens that count.
    pub fn shrink(&mut self) {
        self.resize(self.length);
    }

    /// Tensor by tensor, each by its own size: where memory was wanting, an earlier try may have ended among them.
    fn resize(&mut self, room: i64) {
        // Never more than every tensor has, whatever happens on the way.
        self.room = self.room.min(room);
        for tensor in self.keys.iter_mut().chain(&mut self.values) {
            let size = tensor.size();
            if size[2] == room {
                continue;
            }
            let other = Tensor::empty([1, size[1], room, size[3]], (tensor.kind(), tensor.device()));
            if self.length > 0 {
                other.narrow(2, 0, self.length).copy_(&tensor.narrow(2, 0, self.length));
            }
            *tensor = other;
        }
        self.room = room;
    }

    /// Writes the keys and values of a layer, `[1, kv heads, tokens, head_dim]`, after those that count, and gives all
    /// of that layer.
    pub(super) fn append(&self, layer: usize, keys: &Tensor, values: &Tensor) -> (Tensor, Tensor) {
        let tokens = keys.size()[2];
        self.keys[layer].narrow(2, self.length, tokens).copy_(keys);
        self.values[layer].narrow(2, self.length, tokens).copy_(values);
        let all = self.length + tokens;
        (self.keys[layer].narrow(2, 0, all), self.values[layer].narrow(2, 0, all))
    }

    /// Once every layer has appended: these tokens count now.
    pub(super) fn grow(&mut self, tokens: i64) {
        self.length += tokens;
    }
}
