//! An adapter's description of itself: name, driver and limits.

use super::device;
use crate::engine::trial::{AdapterFacts, AdapterLimits};

/// Every adapter of this machine, in the order of [`AdapterChoice::place`](super::AdapterChoice::place);
/// in a browser the one that it offers.
pub async fn adapters() -> Vec<AdapterFacts> {
    let mut facts = Vec::new();
    for adapter in device::every(&device::AdapterChoice::default()).await {
        facts.push(of(&adapter).await);
    }
    facts
}

async fn of(adapter: &wgpu::Adapter) -> AdapterFacts {
    let (info, limits) = (adapter.get_info(), adapter.limits());
    let name = device::name(&info).await;
    let driver = [info.driver.trim(), info.driver_info.trim()];
    let driver: Vec<&str> = driver.into_iter().filter(|said| !said.is_empty()).collect();
    AdapterFacts {
        is_software: device::is_software(&info, &name),
        name,
        backend: backend(info.backend).to_string(),
        kind: kind(info.device_type).to_string(),
        driver: driver.join(", "),
        has_f16: adapter.features().contains(wgpu::Features::SHADER_F16),
        limits: AdapterLimits {
            buffer: limits.max_buffer_size,
            binding: limits.max_storage_buffer_binding_size,
            storage_buffers: limits.max_storage_buffers_per_shader_stage,
            workgroup_threads: limits.max_compute_invocations_per_workgroup,
            workgroup_size: [
                limits.max_compute_workgroup_size_x,
                limits.max_compute_workgroup_size_y,
                limits.max_compute_workgroup_size_z,
            ],
            workgroup_bytes: limits.max_compute_workgroup_storage_size,
        },
    }
}

fn backend(backend: wgpu::Backend) -> &'static str {
    match backend {
        wgpu::Backend::Vulkan => "Vulkan",
        wgpu::Backend::Metal => "Metal",
        wgpu::Backend::Dx12 => "DX12",
        wgpu::Backend::Gl => "OpenGL",
        wgpu::Backend::BrowserWebGpu => "WebGPU",
        wgpu::Backend::Noop => "none",
    }
}

fn kind(kind: wgpu::DeviceType) -> &'static str {
    match kind {
        wgpu::DeviceType::DiscreteGpu => "discrete GPU",
        wgpu::DeviceType::IntegratedGpu => "integrated GPU",
        wgpu::DeviceType::VirtualGpu => "virtual GPU",
        wgpu::DeviceType::Cpu => "processor",
        wgpu::DeviceType::Other => "other",
    }
}
