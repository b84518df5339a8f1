/** Requests as careful, careless and hostile clients send them, generated from an endpoint's schema, for tests. */

import fc from 'fast-check';
import { anyText } from '../core/any-text-fixture.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { asJsonSchema, type JsonSchema } from '../http/fields/json-schema.ts';
import { pageKeyOf } from '../http/page-key.ts';
import { EXAMPLE_TIME_MS } from './types/examples.ts';

export interface RandomRequest {
  readonly endpoint: Endpoint;
  readonly payload: string | Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** Lists are never longer than this, even if the schema allows more. */
const MAX_ENTRIES = 4;
const HUGE_LENGTH = 100_000;
const DEEP_LEVELS = 5_000;
/** A placeholder for text that no JSON writer produces; replaced in the body's text at the end. */
const RAW = '\u0001raw:';
const RAW_TEXTS: readonly string[] = [
  '1e999',
  '-1e999',
  '-0',
  '9007199254740993',
  '123456789012345678901234567890',
  '0.1e-400',
  'NaN',
  '"\\ud800"',
  '"\\u0000"',
  `${'['.repeat(DEEP_LEVELS)}${']'.repeat(DEEP_LEVELS)}`,
  `${'{"a":'.repeat(DEEP_LEVELS)}1${'}'.repeat(DEEP_LEVELS)}`,
];
const PROTOTYPE_KEYS = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', ''];
const PAGE_KEY_FIELD = 'lastEvaluatedKey';
/** The lists that come in pages, as named in their keys. */
const PAGED_LISTS = [
  'componentEvents',
  'crossings',
  'elevatorLandingShadows',
  'locationLandings',
  'locationLandingShadows',
  'webhookDeliveries',
];
const CONTENT_TYPES = [
  'application/json',
  'application/json; charset=utf-16',
  'text/plain',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
  'no media type',
  '',
];

/** `names`: identifiers that exist, the caller's and those of others. */
export function randomRequest(endpoint: Endpoint, names: readonly string[]): fc.Arbitrary<RandomRequest> {
  const schema = asJsonSchema(endpoint.requestSchema);
  const valid = describedValue(schema, names);
  const json = fc.oneof(
    { weight: 5, arbitrary: valid },
    { weight: 4, arbitrary: mutated(valid, names) },
    { weight: 1, arbitrary: fc.jsonValue() },
  );
  const text = json.map(jsonText);
  const payload = fc.oneof(
    { weight: 18, arbitrary: text },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 1,
      arbitrary: fc.tuple(text, fc.nat()).map(([whole, at]) => whole.slice(0, at % (whole.length + 1))),
    },
  );
  const contentType = fc.oneof(
    { weight: 9, arbitrary: fc.constant('application/json') },
    { weight: 1, arbitrary: fc.constantFrom(...CONTENT_TYPES) },
  );
  return fc.record({
    endpoint: fc.constant(endpoint),
    payload,
    headers: contentType.map((type): Record<string, string> => ({ 'content-type': type })),
  });
}

/** A value that fits the schema. */
function describedValue(schema: JsonSchema, names: readonly string[]): fc.Arbitrary<unknown> {
  if (schema.anyOf !== undefined)
    return fc.oneof(...schema.anyOf.map((option) => describedValue(option, names)));
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.pattern !== undefined) return fc.constantFrom(...names.filter(isMatchOf(schema.pattern)));
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0];
  switch (type) {
    case 'object':
      return objectOf(schema, names);
    case 'array': {
      const maxLength = Math.min(MAX_ENTRIES, schema.maxItems ?? MAX_ENTRIES);
      return fc.array(describedValue(schema.items ?? {}, names), { maxLength });
    }
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return integerOf(schema);
    case 'number': {
      const { minimum = -1e308, maximum = 1e308 } = schema;
      return fc.double({ min: minimum, max: maximum, noNaN: true });
    }
    case 'string':
      return textOf(schema, names);
    default:
      return fc.jsonValue();
  }
}

