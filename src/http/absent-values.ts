/**
 * Absent values in responses. Handlers return null for a value that is not known. Clients generated from an API
 * description reject null, so such a field is left out of the response. This is the only place where null becomes absent,
 * both in the schema and in the values. Maps with free keys and values of any type belong to the caller and stay as they
 * are.
 */

import { type TSchema, Type } from 'typebox';
import { LongList } from '../core/long-list.ts';
import { STEPS_PER_SLICE } from '../core/sliced-work.ts';
import { asJsonSchema, type JsonSchema } from './fields/json-schema.ts';

type Shortener = (value: unknown) => unknown;

/** The schema of responses: a field that can be null can be left out instead, and is never null. */
export function withoutNullableFields<T extends TSchema>(schema: T): T {
  return Type.Unsafe(responded(asJsonSchema(schema)) as object) as unknown as T;
}

function responded(schema: JsonSchema): JsonSchema {
  const { anyOf, type, enum: words, items, additionalProperties, properties, required, ...rest } = schema;
  if (anyOf !== undefined && isNullable(schema)) return { ...rest, ...responded(theOtherOption(anyOf)) };
  return {
    ...rest,
    ...(type === undefined ? {} : { type: withoutNullType(type) }),
    ...(words === undefined ? {} : { enum: words.filter((word) => word !== null) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(responded) }),
    ...(items === undefined ? {} : { items: responded(items) }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: responded(additionalProperties) }
      : {}),
    ...(typeof additionalProperties === 'boolean' ? { additionalProperties } : {}),
    ...(properties === undefined ? {} : responseProperties(properties, required ?? [])),
  };
}

function responseProperties(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
): Pick<JsonSchema, 'properties' | 'required'> {
  const fields = Object.entries(properties);
  const stillRequired = required.filter((name) => !isNullable(properties[name] ?? {}));
  return {
    properties: Object.fromEntries(fields.map(([name, field]) => [name, responded(field)])),
    ...(stillRequired.length === 0 ? {} : { required: stillRequired }),
  };
}

/**
 * Leaves out of a response each null field that the schema has. Its lists can be LongLists. A list that is long enough
 * becomes one, so that its items are shortened in slices. Changes nothing in place.
 */
export function nullDropper<T extends TSchema>(
  schema: T,
): <Fields extends object>(response: Fields) => Fields {
  const shorten = objectShortener(asJsonSchema(schema).properties ?? {}, lazyListShortener);
  return (response) => (shorten === null ? response : (shorten(response) as typeof response));
}

/** null: nothing in it can be null. */
function shortenerOf(schema: JsonSchema, ofList = listShortener): Shortener | null {
  const { anyOf, items, properties, additionalProperties } = schema;
  if (anyOf !== undefined) return isNullable(schema) ? shortenerOf(theOtherOption(anyOf)) : null;
  if (items !== undefined) return ofList(shortenerOf(items));
  if (properties !== undefined) return objectShortener(properties);
  return typeof additionalProperties === 'object' ? mapShortener(shortenerOf(additionalProperties)) : null;
}

function objectShortener(
  properties: Readonly<Record<string, JsonSchema>>,
  ofList = listShortener,
): Shortener | null {
  const fields = Object.entries(properties)
    .map(([name, schema]) => ({ name, nullable: isNullable(schema), shorten: shortenerOf(schema, ofList) }))
    .filter(({ nullable, shorten }) => nullable || shorten !== null);
  if (fields.length === 0) return null;
  return (value) => {
    if (typeof value !== 'object' || value === null) return value;
    const given = value as Record<string, unknown>;
    let copy: Record<string, unknown> | null = null;
    for (const { name, shorten } of fields) {
      const field = given[name];
      const kept = field === null ? undefined : shorten === null ? field : shorten(field);
      if (kept === field) continue;
      copy ??= { ...given };
      // Set to undefined rather than deleted: objects of one shape are faster to write, and JSON leaves undefined out.
      copy[name] = kept;
    }
    return copy ?? value;
  };
}

function listShortener(shorten: Shortener | null): Shortener | null {
  if (shorten === null) return null;
  return (value) => (Array.isArray(value) ? value.map((item) => shorten(item)) : value);
}

function lazyListShortener(shorten: Shortener | null): Shortener | null {
  if (shorten === null) return null;
  const shortened = (list: LongList<object>) => list.map((item) => shorten(item) as object);
  return (value) => {
    if (value instanceof LongList) return shortened(value as LongList<object>);
    if (!Array.isArray(value)) return value;
    return value.length > STEPS_PER_SLICE
      ? shortened(LongList.of(value))
      : value.map((item) => shorten(item));
  };
}

function mapShortener(shorten: Shortener | null): Shortener | null {
  if (shorten === null) return null;
  return (value) => {
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, shorten(entry)]));
  };
}

function isNullable({ type, anyOf }: JsonSchema): boolean {
  if (anyOf !== undefined) return anyOf.some((option) => option.type === 'null');
  return Array.isArray(type) && type.includes('null');
}

function theOtherOption(options: readonly JsonSchema[]): JsonSchema {
  const others = options.filter((option) => option.type !== 'null');
  const [other] = others;
  if (other === undefined || others.length > 1)
    throw new TypeError('a nullable field has exactly one other type');
  return other;
}

function withoutNullType(type: string | readonly string[]): string | readonly string[] {
  if (typeof type === 'string') return type;
  const types = type.filter((word) => word !== 'null');
  return types.length === 1 && types[0] !== undefined ? types[0] : types;
}
