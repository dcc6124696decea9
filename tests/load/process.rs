//! The system's figures about the service's process.

/// Resident memory in KiB.
pub fn resident(pid: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or(0)
}

/// Open descriptors.
pub fn descriptors(pid: u32) -> usize {
    std::fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count)
}

/// Threads.
pub fn threads(pid: u32) -> usize {
    std::fs::read_dir(format!("/proc/{pid}/task")).map_or(0, Iterator::count)
}

/// Resident memory over time.
#[derive(Debug, Default)]
pub struct Memory {
    samples: Vec<u64>,
}

impl Memory {
    /// Samples every half second until it is dropped.
    pub async fn watch(pid: u32, into: &tokio::sync::Mutex<Self>) {
        loop {
            into.lock().await.samples.push(resident(pid));
            crate::common::let_pass_async(500, "twice a second is enough").await;
        }
    }

    /// The medians of the second and the last fifth, and the maximum, in MiB.
    pub fn fifths(&self) -> (f64, f64, f64) {
        let fifth = (self.samples.len() / 5).max(1);
        let median = |part: &[u64]| {
            let mut part = part.to_vec();
            part.sort_unstable();
            part.get(part.len() / 2).copied().unwrap_or(0) as f64 / 1024.0
        };
        let most = self.samples.iter().max().copied().unwrap_or(0) as f64 / 1024.0;
        let second = self.samples.get(fifth..2 * fifth).unwrap_or(&self.samples);
        (median(second), median(&self.samples[self.samples.len() - fifth..]), most)
    }
}
