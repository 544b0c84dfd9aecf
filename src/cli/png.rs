//! SVG text as PNG.

use std::sync::Arc;

use anyhow::Context;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

/// Draws texts with the machine's own fonts, and without any with one that it brings.
pub struct Painter {
    options: Options<'static>,
}

impl Painter {
    pub fn new() -> Self {
        let mut fonts = fontdb::Database::new();
        for font in [
            epaint_default_fonts::UBUNTU_LIGHT,
            epaint_default_fonts::HACK_REGULAR,
        ] {
            fonts.load_font_data(font.to_vec());
        }
        // Other scripts' letters are in no font that one could bring.
        fonts.load_system_fonts();
        fonts.set_sans_serif_family("Ubuntu");
        fonts.set_monospace_family("Hack");
        Self {
            options: Options {
                font_family: "Ubuntu".to_owned(),
                fontdb: Arc::new(fonts),
                ..Options::default()
            },
        }
    }

    /// With `scale` pixels a CSS pixel.
    ///
    /// # Errors
    /// Text that is no SVG, or a picture too large for memory.
    pub fn png(&self, svg: &str, scale: f32) -> anyhow::Result<Vec<u8>> {
        let tree = Tree::from_str(svg, &self.options)?;
        let size = tree.size();
        let [width, height] = [size.width(), size.height()].map(|x| (x * scale).ceil() as u32);
        let mut pixels = Pixmap::new(width, height).context("it is too large")?;
        let transform = Transform::from_scale(scale, scale);
        resvg::render(&tree, transform, &mut pixels.as_mut());
        Ok(pixels.encode_png()?)
    }
}
