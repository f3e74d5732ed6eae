//! What there is to compute with: devices and memory.

use std::fs;
use std::process::Command;

use roborm_wire::local::Found;
use tch::{Cuda, Device};

use crate::checkpoint::{Checkpoint, Dtype};
use crate::{Error, Result};

/// The version of libtorch that this program is built for.
const TORCH: &str = "2.11.0";

/// The state of the machine.
pub type Hardware = Found;

/// Looks at what there is.
pub fn look() -> Hardware {
    let cuda = graphics_cards();
    let why_no_cuda = (Cuda::device_count() == 0).then(|| {
        let reason = match (tch::utils::has_cuda(), cuda.is_empty()) {
            (false, false) => "this libtorch is built for the CPU only, though there is a CUDA device",
            (_, true) => "nvidia-smi finds no device",
            (true, false) => {
                "libtorch finds no device, though nvidia-smi does: driver and libtorch may not fit each other"
            }
        };
        reason.to_owned()
    });
    Hardware {
        protocol: roborm_wire::local::PROTOCOL,
        torch: TORCH.to_owned(),
        threads: usize::try_from(tch::get_num_threads()).unwrap_or(1),
        memory: available_memory(),
        cuda: if why_no_cuda.is_some() { Vec::new() } else { cuda.into_iter().map(|card| card.line).collect() },
        why_no_cuda,
    }
}

/// A device by its name: `cpu`, `cuda`, `cuda:N`.
///
/// # Errors
/// Where the name is none, or CUDA is asked for and not there: never silently the CPU.
pub fn device(name: &str) -> Result<Device> {
    let number = match name {
        "cpu" => return Ok(Device::Cpu),
        "cuda" => 0,
        other => other.strip_prefix("cuda:").and_then(|number| number.parse::<usize>().ok()).ok_or_else(|| {
            Error::setup(format!("the device '{other}' is not known")).with_help("cpu, cuda, or cuda:N with N from 0")
        })?,
    };
    let count = Cuda::device_count();
    if (number as i64) < count {
        return Ok(Device::Cuda(number));
    }
    let help = "use device=cpu, or build the worker with a PyTorch that has CUDA: LIBTORCH_USE_PYTORCH=1";
    Err(match look().why_no_cuda {
        Some(why) => Error::setup(format!("there is no CUDA device: {why}")).with_help(help),
        None => Error::setup(format!("there is no CUDA device {number}: {count} found")).with_help("count them from 0"),
    })
}

/// The name of a device.
pub(super) fn name(device: Device) -> String {
    match device {
        Device::Cuda(number) => format!("cuda:{number}"),
        _ => "cpu".to_owned(),
    }
}

/// Whether the weights fit into what is free, said before any is loaded.
pub(super) fn check_memory(checkpoint: &Checkpoint, device: Device, dtype: Dtype) -> Result<()> {
    let needed = checkpoint.parameters() * dtype.size() as u64;
    let (free, where_) = match device {
        Device::Cuda(number) => (graphics_cards().get(number).and_then(|card| card.free), name(device)),
        _ => (available_memory(), "this machine".to_owned()),
    };
    match free {
        Some(free) if free < needed => Err(Error::setup(format!(
            "the weights take {} as {}, and {where_} has {} of memory free",
            gigabytes(needed),
            dtype.name(),
            gigabytes(free)
        ))
        .with_help(if dtype == Dtype::F32 {
            "dtype=bf16 takes half of that; or run the checkpoint elsewhere behind a server: --base-url"
        } else {
            "end other programs, or run the checkpoint elsewhere behind a server: --base-url"
        })),
        _ => Ok(()),
    }
}

fn gigabytes(bytes: u64) -> String {
    format!("{:.1} GB", bytes as f64 / 1e9)
}

/// Bytes that can be had without swapping, a container's limit considered.
fn available_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let machine = line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024;
    let number = |file: &str| fs::read_to_string(file).ok()?.trim().parse::<u64>().ok();
    let container = match (number("/sys/fs/cgroup/memory.max"), number("/sys/fs/cgroup/memory.current")) {
        (Some(most), Some(now)) => most.saturating_sub(now),
        _ => u64::MAX,
    };
    Some(machine.min(container))
}

struct Card {
    line: String,
    free: Option<u64>,
}

/// The devices as the driver's own tool lists them, which names and memory are had from.
fn graphics_cards() -> Vec<Card> {
    let asked = ["--query-gpu=name,memory.free,memory.total", "--format=csv,noheader,nounits"];
    let Ok(output) = Command::new("nvidia-smi").args(asked).output() else { return Vec::new() };
    if !output.status.success() {
        return Vec::new();
    }
    let card = |line: &str| {
        let parts: Vec<&str> = line.split(',').map(str::trim).collect();
        let mebibytes = |part: Option<&&str>| Some(part?.parse::<u64>().ok()? << 20);
        let (free, total) = (mebibytes(parts.get(1)), mebibytes(parts.get(2)));
        let size = |bytes: Option<u64>| bytes.map_or("unknown".into(), gigabytes);
        Card { line: format!("{}, {} of {} free", parts.first().unwrap_or(&""), size(free), size(total)), free }
    };
    String::from_utf8_lossy(&output.stdout).lines().map(card).collect()
}
