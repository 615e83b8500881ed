//! Generates an OpenAPI 3.1 document for the methods that are served as JSON, from the descriptors of the contract and
//! their comments.

use std::collections::{BTreeMap, HashMap};

use prost_reflect::{
    Cardinality, EnumDescriptor, FieldDescriptor, FileDescriptor, Kind, MessageDescriptor,
};
use serde_json::{Map, Value, json};

use crate::json::{JsonError, Transcoding};

/// Generates the document for the given methods, each with its path and name, such as `/v1/evaluate` and
/// `gsar.v1.GroundingService/Evaluate`.
///
/// # Errors
/// Returns a [`JsonError`] if a method is unknown.
pub fn document<'a>(
    methods: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<String, JsonError> {
    let mut schemas = Schemas::default();
    let mut paths = Map::new();
    for (path, rpc) in methods {
        let messages = Transcoding::for_method(rpc)?;
        let operation = json!({
            "operationId": rpc.rsplit('/').next(),
            "summary": schemas.comment_of_method(rpc, messages.request().parent_file()),
            "parameters": [{ "$ref": "#/components/parameters/Compact" }],
            "requestBody": {
                "required": true,
                "content": { "application/json": { "schema": schemas.reference(messages.request()) } },
            },
            "responses": {
                "200": {
                    "description": "The response.",
                    "content": { "application/json": { "schema": schemas.reference(messages.response()) } },
                },
                "default": { "$ref": "#/components/responses/Problem" },
            },
        });
        paths.insert(path.to_owned(), json!({ "post": operation }));
    }
    paths.insert("/v1/health".to_owned(), health());
    let document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "GSAR",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Decides whether incident reports are grounded in their evidence. This document describes the methods of gsar.v1 that are served as JSON. The .proto files contain the full contract.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas.into_value(),
            "parameters": { "Compact": compact() },
            "responses": { "Problem": problem() },
        },
    });
    Ok(serde_json::to_string_pretty(&document)?)
}

fn health() -> Value {
    let response = |description: &str| json!({ "description": description, "content": { "application/json": {} } });
    json!({ "get": {
        "operationId": "Health",
        "summary": "Returns whether the server serves calls.",
        "responses": { "200": response("The server serves calls."), "503": response("The server is starting or stopping.") },
    } })
}

fn compact() -> Value {
    json!({
        "name": "compact",
        "in": "query",
        "description": "Omits fields with default values from the response.",
        "allowEmptyValue": true,
        "schema": { "type": "boolean", "default": false },
    })
}

fn problem() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "description": "The error, in the format of RFC 9457.",
        "content": { "application/problem+json": { "schema": {
            "type": "object",
            "required": ["title", "status", "detail"],
            "properties": {
                "title": text,
                "status": { "type": "integer", "description": "The HTTP status." },
                "detail": { "type": "string", "description": "The given value, the allowed values and the fix." },
                "code": { "type": "string", "description": "The gRPC code." },
                "reason": { "type": "string", "description": "The stable reason: a name from gsar.v1.ErrorReason." },
                "metadata": { "type": "object", "additionalProperties": text },
                "violations": { "type": "array", "items": {
                    "type": "object",
                    "properties": { "field": text, "description": text },
                } },
            },
        } } },
    })
}

/// The schemas of messages and enumerations, by name.
#[derive(Default)]
struct Schemas {
    by_name: BTreeMap<String, Value>,
    comments: HashMap<String, HashMap<Vec<i32>, String>>,
}

impl Schemas {
    fn into_value(self) -> Value {
        self.by_name.into_iter().collect::<Map<String, Value>>().into()
    }

