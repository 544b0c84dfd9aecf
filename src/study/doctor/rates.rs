//! How fast matrices are multiplied here, by rows and dtype, beside how fast this machine copies.

use atelier_kernels::matmul::MatrixBuilder;
use atelier_kernels::sample::{self, noise};
use atelier_kernels::team::Team;
use serde::{Deserialize, Serialize};

use super::effort::Effort;
use super::watch::{Timing, Watch};
use crate::model::{DType, Tensor};

/// Rows of a product: one token's, a few, a prompt's.
pub const ROWS: [usize; 5] = [1, 8, 32, 128, 512];

/// How the weights are stored.
pub const DTYPES: [DType; 5] = [DType::F32, DType::Bf16, DType::F16, DType::Q8_0, DType::Q4_0];

/// Measured rates of one device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    pub device: String,
    /// Rows of the matrix `[out, in]`.
    pub outs: usize,
    pub ins: usize,
    pub products: Vec<ProductRate>,
    /// The largest of these.
    pub best_gflops: Option<f64>,
    pub copy: Option<CopyRate>,
    /// Measurements that were not made, and why.
    pub unmeasured: Vec<String>,
}

/// `[N, in]` times a matrix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProductRate {
    pub rows: usize,
    pub dtype: String,
    /// 2 N in out operations each: 1e9 a second.
    pub gflops: f64,
    /// Weights as they are stored, each read once a product: 1e9 bytes a second.
    pub weights_gb: f64,
    /// Median time of one product.
    pub seconds: f64,
    pub repeats: usize,
}

/// From one place of a device's memory to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CopyRate {
    pub bytes: u64,
    /// Read and written together: 1e9 bytes a second.
    pub gb: f64,
    pub repeats: usize,
}

/// Measurements per device: copying, and a product of each dtype at each number of rows.
pub const MEASUREMENTS: usize = 1 + ROWS.len() * DTYPES.len();

fn product_name(dtype: DType, rows: usize) -> String {
    format!("{} at {rows} rows", dtype.name())
}

/// The reason given where a clock saw no time pass, as a browser's coarse one may.
const TOO_QUICK: &str = "it took less time than the clock tells apart";

impl Rates {
    pub(super) fn new(device: &str, effort: &Effort) -> Self {
        Self { device: device.to_string(), outs: effort.outs, ins: effort.ins, ..Self::default() }
    }

    /// How many of [`MEASUREMENTS`] are over, measured or not.
    pub fn settled(&self) -> usize {
        self.products.len() + self.unmeasured.len() + usize::from(self.copy.is_some())
    }

    fn add(&mut self, rows: usize, weights: &Tensor, timing: Timing) {
        let gflops = (2 * rows * self.outs * self.ins) as f64 / timing.seconds / 1e9;
        self.best_gflops = Some(self.best_gflops.unwrap_or(0.0).max(gflops));
        self.products.push(ProductRate {
            rows,
            dtype: weights.dtype.name().to_string(),
            gflops,
            weights_gb: weights.bytes.len() as f64 / timing.seconds / 1e9,
            seconds: timing.seconds,
            repeats: timing.repeats,
        });
    }

    fn copied(&mut self, bytes: u64, timing: Timing) {
        self.copy = Some(CopyRate {
            bytes,
            gb: 2.0 * bytes as f64 / timing.seconds / 1e9,
            repeats: timing.repeats,
        });
    }

    fn miss(&mut self, what: &str, why: &str) {
        self.unmeasured.push(format!("{what}: {why}"));
    }

    fn miss_all(&mut self, dtype: DType, why: &str) {
        for rows in ROWS {
            self.miss(&product_name(dtype, rows), why);
        }
    }

    /// How copying went.
    fn take_copy<E: std::fmt::Display>(&mut self, bytes: u64, timed: Result<Option<Timing>, E>) {
        match timed {
            Ok(Some(timing)) if timing.seconds > 0.0 => self.copied(bytes, timing),
            Ok(Some(_)) => self.miss("copying", TOO_QUICK),
            Ok(None) => self.miss("copying", "it was ended"),
            Err(error) => self.miss("copying", &error.to_string()),
        }
    }