function objectOf(schema: JsonSchema, names: readonly string[]): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties } = schema;
  if (typeof additionalProperties === 'object') {
    const key = fc.oneof(fc.string({ maxLength: 20 }), fc.constantFrom(...PROTOTYPE_KEYS, ...names));
    return fc.dictionary(key, describedValue(additionalProperties, names), {
      maxKeys: MAX_ENTRIES,
      noNullPrototype: true,
    });
  }
  const fields = Object.entries(properties).map(([name, field]) => {
    const value = name === PAGE_KEY_FIELD ? pageKey(names) : describedValue(field, names);
    return [name, value] as const;
  });
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...required], noNullPrototype: true });
}

/** As endpoints return them, and as someone forges them who knows how they are built. */
function pageKey(names: readonly string[]): fc.Arbitrary<string> {
  const text = fc.oneof(fc.constantFrom(...names), anyText({ maxLength: 30 }));
  const number = fc.oneof(fc.integer({ min: 0, max: 2_000_000_000_000 }), fc.maxSafeInteger(), fc.double());
  return fc
    .tuple(fc.constantFrom(...PAGED_LISTS), number, fc.array(text, { minLength: 1, maxLength: 2 }))
    .map(([list, place, texts]) => pageKeyOf(list, [place, ...texts]));
}

/** Near both limits, and where most real values are. */
function integerOf({ minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER }: JsonSchema) {
  const within = (value: number) => Math.min(maximum, Math.max(minimum, value));
  return fc.oneof(
    fc.integer({ min: minimum, max: maximum }),
    fc.integer({ min: 0, max: 20_000 }).map(within),
    // Now, by the fixture's clock.
    fc.constant(within(EXAMPLE_TIME_MS)),
    fc.integer({ min: 1_750_000_000_000, max: 1_800_000_000_000 }).map(within),
  );
}

function textOf({ maxLength = 60 }: JsonSchema, names: readonly string[]): fc.Arbitrary<string> {
  const random = anyText({ maxLength: Math.min(maxLength, 60) });
  const telling = ['UTC', 'Europe/Berlin', '2026-01-01', '2026-03-29T02:30:00', '12.50', ''];
  return fc.oneof(random, fc.constantFrom(...telling, ...names)).map((text) => text.slice(0, maxLength));
}

function isMatchOf(pattern: string): (text: string) => boolean {
  const expression = new RegExp(pattern);
  return (text) => expression.test(text);
}

/** Replaces one to three places in a valid body with invalid values. */
function mutated(valid: fc.Arbitrary<unknown>, names: readonly string[]): fc.Arbitrary<unknown> {
  const replacement = fc.oneof(
    fc.constant(null),
    fc.constant(undefined),
    fc.boolean(),
    fc.double(),
    fc.maxSafeInteger(),
    fc.constant('x'.repeat(HUGE_LENGTH)),
    fc.constant(Array.from({ length: 2_000 }, () => null)),
    fc.constantFrom(...RAW_TEXTS).map((text) => RAW + text),
    fc.constantFrom(...names),
    fc.constantFrom(...PROTOTYPE_KEYS),
    anyText(),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const change = fc.record({
    place: fc.nat(),
    value: replacement,
    key: fc.option(fc.constantFrom(...PROTOTYPE_KEYS), { nil: null, freq: 8 }),
  });
  return fc
    .tuple(valid, fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([body, changes]) => changes.reduce((value, each) => withChange(value, each), body));
}

interface Change {
  readonly place: number;
  readonly value: unknown;
  /** Added next to the place instead. */
  readonly key: string | null;
}

function withChange(body: unknown, { place, value, key }: Change): unknown {
  const copy = structuredClone(body);
  const places = placesOf(copy);
  const found = places[place % places.length];
  if (found === undefined) return value;
  // As an own property: an assignment to __proto__ would not create one.
  const property = { value, enumerable: true, configurable: true, writable: true };
  Object.defineProperty(
    found.holder,
    key === null || Array.isArray(found.holder) ? found.key : key,
    property,
  );
  return copy;
}

function placesOf(value: unknown): { readonly holder: object; readonly key: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, field]) => [{ holder: value, key }, ...placesOf(field)]);
}

function jsonText(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  if (!text.includes('u0001raw:')) return text;
  return text.replaceAll(/"(?:[^"\\]|\\.)*"/g, (literal) => {
    const whole = JSON.parse(literal) as string;
    return whole.startsWith(RAW) ? whole.slice(RAW.length) : literal;
  });
}
