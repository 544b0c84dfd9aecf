fn main() -> std::process::ExitCode {
    atelier::cli::main()
}
