//! Compute pipelines: their WGSL, what they bind, and the numbers a dispatch gives them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// The imports of every kernel's file.
pub mod prelude {
    pub use super::super::error::GpuError;
    pub use super::super::grid::grid;
    pub use super::super::recorder::Recorder;
    pub use super::Access::{self, Read, Write};
}

/// Bytes of a dispatch's numbers: one uniform of 16 words, which every kernel calls `p`.
pub const PARAMS_BYTES: u64 = 64;

/// Whether a kernel only reads a storage buffer or also writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
}

pub struct Kernel {
    pub label: &'static str,
    pub pipeline: wgpu::ComputePipeline,
    pub layout: wgpu::BindGroupLayout,
}

impl Kernel {
    /// Compiles `source`, whose entry point is `main`; binding 0 holds the numbers, 1.. `accesses`. Its line
    /// `//total` stands for the function of that name: a sum over a workgroup of 64.
    /// A shader that does not compile is kept by [`Device::check`](super::device::Device::check).
    fn new(gpu: &wgpu::Device, label: &'static str, source: &str, accesses: &[Access]) -> Self {
        let entry = |(binding, ty, dynamic, size): (usize, wgpu::BufferBindingType, bool, u64)| {
            wgpu::BindGroupLayoutEntry {
                binding: binding as u32,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty,
                    has_dynamic_offset: dynamic,
                    min_binding_size: wgpu::BufferSize::new(size),
                },
                count: None,
            }
        };
        let numbers = (0, wgpu::BufferBindingType::Uniform, true, PARAMS_BYTES);
        let buffers = accesses.iter().enumerate().map(|(i, access)| {
            let read_only = *access == Access::Read;
            let ty = wgpu::BufferBindingType::Storage { read_only };
            (i + 1, ty, false, 0)
        });
        let entries: Vec<_> = std::iter::once(numbers).chain(buffers).map(entry).collect();
        let layout = gpu.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some(label),
            entries: &entries,
        });
        let pipeline_layout = gpu.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(label),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let source = source.replacen("//total", include_str!("total.wgsl"), 1);
        let module = gpu.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(label),
            source: wgpu::ShaderSource::Wgsl(source.into()),
        });
        let pipeline = gpu.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(label),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        Self { label, pipeline, layout }
    }
}

/// The kernels of a device, by label.
#[derive(Default)]
pub struct Kernels(RefCell<HashMap<&'static str, Variants>>);

/// Kernels of one label, by the numbers that are written into their source.
type Variants = HashMap<Vec<usize>, Rc<Kernel>>;

impl Kernels {
    /// Returns the kernel of a label and of numbers, which is compiled when it is first needed.
    pub fn get(
        &self,
        gpu: &wgpu::Device,
        (label, numbers): (&'static str, &[usize]),
        accesses: &[Access],
        source: impl FnOnce() -> String,
    ) -> Rc<Kernel> {
        let mut made = self.0.borrow_mut();
        let variants = made.entry(label).or_default();
        if let Some(kernel) = variants.get(numbers) {
            return kernel.clone();
        }
        let kernel = Rc::new(Kernel::new(gpu, label, &source(), accesses));
        variants.insert(numbers.to_vec(), kernel.clone());
        kernel
    }
}
