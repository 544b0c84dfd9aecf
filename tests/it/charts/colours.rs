//! How far apart the colours of `style/tokens.css` are, to readers with all cones and to those who lack one kind.
//!
//! Their sight is simulated as Machado, Oliveira and Fernandes (2009) do at full severity; differences are
//! CIEDE2000's. At 1 a difference is just seen side by side; here colours lie apart and are thin.

use std::collections::BTreeSet;

use atelier::chart::{DARK, LIGHT, Theme};

/// Least difference of two roles.
const ROLES_APART: f64 = 12.0;

/// Least difference of two pens.
const PENS_APART: f64 = 14.0;

/// Least contrast of a coloured word and the paper behind it: WCAG 2.2, 1.4.3.
const CONTRAST: f64 = 4.5;

/// Things without a role that one figure tells apart.
const THINGS: usize = 30;

/// Red, green and blue light as the eyes have them: a name, and what each becomes.
const EYES: [(&str, [[f64; 3]; 3]); 4] = [
    ("all cones", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "protanopia",
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
    ),
    (
        "deuteranopia",
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
    ),
    (
        "tritanopia",
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ),
];

/// From linear light of sRGB to CIE XYZ under D65.
const XYZ: [[f64; 3]; 3] = [
    [0.412_456_4, 0.357_576_1, 0.180_437_5],
    [0.212_672_9, 0.715_152_2, 0.072_175_0],
    [0.019_333_9, 0.119_192_0, 0.950_304_1],
];

const WHITE: [f64; 3] = [0.95047, 1.0, 1.08883];

#[test]
fn roles_stay_apart_to_colour_blind_readers() {
    for theme in [LIGHT, DARK] {
        apart(theme.name, &roles(&theme), ROLES_APART);
    }
}

#[test]
fn pens_stay_apart_to_colour_blind_readers() {
    for theme in [LIGHT, DARK] {
        let pens: Vec<_> = theme.pens.into_iter().map(|colour| ("pen", colour)).collect();
        apart(theme.name, &pens, PENS_APART);
    }
}

#[test]
fn colours_can_be_read_as_words_on_paper() {
    for theme in [LIGHT, DARK] {
        let pens = theme.pens.into_iter().map(|colour| ("pen", colour));
        for (name, colour) in roles(&theme).into_iter().chain(pens) {
            let contrast = contrast(colour, theme.paper);
            assert!(contrast >= CONTRAST, "{}: {name} {colour} {contrast:.2}", theme.name);
        }
    }
}

#[test]
fn thirty_things_without_a_role_look_different() {
    for theme in [LIGHT, DARK] {
        let pens = || (0..THINGS).map(|n| theme.pen(n, "a model"));
        let marks: BTreeSet<String> =
            pens().map(|pen| format!("{} {:?}", pen.colour, pen.mark)).collect();
        let lines: BTreeSet<String> =
            pens().map(|pen| format!("{} {:?}", pen.colour, pen.line)).collect();
        assert_eq!((marks.len(), lines.len()), (THINGS, THINGS));
    }
}

/// Pairs of Sharma, Wu and Dalal's test data (2005), with the differences that they print.
#[test]
fn the_differences_are_those_that_are_published() {
    let pairs = [
        ([50.0, 2.6772, -79.7751], [50.0, 0.0, -82.7485], 2.0425),
        ([50.0, 2.5, 0.0], [73.0, 25.0, -18.0], 27.1492),
        ([50.0, 2.5, 0.0], [61.0, -5.0, 29.0], 22.8977),
        ([50.0, 2.5, 0.0], [56.0, -27.0, -3.0], 31.9030),
        ([50.0, 2.5, 0.0], [58.0, 24.0, 15.0], 19.4535),
    ];
    for (one, other, published) in pairs {
        let found = difference(one, other);
        assert!((found - published).abs() < 1e-4, "{found} {published}");
    }
}

fn roles(theme: &Theme) -> Vec<(&'static str, &'static str)> {
    vec![
        ("embedding", theme.embedding),
        ("attention", theme.attention),
        ("MLP", theme.mlp),
        ("bias", theme.bias),
        ("diversity", theme.diversity),
        ("MSE", theme.mse),
    ]
}

