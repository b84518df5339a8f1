import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../src/http/fields/json-schema.ts';
import { CONSOLE_CALLS, renderConsoleCalls, typeText } from './console-calls.ts';

const ROOT = resolve(import.meta.dirname, '../..');

const object = (properties: Readonly<Record<string, JsonSchema>>, ...required: string[]): JsonSchema => ({
  type: 'object',
  properties,
  required,
});

const TYPES: readonly [what: string, schema: JsonSchema, answer: string, request?: string][] = [
  ['a text', { type: 'string' }, 'string'],
  ['both kinds of numbers', { anyOf: [{ type: 'integer' }, { type: 'number' }] }, 'number'],
  ['a value that can be null', { type: ['string', 'null'] }, 'string | null'],
  ['words', { type: 'string', enum: ['on', 'off'] }, "'on' | 'off'"],
  ['words that can be null', { type: ['string', 'null'], enum: ['on', null] }, "'on' | null"],
  ['a flag with one value', { type: 'boolean', enum: [false] }, 'false'],
  ['any value', {}, 'unknown'],
  ['a list', { type: 'array', items: { type: 'boolean' } }, 'ReadonlyArray<boolean>'],
  ['a list of any values', { type: 'array' }, 'ReadonlyArray<unknown>'],
  [
    'a list of one or the other',
    { type: 'array', items: { anyOf: [object({ a: { type: 'null' } }, 'a'), { type: 'integer' }] } },
    'ReadonlyArray<{\n  readonly a: null;\n} | number>',
  ],
  [
    'a map',
    { type: 'object', additionalProperties: { type: 'string', enum: ['x', 'y'] } },
    "Readonly<Record<string, 'x' | 'y'>>",
  ],
  [
    'a map of any values',
    { type: 'object', additionalProperties: true },
    'Readonly<Record<string, unknown>>',
  ],
  ['an object without fields', object({}), 'object'],
  ['a required field', object({ name: { type: 'string' } }, 'name'), '{\n  readonly name: string;\n}'],
  [
    'an optional field',
    object({ name: { type: 'string' } }),
    '{\n  readonly name?: string;\n}',
    '{\n  readonly name?: string | undefined;\n}',
  ],
  [
    'names that need quotes',
    object({ 'main-audio': { type: 'string' }, _own1: { type: 'string' } }, 'main-audio', '_own1'),
    "{\n  readonly 'main-audio': string;\n  readonly _own1: string;\n}",
  ],
  [
    'optional fields at every depth',
    object({ list: { type: 'array', items: object({ x: { type: 'integer' } }) } }, 'list'),
    '{\n  readonly list: ReadonlyArray<{\n    readonly x?: number;\n  }>;\n}',
    '{\n  readonly list: ReadonlyArray<{\n    readonly x?: number | undefined;\n  }>;\n}',
  ],
];

describe('the type of', () => {
  it.each(TYPES)('%s', (_what, schema, answer, request = answer) => {
    expect(typeText(schema, 'answer')).toBe(answer);
    expect(typeText(schema, 'request')).toBe(request);
  });
});

describe('the calls of the console', () => {
  const rendered = renderConsoleCalls(ROOT);

  it('are those of the endpoints that it names', () => {
    expect(rendered).toContain("\n  'console/getSession': {\n    readonly request: object;\n");
    expect(rendered).not.toContain("'ingest/");
  });

  it('are written down as the endpoints are now', () => {
    expect(readFileSync(resolve(ROOT, CONSOLE_CALLS), 'utf8') === rendered, 'npm run docs').toBe(true);
  });
});
