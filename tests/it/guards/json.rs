//! JSON as lines that a reviewer reads.

use serde_json::Value;

/// Significant digits of a number, and at most how many decimals: what all kernels agree on.
const DIGITS: i32 = 5;
const DECIMALS: i32 = 6;

/// A field or an item per line, but lists without objects on one line; numbers in [`DIGITS`] digits.
pub fn lines(value: &Value) -> String {
    let mut text = String::new();
    write(value, 0, &mut text);
    text + "\n"
}

fn write(value: &Value, depth: usize, to: &mut String) {
    let indent = " ".repeat(depth + 1);
    match value {
        Value::Object(fields) => {
            *to += "{\n";
            for (name, value) in fields {
                *to += &format!("{indent}\"{name}\": ");
                write(value, depth + 1, to);
                *to += "\n";
            }
            *to += &format!("{}}}", " ".repeat(depth));
        }
        Value::Array(items) if items.iter().any(has_object) => {
            *to += "[\n";
            for item in items {
                *to += &indent;
                write(item, depth + 1, to);
                *to += "\n";
            }
            *to += &format!("{}]", " ".repeat(depth));
        }
        Value::Array(items) => {
            *to += "[";
            for (i, item) in items.iter().enumerate() {
                *to += if i == 0 { "" } else { ", " };
                write(item, depth, to);
            }
            *to += "]";
        }
        Value::Number(number) if number.is_f64() => {
            *to += &rounded(number.as_f64().expect("a number"));
        }
        other => *to += &other.to_string(),
    }
}

fn has_object(value: &Value) -> bool {
    match value {
        Value::Object(_) => true,
        Value::Array(items) => items.iter().any(has_object),
        _ => false,
    }
}

fn rounded(x: f64) -> String {
    let whole = if x == 0.0 { 0 } else { x.abs().log10().floor() as i32 + 1 };
    let decimals = (DIGITS - whole).clamp(1, DECIMALS) as usize;
    let text = format!("{x:.decimals$}");
    // No sign where nothing is left of the number.
    if text.trim_start_matches('-').bytes().all(|byte| b"0.".contains(&byte)) {
        return text.trim_start_matches('-').to_string();
    }
    text
}

#[test]
fn numbers_have_the_digits_that_kernels_agree_on() {
    let value = serde_json::json!({ "a": [[0.123_456_7, -1e-9], [123_456.78]], "b": [{ "c": 3 }] });
    let seen =
        "{\n \"a\": [[0.12346, 0.000000], [123456.8]]\n \"b\": [\n  {\n   \"c\": 3\n  }\n ]\n}\n";
    assert_eq!(lines(&value), seen);
}
