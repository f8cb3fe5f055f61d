// Schemas in readable form: members with type, limits and description. Nested parts are made when they are opened.

import { fold, line, make, prose } from "./elements.js";
import { nameOf, resolved } from "./openapi.js";

const manyValues = 12;

// variants returns the schemas that a value may have, without null.
function variants(schema) {
  const listed = schema.oneOf || schema.anyOf;
  return listed ? listed.filter((one) => one.type !== "null") : [];
}

// flat returns a schema merged with its reference, its allOf and a single variant.
function flat(part) {
  let schema = resolved(part);
  if (schema.allOf) {
    const parts = schema.allOf.map(flat);
    schema = { ...Object.assign({}, ...parts), ...schema, allOf: undefined,
      properties: Object.assign({}, ...parts.map((one) => one.properties), schema.properties),
      required: [...parts.flatMap((one) => one.required || []), ...(schema.required || [])] };
  }
  const only = variants(schema);
  if (only.length === 1) schema = { ...flat(only[0]), ...schema, oneOf: undefined, anyOf: undefined, nullable: true };
  return schema;
}

// typeOf returns the type of a schema in words.
export function typeOf(part) {
  const schema = resolved(part);
  const name = nameOf(part);
  if (name && (schema.properties || variants(schema).length > 1)) return name;
  const several = variants(schema);
  if (several.length) {
    const empty = several.length < (schema.oneOf || schema.anyOf).length;
    return [...several.map(typeOf), ...(empty ? ["null"] : [])].join(" or ");
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const types = [schema.type || (schema.properties ? "object" : schema.enum ? "one of" : "any value")].flat();
  return types.map((type) => {
    if (type === "array") return schema.items ? "list of " + typeOf(schema.items) : "list";
    return schema.format && type !== "null" ? `${type} (${schema.format})` : type;
  }).join(" or ");
}

function between(low, high, unit) {
  if (low === undefined && high === undefined) return "";
  if (low !== undefined && high !== undefined) return `${low} to ${high}${unit}`;
  return low !== undefined ? `at least ${low}${unit}` : `up to ${high}${unit}`;
}

// limits returns what a schema requires of a value, in words.
function limits(schema) {
  return [
    between(schema.minimum, schema.maximum, ""), between(schema.minLength, schema.maxLength, " characters"),
    between(schema.minItems, schema.maxItems, " items"),
    schema.exclusiveMinimum !== undefined ? `above ${schema.exclusiveMinimum}` : "",
    schema.pattern ? `matches ${schema.pattern}` : "",
    schema.default !== undefined ? `default ${JSON.stringify(schema.default)}` : "",
    schema.readOnly ? "read-only" : "",
  ].filter(Boolean).join(" · ");
}

function values(schema) {
  const listed = schema.enum || flat(schema.items || {}).enum;
  if (!listed) return "";
  const all = () => make("p", { class: "values" }, listed.flatMap((value) => [make("code", {}, String(value)), " "]));
  return listed.length > manyValues ? fold(`${listed.length} values`, all) : all();
}

// stated returns the name, the type, the limits and the description of a parameter or a member.
export function stated(name, part, { required = false, place = "", description = "" } = {}) {
  const schema = flat(part);
  const facts = [typeOf(part), place, limits(schema)].filter(Boolean).join(" · ");
  return make("li", { class: "member" },
    make("code", { class: "name" }, name), " ", make("span", { class: "type" }, facts), required ? make("span", { class: "required" }, " required") : "",
    prose(description || schema.description), values(schema), nested(part));
}

// nested returns the inside of a schema, closed; an empty text if there is none.
function nested(part) {
  const schema = flat(part);
  if (schema.properties) return fold("Members", () => members(part));
  if (variants(schema).length > 1) return fold("Forms", () => members(part));
  if (schema.items) return nested(schema.items);
  if (schema.additionalProperties?.$ref || schema.additionalProperties?.properties) {
    return fold("Each value", () => members(schema.additionalProperties));
  }
  return "";
}

// members returns the members of a schema, required ones first.
export function members(part) {
  const schema = flat(part);
  const several = variants(schema);
  if (several.length > 1) {
    return several.map((one, at) => fold(line(typeOf(one)), () => members(one), { open: at === 0 }));
  }
  if (!schema.properties) {
    if (schema.items) return [make("p", { class: "type" }, typeOf(part)), ...[members(schema.items)].flat()];
    return make("p", {}, make("span", { class: "type" }, [typeOf(part), limits(schema)].filter(Boolean).join(" · ")), values(schema));
  }
  const required = new Set(schema.required || []);
  const names = Object.keys(schema.properties);
  const ordered = [...names.filter((name) => required.has(name)), ...names.filter((name) => !required.has(name))];
  return make("ul", { class: "members" }, ordered.map((name) => stated(name, schema.properties[name], { required: required.has(name) })));
}
