//! The worker: everything that touches a model.

fn main() {
    console_error_panic_hook::set_once();
    atelier::app::worker::start();
}
