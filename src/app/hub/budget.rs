//! How much memory a device gives to a model: no browser says it, so a table stands for the small ones.

/// What a browser says of its device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceWords {
    pub agent: String,
    /// Fingers that a screen takes: tablets that call themselves desktops have some.
    pub touches: u32,
    /// Gigabytes, rounded down and at most 8, where it is said at all.
    pub memory: Option<f64>,
}

/// A budget, and whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    pub megabytes: u64,
    pub device: &'static str,
}

#[cfg(feature = "web")]
impl DeviceWords {
    /// Of the browser that this runs in, a window or a worker.
    pub fn here() -> Self {
        use super::shelf::get;
        let navigator = get(&js_sys::global(), "navigator").unwrap_or_default();
        let number = |name| get(&navigator, name).and_then(|value| value.as_f64());
        let agent = get(&navigator, "userAgent").and_then(|agent| agent.as_string());
        Self {
            agent: agent.unwrap_or_default(),
            touches: number("maxTouchPoints").unwrap_or(0.0) as u32,
            memory: number("deviceMemory"),
        }
    }
}

impl DeviceWords {
    /// Megabytes for weights and all that a run takes; `None` where nothing is known.
    pub fn budget(&self) -> Option<Budget> {
        let says = |word: &str| self.agent.contains(word);
        let is_tablet = says("iPad") || says("Macintosh") && self.touches > 1;
        let (megabytes, device) = match () {
            () if says("iPhone") => (700, "an iPhone"),
            () if is_tablet => (1500, "an iPad"),
            () if says("Android") => (1500, "an Android device"),
            () => {
                let memory = self.memory?;
                // Half of what there is; 8 stands for 8 and more.
                ((memory * 500.0) as u64, "this computer")
            }
        };
        Some(Budget { megabytes, device })
    }
}

/// Megabytes for two models at once where nothing is known of the device.
const UNKNOWN: u64 = 2000;

/// May models that take so many bytes together be held at once?
pub fn is_room_for(bytes: u64, budget: Option<Budget>) -> bool {
    let megabytes = budget.map_or(UNKNOWN, |budget| budget.megabytes);
    bytes <= megabytes * 1_000_000
}

/// Workers that share a sweep at most: each takes its own copy of the model, and past four many a
/// device's cores are slow ones.
const MOST_WORKERS: usize = 4;

/// How many workers may share a sweep, the first with them, on a device of so many `cores` (as a browser
/// counts them), where each takes so many bytes.
pub fn workers(cores: usize, bytes: u64, budget: Option<Budget>) -> usize {
    let fits = |&count: &usize| is_room_for(bytes.saturating_mul(count as u64), budget);
    let mut counts = (2..=cores.min(MOST_WORKERS)).rev();
    counts.find(fits).unwrap_or(1)
}

/// Does a run that takes so many megabytes fit? In words.
pub fn spell_fit(needed: u64, budget: Option<Budget>) -> String {
    match budget {
        Some(Budget { megabytes, device }) if needed <= megabytes => {
            format!("fits: takes about {needed} MB of {megabytes} MB on {device}")
        }
        Some(Budget { megabytes, device }) => {
            format!("too large: takes about {needed} MB, and {device} gives about {megabytes} MB")
        }
        None => format!("takes about {needed} MB of memory"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_are_as_many_as_cores_and_memory_let_there_be() {
        let budget = |megabytes| {
            let device = "this computer";
            Some(Budget { megabytes, device })
        };
        let counts = |budget| [0, 1, 2, 3, 8].map(|cores| workers(cores, 200_000_000, budget));
        assert_eq!(counts(None), [1, 1, 2, 3, 4]);
        assert_eq!(counts(budget(4000)), [1, 1, 2, 3, 4]);
        assert_eq!(counts(budget(700)), [1, 1, 2, 3, 3]);
        assert_eq!(counts(budget(399)), [1; 5]);
        // One is there whatever it takes.
        assert_eq!(workers(8, u64::MAX, None), 1);
    }

    #[test]
    fn small_devices_have_small_budgets() {
        let of = |agent: &str, touches, memory| {
            let device = DeviceWords { agent: agent.to_owned(), touches, memory };
            device.budget().map(|budget| budget.megabytes)
        };
        assert_eq!(of("Mozilla/5.0 (iPhone; CPU iPhone OS 19_0)", 5, None), Some(700));
        assert_eq!(of("Mozilla/5.0 (Macintosh; Intel Mac OS X)", 5, None), Some(1500));
        assert_eq!(of("Mozilla/5.0 (Macintosh; Intel Mac OS X)", 0, None), None);
        assert_eq!(of("Mozilla/5.0 (Linux; Android 16)", 5, Some(8.0)), Some(1500));
        assert_eq!(of("Mozilla/5.0 (X11; Linux x86_64)", 0, Some(8.0)), Some(4000));
        assert_eq!(of("Mozilla/5.0 (X11; CrOS)", 0, Some(2.0)), Some(1000));
        let phone = Some(Budget { megabytes: 700, device: "an iPhone" });
        assert_eq!(spell_fit(419, phone), "fits: takes about 419 MB of 700 MB on an iPhone");
        assert!(spell_fit(874, phone).starts_with("too large: takes about 874 MB"));
        assert!(is_room_for(700_000_000, phone) && !is_room_for(700_000_001, phone));
        assert!(is_room_for(2_000_000_000, None) && !is_room_for(2_600_000_000, None));
        assert_eq!(spell_fit(874, None), "takes about 874 MB of memory");
    }
}