/// Every pair of colours differs by so much, whoever looks.
fn apart(theme: &str, colours: &[(&str, &str)], least: f64) {
    for (eyes, cones) in EYES {
        for (i, (name, colour)) in colours.iter().enumerate() {
            for (other_name, other) in &colours[..i] {
                let found = difference(lab(colour, cones), lab(other, cones));
                assert!(
                    found >= least,
                    "{theme}, {eyes}: {name} {colour} and {other_name} {other} differ by {found:.1}"
                );
            }
        }
    }
}

/// Linear light of `#rrggbb`.
fn light(colour: &str) -> [f64; 3] {
    [1, 3, 5].map(|start| {
        let byte = u8::from_str_radix(&colour[start..start + 2], 16).expect("#rrggbb");
        let value = f64::from(byte) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    })
}

fn product(matrix: [[f64; 3]; 3], vector: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum())
}

/// WCAG's contrast of two colours.
fn contrast(one: &str, other: &str) -> f64 {
    let [one, other] = [one, other].map(|colour| product(XYZ, light(colour))[1] + 0.05);
    one.max(other) / one.min(other)
}

/// CIELAB of a colour as these cones have it.
fn lab(colour: &str, cones: [[f64; 3]; 3]) -> [f64; 3] {
    let seen = product(cones, light(colour)).map(|share| share.clamp(0.0, 1.0));
    let xyz = product(XYZ, seen);
    let [x, y, z] = [0, 1, 2].map(|i| {
        let share = xyz[i] / WHITE[i];
        if share > 216.0 / 24389.0 { share.cbrt() } else { (24389.0 / 27.0 * share + 16.0) / 116.0 }
    });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// CIEDE2000 of two colours in CIELAB, all weights 1.
fn difference(one: [f64; 3], other: [f64; 3]) -> f64 {
    // Chroma and hue, with the a-axis stretched for greyish colours.
    let chroma = |[_, a, b]: [f64; 3]| f64::hypot(a, b);
    let grey = half_over(f64::midpoint(chroma(one), chroma(other)));
    let stretched = |[_, a, b]: [f64; 3]| {
        let a = a * (1.0 + 0.5 * (1.0 - grey));
        (f64::hypot(a, b), b.atan2(a).to_degrees().rem_euclid(360.0))
    };
    let ((c1, h1), (c2, h2)) = (stretched(one), stretched(other));

    // Differences in lightness, chroma and hue.
    let lightness = other[0] - one[0];
    let turn = (h2 - h1 + 180.0).rem_euclid(360.0) - 180.0;
    let hue = 2.0 * (c1 * c2).sqrt() * (turn / 2.0).to_radians().sin();

    // Means, and what each difference weighs there.
    let mean_lightness = f64::midpoint(one[0], other[0]);
    let mean_chroma = f64::midpoint(c1, c2);
    let mean_hue = if c1 * c2 == 0.0 { h1 + h2 } else { h1 + turn / 2.0 };
    let wave = |times: f64, from: f64| (times * mean_hue + from).to_radians().cos();
    let t = 1.0 - 0.17 * wave(1.0, -30.0) + 0.24 * wave(2.0, 0.0) + 0.32 * wave(3.0, 6.0)
        - 0.20 * wave(4.0, -63.0);
    let off = (mean_lightness - 50.0).powi(2);
    let l = lightness / (1.0 + 0.015 * off / (20.0 + off).sqrt());
    let c = (c2 - c1) / (1.0 + 0.045 * mean_chroma);
    let h = hue / (1.0 + 0.015 * mean_chroma * t);

    // Blues turn with their chroma.
    let blue = 30.0 * (-((mean_hue.rem_euclid(360.0) - 275.0) / 25.0).powi(2)).exp();
    let rotation = -2.0 * half_over(mean_chroma) * (2.0 * blue).to_radians().sin();
    (l * l + c * c + h * h + rotation * c * h).sqrt()
}

/// From 0 for greys to 1 for full colours.
fn half_over(chroma: f64) -> f64 {
    let power = chroma.powi(7);
    (power / (power + 25_f64.powi(7))).sqrt()
}
