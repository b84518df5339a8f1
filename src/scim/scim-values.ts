/**
 * Reads a resource from a request (RFC 7643 §2). Only known attributes are taken, by their names in any case, so keys such as `__proto__` are
 * never looked at. Read-only and unknown attributes are ignored, as RFC 7644 §3.3 and §3.5.1 allow. Null and empty lists mean absent.
 */

import { LIMITS } from '../core/limits/registry.ts';
import { SCIM_ERRORS } from './errors.ts';
import { scimError } from './scim-failure.ts';
import {
  attributeNamed,
  COMMON_ATTRIBUTES,
  findAttribute,
  type ScimAttribute,
  type ScimResourceType,
  type ScimValues,
} from './scim-schema.ts';

/** Of one text. */
export const MAX_TEXT_CHARS = 1_024;
/** Of one attribute; groups have as many members as there can be people. */
const MAX_VALUES = 50;
const MAX_MEMBERS = LIMITS.people.perOrganization;

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** All of a resource. Fails SCIM_SYNTAX_INVALID, SCIM_VALUE_INVALID. */
export function readResource(type: ScimResourceType, given: unknown): ScimValues {
  if (!isObject(given)) {
    throw scimError(SCIM_ERRORS.SCIM_SYNTAX_INVALID, 'The resource must be a JSON object.');
  }
  expectSchemas(type, given);
  const values: Record<string, unknown> = readAttributes(
    [...COMMON_ATTRIBUTES, ...type.schema.attributes],
    given,
  );
  for (const key of Object.keys(given)) {
    if (!key.toLowerCase().startsWith('urn:')) continue;
    const path = findAttribute(type, key);
    if (path?.extension == null) continue;
    const extension = type.extensions.find(({ id }) => id === path.extension)!;
    const own = (values[extension.id] as ScimValues | undefined) ?? {};
    const read =
      path.attribute === null
        ? readAttributes(extension.attributes, isObject(given[key]) ? given[key] : {})
        : single(path.attribute, path.sub, given[key]);
    if (Object.keys(read).length > 0) values[extension.id] = { ...own, ...read };
  }
  return values;
}

/** An attribute of an extension whose name is a whole key: `urn:…:User:department`. */
function single(attribute: ScimAttribute, sub: ScimAttribute | null, given: unknown): ScimValues {
  const value = readValue(attribute, sub === null ? given : { [sub.name]: given });
  return value === undefined ? {} : { [attribute.name]: value };
}

/** Schemas of other types are a mistake; unknown ones are extensions that the gateway does not store. */
function expectSchemas(type: ScimResourceType, given: Readonly<Record<string, unknown>>): void {
  const key = Object.keys(given).find((name) => name.toLowerCase() === 'schemas');
  if (key === undefined) return;
  const schemas = given[key];
  const hasOwn =
    Array.isArray(schemas) &&
    schemas.some((id) => typeof id === 'string' && id.toLowerCase() === type.schema.id.toLowerCase());
  if (!hasOwn) throw scimError(SCIM_ERRORS.SCIM_SYNTAX_INVALID, `schemas must contain ${type.schema.id}.`);
}

/** Writable attributes that have a value. */
function readAttributes(
  attributes: readonly ScimAttribute[],
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const key of Object.keys(given)) {
    const attribute = attributeNamed(attributes, key.toLowerCase());
    if (attribute === undefined || attribute.mutability === 'readOnly') continue;
    const value = readValue(attribute, given[key]);
    if (value !== undefined) values[attribute.name] = value;
  }
  return values;
}

/** The value of an attribute, or of one of its values if it has several. Undefined: absent. Fails SCIM_VALUE_INVALID. */
export function readValue(attribute: ScimAttribute, given: unknown): unknown {
  if (given === null || given === undefined) return undefined;
  if (!attribute.multiValued) return readOne(attribute, given);
  const all = Array.isArray(given) ? given : [given];
  const atMost = attribute.name === 'members' ? MAX_MEMBERS : MAX_VALUES;
  if (all.length > atMost) {
    throw scimError(SCIM_ERRORS.SCIM_VALUE_INVALID, `${attribute.name} must have at most ${atMost} values.`);
  }
  const values = all.map((each) => readOne(attribute, each)).filter((each) => each !== undefined);
  return values.length === 0 ? undefined : values;
}

/** One value. A text that directories send for a complex value is its `value`. */
export function readOne(attribute: ScimAttribute, given: unknown): unknown {
  if (given === null || given === undefined) return undefined;
  const { name, type, subAttributes = [] } = attribute;
  switch (type) {
    case 'complex': {
      const hasValue = attributeNamed(subAttributes, 'value') !== undefined;
      const fields = typeof given === 'string' && hasValue ? { value: given } : given;
      if (!isObject(fields)) throw wrong(name, 'an object');
      const values = readAttributes(subAttributes, fields);
      return Object.keys(values).length === 0 ? undefined : values;
    }
    case 'boolean':
      return readFlag(name, given);
    default:
      if (typeof given !== 'string') throw wrong(name, 'a text');
      if (given.length > MAX_TEXT_CHARS) throw wrong(name, `at most ${MAX_TEXT_CHARS} characters`);
      return given;
  }
}

/** Entra ID sends `"False"` unless a switch of its application is set. */
function readFlag(name: string, given: unknown): boolean {
  if (typeof given === 'boolean') return given;
  const word = typeof given === 'string' ? given.toLowerCase() : '';
  if (word === 'true' || word === 'false') return word === 'true';
  throw wrong(name, 'true or false');
}

function wrong(name: string, expected: string) {
  return scimError(SCIM_ERRORS.SCIM_VALUE_INVALID, `${name} must be ${expected}.`);
}
