/**
 * The field types of the specification (docs/spec/conventions.md#common-types) as schemas, one per concept, so that types, validation and
 * OpenAPI agree everywhere.
 */

import { type Static, type TObject, type TProperties, type TSchema, type TUnsafe, Type } from 'typebox';
import type { Ruuid } from '../../core/ruuid.ts';
import { asJsonSchema } from './json-schema.ts';

/** Names of shares, schedules and locations. */
export const MAX_NAME_LENGTH = 256;
/** Addresses, time zones and other short texts. */
export const MAX_SHORT_TEXT_LENGTH = 256;
/** Share passwords. Longer ones would only take longer to hash. */
export const MAX_PASSWORD_LENGTH = 256;

const INT32_MIN = -(2 ** 31);
const INT32_MAX = 2 ** 31 - 1;

const RUUID_PATTERN = '^[A-Za-z0-9_-]{21}[AQgw]$';
const DEVICE_FACET_UUID_PATTERN = '^[A-Za-z0-9_-]{21}[AQgw](\\.([va]([0-9]|[1-4][0-9]|5[01]))?)?$';

const SUB_LOCATIONS_HIERARCHY_KEY_PATTERN = '^[A-Za-z0-9_-]{22}(\\.[A-Za-z0-9_-]{22}){0,31}$';

/** The meaning of each pattern, in the words of error messages. */
export const PATTERN_MEANINGS: ReadonlyMap<string, string> = new Map([
  [RUUID_PATTERN, 'an RUUID (22 characters of URL-safe Base64)'],
  [SUB_LOCATIONS_HIERARCHY_KEY_PATTERN, 'RUUIDs of 22 characters, separated by dots'],
  [
    DEVICE_FACET_UUID_PATTERN,
    'a device UUID (22 characters of URL-safe Base64, optionally a dot and a facet such as v0)',
  ],
]);

/** RUUID: a UUID as 22 characters of URL-safe Base64. */
export function ruuid(description: string): TUnsafe<Ruuid> {
  return Type.Unsafe<Ruuid>({ type: 'string', pattern: RUUID_PATTERN, description });
}

/** DeviceFacetUuid: an RUUID, optionally followed by a dot and a facet. */
export function deviceFacetUuid(description: string): TUnsafe<string> {
  return Type.Unsafe<string>({ type: 'string', pattern: DEVICE_FACET_UUID_PATTERN, description });
}

/** A mark in the schema of `deviceUuid` fields, for the request body reader. */
export const DEVICE_UUID_FORMAT = 'device-uuid';

/**
 * The device that a request is about, by its UUID or the UUID of one of its facets, which means the device. Handlers get
 * the UUID alone (src/http/request-body.ts).
 */
export function deviceUuid(description: string): TUnsafe<Ruuid> {
  const facets = { pattern: DEVICE_FACET_UUID_PATTERN, format: DEVICE_UUID_FORMAT };
  return Type.Unsafe<Ruuid>({ type: 'string', ...facets, description });
}

/** SubLocationsHierarchyKey: RUUIDs separated by dots. */
export function subLocationsHierarchyKey(description: string): TUnsafe<string> {
  return Type.Unsafe<string>({ type: 'string', pattern: SUB_LOCATIONS_HIERARCHY_KEY_PATTERN, description });
}

/** Text of at most `maxLength` UTF-16 units. */
export function text(description: string, maxLength = MAX_SHORT_TEXT_LENGTH): TUnsafe<string> {
  return Type.Unsafe<string>({ type: 'string', maxLength, description });
}

/** Text in responses, which needs no stated limit. */
export function plainText(description: string): TUnsafe<string> {
  return Type.Unsafe<string>({ type: 'string', description });
}

/** A time in ISO 8601 format, in responses. */
export function dateTime(description: string): TUnsafe<string> {
  return Type.Unsafe<string>({ type: 'string', format: 'date-time', description });
}

export function flag(description: string): TUnsafe<boolean> {
  return Type.Unsafe<boolean>({ type: 'boolean', description });
}

/** A flag of requests that some clients send as the text `true` or `false` (src/http/request-body.ts). */
export function flagOrWord(description: string): TUnsafe<boolean> {
  return Type.Unsafe<boolean>({ type: 'boolean', 'x-sluice-words': 'accepted', description });
}

export function int32(description: string, minimum = INT32_MIN, maximum = INT32_MAX): TUnsafe<number> {
  return Type.Unsafe<number>({ type: 'integer', format: 'int32', minimum, maximum, description });
}

/** A 64-bit integer of the specification, as far as JSON numbers carry it exactly. */
export function int64(
  description: string,
  minimum = Number.MIN_SAFE_INTEGER,
  maximum = Number.MAX_SAFE_INTEGER,
): TUnsafe<number> {
  return Type.Unsafe<number>({ type: 'integer', format: 'int64', minimum, maximum, description });
}

/**
 * An int64 of requests for which scripts send their clock's time multiplied by a thousand: a fraction of a millisecond is dropped
 * (src/http/request-body.ts).
 */
export function int64WithoutFraction(description: string, minimum: number, maximum: number): TUnsafe<number> {
  const range = { minimum, maximum };
  const schema = { type: 'integer', format: 'int64', ...range, 'x-sluice-fraction': 'dropped', description };
  return Type.Unsafe<number>(schema);
}

export function double(description: string, minimum?: number, maximum?: number): TUnsafe<number> {
  const range = {
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
  };
  return Type.Unsafe<number>({ type: 'number', format: 'double', ...range, description });
}

/** One of a closed set of words. */
export function oneOf<const T extends string>(values: readonly T[], description: string): TUnsafe<T> {
  return Type.Unsafe<T>({ type: 'string', enum: values, description });
}

/** A list; `maxItems` is required if callers send it. */
export function listOf<T extends TSchema>(
  items: T,
  description: string,
  maxItems?: number,
): TUnsafe<Static<T>[]> {
  const limit = maxItems === undefined ? {} : { maxItems };
  return Type.Unsafe<Static<T>[]>({ type: 'array', items, ...limit, description });
}

/** A map with free keys. */
export function mapOf<T extends TSchema>(values: T, description: string): TUnsafe<Record<string, Static<T>>> {
  return Type.Unsafe<Record<string, Static<T>>>({
    type: 'object',
    additionalProperties: values,
    description,
  });
}

/** A named type. It becomes a component of the OpenAPI document. */
export function namedType<T extends TProperties>(title: string, properties: T): TObject<T> {
  return Type.Object(properties, { title });
}

/**
 * The value or null: for response fields that are not always known. Requests do not need it: there, null means absent
 * (see src/http/request-body.ts).
 */
export function nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  const json = asJsonSchema(schema);
  if (json.title !== undefined || typeof json.type !== 'string') {
    return Type.Unsafe<Static<T> | null>({ anyOf: [schema, { type: 'null' }] });
  }
  const values = json.enum === undefined ? {} : { enum: [...json.enum, null] };
  return Type.Unsafe<Static<T> | null>({ ...json, ...values, type: [json.type, 'null'] });
}
