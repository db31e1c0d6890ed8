//! Checks the keywords of JSON Schema that `docs/results.schema.json` uses. Any other keyword is an error, so that
//! nothing in the schema goes unchecked.

use regex::Regex;
use serde_json::{Map, Value};

/// Lists the parts of `value` that violate the schema, each with its place.
pub(crate) fn errors(schema: &Value, value: &Value) -> Vec<String> {
    let mut checker = Checker { root: schema, errors: Vec::new() };
    checker.check(schema, value, "");
    checker.errors
}

struct Checker<'a> {
    root: &'a Value,
    errors: Vec<String>,
}

impl Checker<'_> {
    fn check(&mut self, schema: &Value, value: &Value, place: &str) {
        let keywords = schema.as_object().expect("a schema is an object");
        for (keyword, operand) in keywords {
            let is_met = match keyword.as_str() {
                "$schema" | "title" | "$defs" => true,
                "$ref" => {
                    let path = operand.as_str().and_then(|text| text.strip_prefix('#'));
                    let target = path.and_then(|path| self.root.pointer(path));
                    self.check(target.expect("the reference leads somewhere"), value, place);
                    true
                }
                "properties" => self.members(operand, value, place),
                "items" => self.elements(operand, value, place),
                "anyOf" => list(operand).iter().any(|one| {
                    let mut checker = Checker { root: self.root, errors: Vec::new() };
                    checker.check(one, value, place);
                    checker.errors.is_empty()
                }),
                "additionalProperties" => {
                    assert_eq!(*operand, Value::Bool(false), "another value than false is unknown");
                    only_known(keywords, value)
                }
                _ => is_met(keyword, operand, value),
            };
            if !is_met {
                self.errors.push(format!("{place}: {value} breaks `{keyword}: {operand}`"));
            }
        }
    }

    /// Checks the members of an object. Other values have no members, and `type` checks those.
    fn members(&mut self, schemas: &Value, value: &Value, place: &str) -> bool {
        for (name, schema) in schemas.as_object().expect("properties are an object") {
            if let Some(member) = value.get(name) {
                self.check(schema, member, &format!("{place}/{name}"));
            }
        }
        true
    }

    fn elements(&mut self, schema: &Value, value: &Value, place: &str) -> bool {
        for (idx, element) in value.as_array().into_iter().flatten().enumerate() {
            self.check(schema, element, &format!("{place}/{idx}"));
        }
        true
    }
}

/// Checks a keyword that needs only the value. A keyword for another type than the value's holds.
fn is_met(keyword: &str, operand: &Value, value: &Value) -> bool {
    match keyword {
        "const" => value == operand,
        "enum" => list(operand).contains(value),
        "type" => {
            let one = std::slice::from_ref(operand);
            operand.as_array().map_or(one, Vec::as_slice).iter().any(|ty| is_a(ty, value))
        }
        "required" => value.as_object().is_none_or(|members| {
            list(operand).iter().all(|name| members.contains_key(text(name)))
        }),
        "minimum" => {
            let least = operand.as_f64().expect("minimum is a number");
            value.as_f64().is_none_or(|number| number >= least)
        }
        "pattern" => {
            let pattern = Regex::new(text(operand)).expect("pattern is a regular expression");
            value.as_str().is_none_or(|text| pattern.is_match(text))
        }
        other => panic!("the schema has the keyword `{other}`, which the test does not know"),
    }
}

fn is_a(ty: &Value, value: &Value) -> bool {
    match text(ty) {
        "null" => value.is_null(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the schema has the type `{other}`, which the test does not know"),
    }
}

fn only_known(keywords: &Map<String, Value>, value: &Value) -> bool {
    let known = keywords.get("properties").and_then(Value::as_object);
    let is_known = |name: &String| known.is_some_and(|known| known.contains_key(name));
    value.as_object().is_none_or(|members| members.keys().all(is_known))
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("the keyword takes a list")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("the keyword takes text")
}

#[test]
fn every_keyword_can_be_broken() {
    use serde_json::json;

    #[track_caller]
    fn check(schema: Value, good: Value, bad: Value) {
        assert_eq!(errors(&schema, &good), Vec::<String>::new());
        assert_eq!(errors(&schema, &bad).len(), 1, "{bad} is as {schema} has it");
    }
    check(json!({ "const": 2 }), json!(2), json!(3));
    check(json!({ "enum": ["a", "b"] }), json!("b"), json!("c"));
    check(json!({ "type": "integer" }), json!(1), json!(1.5));
    check(json!({ "type": ["string", "null"] }), json!(null), json!([]));
    check(json!({ "required": ["a"] }), json!({ "a": 1 }), json!({ "b": 1 }));
    check(json!({ "minimum": 1 }), json!(1), json!(0));
    check(json!({ "pattern": "^[0-9]+$" }), json!("12"), json!("1x"));
    check(json!({ "items": { "type": "string" } }), json!(["a"]), json!(["a", 1]));
    check(json!({ "anyOf": [{ "const": 1 }, { "const": 2 }] }), json!(2), json!(3));
    let object =
        json!({ "properties": { "a": { "type": "null" } }, "additionalProperties": false });
    check(object.clone(), json!({ "a": null }), json!({ "a": 1 }));
    check(object, json!({}), json!({ "b": null }));
    let list = json!({ "$ref": "#/$defs/list", "$defs": { "list": { "type": "array" } } });
    check(list, json!([]), json!({}));
}
