//! The worker's limits on itself.

use std::io;

use roborm_wire::Configure;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Sets what holds for the life of the process: address space, and no core dumps of whatever was in a user's video.
pub fn confine(limits: &Configure) -> io::Result<()> {
    lower(Resource::As, limits.memory_bytes)?;
    lower(Resource::Core, 0)
}

/// Gives the request that starts now `cpu_s` seconds of CPU time, whatever the process has used before.
///
/// The kernel ends the process when they are spent. More than a year is as good as a year: the kernel counts the limit
/// in nanoseconds of 64 bits, and one that overflows them is spent at the next tick of its clock.
pub fn grant_cpu(cpu_s: u64) -> io::Result<()> {
    const YEAR_S: u64 = 365 * 24 * 60 * 60;
    let wanted = cpu_used_s().saturating_add(cpu_s.min(YEAR_S)).saturating_add(1);
    let maximum = getrlimit(Resource::Cpu).maximum;
    setrlimit(Resource::Cpu, Rlimit { current: Some(maximum.map_or(wanted, |most| most.min(wanted))), maximum })?;
    Ok(())
}

/// Keeps freed memory for the next clip: decoders take and leave the same tens of megabytes for each file, and the
/// kernel's clearing of fresh pages would be a tenth of a short clip's CPU time.
pub fn keep_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: sets two numbers of the allocator, before any other thread runs.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 64 << 20);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 256 << 20);
    }
}

fn lower(resource: Resource, to: u64) -> io::Result<()> {
    let to = getrlimit(resource).maximum.map_or(to, |maximum| maximum.min(to));
    setrlimit(resource, Rlimit { current: Some(to), maximum: Some(to) })?;
    Ok(())
}

fn cpu_used_s() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a timespec that lives through the call.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    if status == 0 { u64::try_from(time.tv_sec).unwrap_or(0) } else { 0 }
}
