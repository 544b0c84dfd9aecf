//! The command line on an NVIDIA GPU: a program of its own, because candle's CUDA links its libraries
//! at build time, so that a machine without them cannot start it.

fn main() -> std::process::ExitCode {
    atelier::cli::main_on_cuda()
}
