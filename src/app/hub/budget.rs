//! How much memory a device gives to a model: no browser says it, so a table stands for the small ones.

use crate::engine::memory::WASM_MOST;

/// A browser's statements on its device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceWords {
    pub agent: String,
    /// Fingers that a screen takes: tablets that call themselves desktops have some.
    pub touches: u32,
    /// Gigabytes, rounded down, where it is said at all; browsers name no more than 8, or than 32.
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
    /// Asks the browser that this runs in, a window or a worker.
    pub fn here() -> Self {
        use super::shelf::get;
        let scope: wasm_bindgen::JsValue = js_sys::global().into();
        let navigator = get(&scope, "navigator").unwrap_or_default();
        let number = |name| get(&navigator, name).and_then(|value| value.as_f64());
        let text = |from, name| get(from, name).and_then(|value| value.as_string());
        let touches = match number("maxTouchPoints") {
            Some(touches) => touches as u32,
            None => touches_in(&text(&scope, "name").unwrap_or_default()),
        };
        Self {
            agent: text(&navigator, "userAgent").unwrap_or_default(),
            touches,
            memory: number("deviceMemory"),
        }
    }
}

/// Comes before the touches in a worker's name.
const TOUCHES: &str = "#touches=";

/// The touches that a worker's name ends in; none where it says nothing of them.
pub fn touches_in(name: &str) -> u32 {
    let end = name.rsplit_once(TOUCHES);
    end.and_then(|(_, touches)| touches.parse().ok()).unwrap_or(0)
}

impl DeviceWords {
    /// The end of a worker's name from which it reads the touches, which browsers tell windows alone.
    pub fn spell_touches(&self) -> String {
        format!("{TOUCHES}{}", self.touches)
    }

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
                // Half of what there is.
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

/// May models that take so many bytes together be held at once on the processor, whose memory a browser limits
/// whatever the device has?
pub fn is_room_on_processor(bytes: u64, budget: Option<Budget>) -> bool {
    bytes <= WASM_MOST && is_room_for(bytes, budget)
}

/// Says why a second copy of a model has no room beside the one that is held; `None` where it has.
pub fn second_copy_refusal(bytes: u64, held: u64, budget: Option<Budget>) -> Option<String> {
    let megabytes = |bytes: u64| bytes.div_ceil(1_000_000);
    (!is_room_for(bytes.saturating_add(held), budget)).then(|| {
        let most = budget.map_or(UNKNOWN, |budget| budget.megabytes);
        format!(
            "The numbers were not compared: that takes a second copy of the model, about {} MB beside {} MB, and a \
             page should take no more than {most} MB here.",
            megabytes(bytes),
            megabytes(held)
        )
    })
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
    let most = WASM_MOST / 1_000_000;
    match budget {
        Some(Budget { megabytes, device }) if needed <= most.min(megabytes) => {
            format!("fits: takes about {needed} MB of {megabytes} MB on {device}")
        }
        Some(Budget { megabytes, device }) if needed <= megabytes => {
            format!(
                "for a GPU alone: takes about {needed} MB of {megabytes} MB on {device}, and on the CPU a browser \
                 gives {most} MB"
            )
        }
        Some(Budget { megabytes, device }) => {
            format!("too large: takes about {needed} MB, and {device} gives about {megabytes} MB")
        }
        None if needed > most => {
            format!(
                "for a GPU alone: takes about {needed} MB, and on the CPU a browser gives {most} MB"
            )
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

    #[test]
    fn a_model_that_the_processor_refuses_does_not_fit() {
        let computer = Some(Budget { megabytes: 8000, device: "this computer" });
        let words = "for a GPU alone: takes about 6100 MB of 8000 MB on this computer, and on the CPU a browser \
                     gives 3500 MB";
        assert_eq!(spell_fit(6100, computer), words);
        assert!(spell_fit(3500, computer).starts_with("fits: "));
        assert!(spell_fit(3501, None).starts_with("for a GPU alone: "));
        assert!(spell_fit(8001, computer).starts_with("too large: "));
        // Two of 2.5 GB are not held at once there.
        assert!(is_room_for(5_000_000_000, computer));
        assert!(!is_room_on_processor(5_000_000_000, computer));
        assert!(is_room_on_processor(3_500_000_000, computer));
    }

    #[test]
    fn a_worker_knows_the_touches_of_its_window() {
        let device = DeviceWords { agent: String::new(), touches: 5, memory: None };
        let name = "https://example.org/atelier/?v=0123".to_owned();
        assert_eq!(touches_in(&(name.clone() + &device.spell_touches())), 5);
        assert_eq!(touches_in(&name), 0);
        assert_eq!(touches_in("crew"), 0);
    }

    #[test]
    fn a_check_opens_no_second_copy_that_has_no_room() {
        let phone = Some(Budget { megabytes: 700, device: "an iPhone" });
        assert_eq!(second_copy_refusal(300_000_000, 400_000_000, phone), None);
        let refusal = second_copy_refusal(300_000_001, 400_000_000, phone).expect("a sentence");
        assert!(refusal.contains("about 301 MB beside 400 MB"), "{refusal}");
        assert!(second_copy_refusal(1_500_000_000, 1_500_000_000, None).is_some());
    }
}
