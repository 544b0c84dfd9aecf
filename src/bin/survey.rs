//! The page of surveys and theorems.

fn main() {
    console_error_panic_hook::set_once();
    atelier::app::survey::mount();
}