    /// All products of one dtype within its share of time.
    async fn products<E: std::fmt::Display>(
        &mut self,
        watch: &Watch<'_>,
        effort: &Effort,
        weights: &Tensor<'_>,
        mut prepare: impl FnMut(usize) -> Result<(), E>,
        mut multiply: impl AsyncFnMut(usize) -> Result<(), E>,
        progress: &mut impl FnMut(&Rates, &str),
    ) {
        let began = (watch.now)();
        for rows in ROWS {
            let what = product_name(weights.dtype, rows);
            let left = began + effort.share() - (watch.now)();
            if left <= 0.0 {
                self.miss(&what, "its time was up");
                continue;
            }
            if (watch.is_ended)() {
                self.miss(&what, "it was ended");
                continue;
            }
            progress(self, &what);
            if let Err(error) = prepare(rows) {
                self.miss(&what, &error.to_string());
                continue;
            }
            // More rows take longer.
            let most = left.min(effort.share() / ROWS.len() as f64);
            match watch.time(most, &mut multiply).await {
                Ok(Some(timing)) if timing.seconds > 0.0 => self.add(rows, weights, timing),
                Ok(Some(_)) => self.miss(&what, TOO_QUICK),
                Ok(None) => self.miss(&what, "it was ended"),
                Err(error) => self.miss(&what, &error.to_string()),
            }
        }
    }
}

/// This processor, all threads. `progress` hears, before each measurement, what was found so far and what
/// comes next.
pub async fn of_processor(
    watch: &Watch<'_>,
    effort: &Effort,
    mut progress: impl FnMut(&Rates, &str),
) -> Rates {
    let mut rates = Rates::new("CPU", effort);
    let (Some(from), Some(mut to)) = (filled(effort.bytes, 1), filled(effort.bytes, 2)) else {
        // Products want no less: what is there may be a model's.
        let why =
            format!("this program's memory has no room for {} MiB more", (2 * effort.bytes) >> 20);
        rates.miss("copying and products", &why);
        return rates;
    };
    progress(&rates, "copying");
    let copied = watch.time(effort.share(), async |times| {
        for _ in 0..times {
            copy(&from, &mut to);
            std::hint::black_box(&to);
        }
        Ok::<(), std::convert::Infallible>(())
    });
    let copied = copied.await;
    rates.take_copy(effort.bytes, copied);
    drop((from, to));
    for dtype in DTYPES {
        if (watch.is_ended)() {
            rates.miss_all(dtype, "it was ended");
            continue;
        }
        let weights = sample::tensor(dtype, effort.outs, effort.ins, 2);
        let mut builder = MatrixBuilder::new(effort.outs, effort.ins);
        builder.fill(0, &weights);
        let matrix = builder.finish().expect("all of its rows came");
        let team = Team::default();
        let numbers = std::cell::RefCell::new((Vec::new(), Vec::new()));
        let prepare = |rows: usize| {
            *numbers.borrow_mut() = (noise(rows * effort.ins, 1), vec![0.0; rows * effort.outs]);
            Ok::<(), std::convert::Infallible>(())
        };
        let multiply = async |times: usize| {
            let (x, y) = &mut *numbers.borrow_mut();
            for _ in 0..times {
                match x.len() == effort.ins {
                    true => matrix.multiply_one(x, &[], y, &team),
                    false => matrix.multiply_shared(x, &[], y),
                }
                std::hint::black_box(&y);
            }
            Ok(())
        };
        rates.products(watch, effort, &weights, prepare, multiply, &mut progress).await;
    }
    rates
}

/// `None` where there is no room.
fn filled(bytes: u64, with: u8) -> Option<Vec<u8>> {
    let bytes = usize::try_from(bytes).ok()?;
    let mut filled = Vec::new();
    filled.try_reserve_exact(bytes).ok()?;
    filled.resize(bytes, with);
    Some(filled)
}

/// All threads, a piece each.
fn copy(from: &[u8], to: &mut [u8]) {
    use rayon::prelude::*;
    let piece = from.len().div_ceil(rayon::current_num_threads()).max(1);
    to.par_chunks_mut(piece)
        .zip(from.par_chunks(piece))
        .for_each(|(to, from)| to.copy_from_slice(from));
}

