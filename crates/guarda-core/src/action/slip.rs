//! Finds the known name that a misspelt one resembles. It is suggested, never assumed.

/// True if two names differ by one slip of the hand.
#[must_use]
pub fn is_slip(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len().abs_diff(other.len()) > 1 {
        return false;
    }
    let front = one.iter().zip(other).take_while(|(left, right)| left == right).count();
    let (one, other) = (one.get(front..).unwrap_or(&[]), other.get(front..).unwrap_or(&[]));
    let back = one.iter().rev().zip(other.iter().rev()).take_while(|(left, right)| left == right).count();
    match (one.get(..one.len() - back), other.get(..other.len() - back)) {
        (Some([first, second]), Some([third, fourth])) => first == fourth && second == third,
        (Some(one), Some(other)) => one.len() <= 1 && other.len() <= 1,
        _ => false,
    }
}
