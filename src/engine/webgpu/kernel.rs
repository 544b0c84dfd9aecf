//! One compute pipeline: its WGSL, what it binds, and the numbers a dispatch gives it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;
use std::rc::Rc;

use super::device::Device;

/// The imports of every kernel's file.
pub mod prelude {
    pub use super::super::device::Device;
    pub use super::super::error::GpuError;
    pub use super::super::grid::grid;
    pub use super::super::recorder::Recorder;
    pub use super::Access::{self, Read, Write};
    pub use super::{Kernel, Variants};
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
    /// Compiles `source`, whose entry point is `main`; binding 0 holds the numbers, 1.. `accesses`.
    /// A shader that does not compile is kept by [`Device::check`].
    pub fn new(device: &Device, label: &'static str, source: &str, accesses: &[Access]) -> Self {
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
        let gpu = &device.device;
        let layout = gpu.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some(label),
            entries: &entries,
        });
        let pipeline_layout = gpu.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(label),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
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

/// Kernels of one source with different numbers or types in it, each made when it is first needed.
pub struct Variants<K>(RefCell<HashMap<K, Rc<Kernel>>>);

impl<K: Eq + Hash> Variants<K> {
    pub fn get(&self, key: K, make: impl FnOnce() -> Kernel) -> Rc<Kernel> {
        let mut made = self.0.borrow_mut();
        made.entry(key).or_insert_with(|| Rc::new(make())).clone()
    }
}

impl<K> Default for Variants<K> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}