    /// Returns a reference to the schema of a message, which is generated if necessary.
    fn reference(&mut self, message: &MessageDescriptor) -> Value {
        if let Some(well_known) = well_known(message.full_name()) {
            return well_known;
        }
        let name = message.full_name().trim_start_matches("gsar.v1.").to_owned();
        let reference = json!({ "$ref": format!("#/components/schemas/{name}") });
        if self.by_name.contains_key(&name) {
            return reference;
        }
        // Insert the name before the fields, which may refer to the message.
        self.by_name.insert(name.clone(), Value::Null);
        let mut properties = Map::new();
        for field in message.fields() {
            let mut schema = self.field(&field);
            let comment = self.comment(&field.parent_message().parent_file(), field.path());
            if let (Some(schema), false) = (schema.as_object_mut(), comment.is_empty()) {
                schema.insert("description".to_owned(), comment.into());
            }
            properties.insert(field.json_name().to_owned(), schema);
        }
        let comment = self.comment(&message.parent_file(), message.path());
        let schema = json!({
            "type": "object",
            "description": comment,
            "properties": properties,
            "additionalProperties": false,
        });
        self.by_name.insert(name, schema);
        reference
    }

    fn field(&mut self, field: &FieldDescriptor) -> Value {
        if field.is_map() {
            let Kind::Message(entry) = field.kind() else { return json!({}) };
            let value = self.kind(&entry.map_entry_value_field().kind());
            return json!({ "type": "object", "additionalProperties": value });
        }
        let schema = self.kind(&field.kind());
        match field.cardinality() {
            Cardinality::Repeated => json!({ "type": "array", "items": schema }),
            Cardinality::Optional | Cardinality::Required => schema,
        }
    }

    fn kind(&mut self, kind: &Kind) -> Value {
        match kind {
            Kind::Double | Kind::Float => json!({ "type": "number" }),
            Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => json!({ "type": "integer" }),
            Kind::Uint32 | Kind::Fixed32 => json!({ "type": "integer", "minimum": 0 }),
            Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => {
                json!({ "type": ["string", "integer"], "format": "int64" })
            }
            Kind::Uint64 | Kind::Fixed64 => {
                json!({ "type": ["string", "integer"], "format": "uint64" })
            }
            Kind::Bool => json!({ "type": "boolean" }),
            Kind::String => json!({ "type": "string" }),
            Kind::Bytes => json!({ "type": "string", "contentEncoding": "base64" }),
            Kind::Message(message) => self.reference(message),
            Kind::Enum(descriptor) => self.enumeration(descriptor),
        }
    }

    fn enumeration(&mut self, descriptor: &EnumDescriptor) -> Value {
        let name = descriptor.full_name().trim_start_matches("gsar.v1.").to_owned();
        let comment = self.comment(&descriptor.parent_file(), descriptor.path());
        let names: Vec<String> = descriptor.values().map(|value| value.name().to_owned()).collect();
        let schema = json!({ "type": "string", "description": comment, "enum": names });
        self.by_name.entry(name.clone()).or_insert(schema);
        json!({ "$ref": format!("#/components/schemas/{name}") })
    }

    fn comment_of_method(&mut self, rpc: &str, file: FileDescriptor) -> String {
        let mut methods = file.services().flat_map(|service| service.methods().collect::<Vec<_>>());
        let method = rpc.replace('/', ".");
        match methods.find(|descriptor| descriptor.full_name() == method) {
            Some(descriptor) => self.comment(&file, descriptor.path()),
            None => String::new(),
        }
    }

    /// Returns the leading comment of the element at a path in a file, on one line.
    fn comment(&mut self, file: &FileDescriptor, path: &[i32]) -> String {
        let file_comments = self.comments.entry(file.name().to_owned()).or_insert_with(|| {
            let info = file.file_descriptor_proto().source_code_info.clone().unwrap_or_default();
            let comment = |location: prost_types::source_code_info::Location| {
                let words: Vec<&str> = location.leading_comments().split_whitespace().collect();
                (location.path.clone(), words.join(" "))
            };
            info.location.into_iter().map(comment).collect()
        });
        file_comments.get(path).cloned().unwrap_or_default()
    }
}

/// The schemas of well-known messages in the JSON mapping.
fn well_known(name: &str) -> Option<Value> {
    match name {
        "google.protobuf.Timestamp" => Some(json!({ "type": "string", "format": "date-time" })),
        "google.protobuf.Duration" => Some(json!({ "type": "string", "examples": ["1.5s"] })),
        _ => None,
    }
}
