//! The models' panel and its download worker: a document and a program of their own, because they alone
//! may ask a hub. No prompt ever comes here.

fn main() {
    console_error_panic_hook::set_once();
    atelier::app::hub::start();
}
