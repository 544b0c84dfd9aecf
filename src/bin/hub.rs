//! The download worker: a program of its own, because it alone may ask a hub. No prompt ever comes here.

fn main() {
    console_error_panic_hook::set_once();
    atelier::app::hub::start();
}
