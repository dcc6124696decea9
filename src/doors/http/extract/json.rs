//! A strict JSON parser that refuses duplicate keys and limits the depth.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// The greatest depth of objects and arrays. An action needs three levels.
const DEPTH: u8 = 32;

/// Parses one JSON value. Duplicate keys are refused because some parsers use the first and others the last one: judge
/// and executor could see two different actions.
pub(crate) fn read(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = Strict { left: DEPTH }.deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

#[derive(Clone, Copy)]
struct Strict {
    left: u8,
}

impl Strict {
    fn deeper<E: Error>(self) -> Result<Self, E> {
        let left = self.left.checked_sub(1);
        left.map(|left| Self { left }).ok_or_else(|| E::custom(format!("nested more than {DEPTH} deep")))
    }
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, yes: bool) -> Result<Value, E> {
        Ok(Value::Bool(yes))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Number(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Number(number.into()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Value, E> {
        Number::from_f64(number).map(Value::Number).ok_or_else(|| E::custom("not a number of JSON"))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(inner)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut map = Map::new();
        while let Some(key) = pairs.next_key::<String>()? {
            let value = pairs.next_value_seed(inner)?;
            if map.contains_key(&key) {
                return Err(A::Error::custom(format!("the key {key:?} stands there twice")));
            }
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_json_is_read_as_it_stands() {
        for text in [
            r#"{"a":[1,-2,3.5,"x",null,true],"b":{"c":"\u00e7"}}"#,
            "1",
            "[]",
            r#"{"a":{"x":1},"b":{"x":1}}"#,
        ] {
            assert_eq!(read(text.as_bytes()).unwrap(), serde_json::from_str::<Value>(text).unwrap());
        }
    }

    #[test]
    fn twice_too_deep_broken_or_more_is_refused() {
        for text in [
            r#"{"action":"A","action":"B"}"#,
            r#"{"a":{"b":1,"\u0062":2}}"#,
            "{} {}",
            "{",
            "",
            "nan",
            "1e999",
            "\"\\ud800\"",
            "[1,]",
            "{a:1}",
            "// x\n1",
        ] {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
        assert!(read(b"\"\xff\"").is_err());
        for depth in [33, 127, 100_000] {
            assert!(read("[".repeat(depth).as_bytes()).is_err());
            assert!(read(format!("{}{}", "[".repeat(depth), "]".repeat(depth)).as_bytes()).is_err());
        }
        assert!(read(format!("{}{}", "[".repeat(32), "]".repeat(32)).as_bytes()).is_ok());
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            if let Ok(value) = read(&bytes) {
                proptest::prop_assert_eq!(value, serde_json::from_slice::<Value>(&bytes).unwrap());
            }
        }
    }
}