/// An adapter, through the kernels that models run on; `progress` as of a processor.
#[cfg(feature = "webgpu")]
pub async fn of_adapter(
    device: &str,
    bench: &crate::engine::webgpu::Workbench,
    watch: &Watch<'_>,
    effort: &Effort,
    mut progress: impl FnMut(&Rates, &str),
) -> Rates {
    let mut rates = Rates::new(device, effort);
    progress(&rates, "copying");
    match bench.copies(effort.bytes) {
        Err(error) => rates.miss("copying", &error.to_string()),
        Ok(copies) => {
            let timed = watch.time(effort.share(), async |times| copies.run(times).await);
            rates.take_copy(copies.bytes, timed.await);
        }
    }
    for dtype in DTYPES {
        if (watch.is_ended)() {
            rates.miss_all(dtype, "it was ended");
            continue;
        }
        let weights = sample::tensor(dtype, effort.outs, effort.ins, 2);
        let product = std::cell::RefCell::new(None);
        let prepare = |rows| {
            *product.borrow_mut() = None;
            *product.borrow_mut() = Some(bench.product(&weights, rows)?);
            Ok::<(), crate::engine::webgpu::GpuError>(())
        };
        let multiply = async |times| {
            // Nobody else has it while it is multiplied.
            let taken = product.take();
            let done = match &taken {
                Some(product) => bench.multiply(product, times).await,
                None => Ok(()),
            };
            product.replace(taken);
            done
        };
        rates.products(watch, effort, &weights, prepare, multiply, &mut progress).await;
    }
    rates
}

#[cfg(test)]
mod tests {
    use super::super::watch::nobody_waits;
    use super::*;

    const SMALL: Effort = Effort { outs: 64, ins: 64, bytes: 1 << 16, seconds: 0.2 };

    fn measured(is_ended: bool, hears: impl FnMut(&Rates, &str)) -> Rates {
        let began = std::time::Instant::now();
        let watch = Watch {
            now: &|| began.elapsed().as_secs_f64(),
            is_ended: &|| is_ended,
            breathe: &nobody_waits,
        };
        pollster::block_on(of_processor(&watch, &SMALL, hears))
    }

    #[test]
    fn every_product_is_measured_or_said_not_to_be() {
        let mut heard = Vec::new();
        let rates = measured(false, |rates, next| {
            heard.push((rates.settled(), next.to_string()));
        });
        assert_eq!(heard[0], (0, "copying".to_string()));
        assert_eq!(heard[1], (1, "f32 at 1 rows".to_string()));
        assert!(heard.iter().all(|(settled, _)| *settled < MEASUREMENTS));
        assert!(heard.is_sorted(), "{heard:?}");
        assert_eq!(rates.settled(), MEASUREMENTS);
        assert_eq!(rates.products.len() + rates.unmeasured.len(), ROWS.len() * DTYPES.len());
        let best = rates.products.iter().map(|product| product.gflops);
        assert_eq!(rates.best_gflops, best.reduce(f64::max));
        assert!(rates.copy.is_some_and(|copy| copy.gb > 0.0));
    }

    #[test]
    fn what_was_ended_has_no_numbers() {
        let rates = measured(true, |_, _| ());
        assert_eq!((rates.products.len(), rates.best_gflops), (0, None));
        assert_eq!(rates.unmeasured.len(), ROWS.len() * DTYPES.len() + 1);
    }

    /// An infinite rate has no form in JSON, and would be no rate.
    #[test]
    fn what_the_clock_does_not_see_is_not_measured() {
        let watch = Watch { now: &|| 7.0, is_ended: &|| false, breathe: &nobody_waits };
        let effort = Effort { outs: 8, ins: 32, bytes: 64, seconds: 0.1 };
        let rates = pollster::block_on(of_processor(&watch, &effort, |_, _| ()));
        assert_eq!((rates.products.len(), rates.best_gflops), (0, None));
        assert_eq!(rates.unmeasured.len(), MEASUREMENTS);
        assert!(rates.unmeasured[0].contains("than the clock tells apart"));
    }

    #[test]
    fn a_rate_is_work_by_time() {
        let mut rates = Rates::new("CPU", &SMALL);
        let weights = sample::tensor(DType::Bf16, 64, 64, 1);
        let timing = Timing { seconds: 1e-6, repeats: 1 };
        rates.add(2, &weights, timing);
        let product = &rates.products[0];
        assert!((product.gflops - 16.384).abs() < 1e-9, "{product:?}");
        assert!((product.weights_gb - 8.192).abs() < 1e-9, "{product:?}");
        rates.copied(1000, timing);
        assert_eq!(rates.copy.map(|copy| copy.gb), Some(2.0));
    }
}
