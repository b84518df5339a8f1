/**
 * Renders the types of the calls that the console makes: of each endpoint whose path stands in its sources. The compiler then
 * compares the console's requests and reads with the schemas of the API.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENDPOINTS } from '../../src/api/endpoints.ts';
import { asJsonSchema, type JsonSchema } from '../../src/http/fields/json-schema.ts';

/** Where the rendered text belongs. */
export const CONSOLE_CALLS = 'web/console/api-calls.ts';
const CONSOLE = 'web/console';
const API = '/api/';
const HEAD = `/**
 * What each call of the console sends, and what a success returns. Generated from the endpoints by \`npm run docs\`, for each
 * path that stands in this folder.
 */

export interface ApiCalls {
`;
const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'string',
  boolean: 'boolean',
  integer: 'number',
  number: 'number',
  null: 'null',
};

export function renderConsoleCalls(root: string): string {
  const sources = sourcesIn(join(root, CONSOLE));
  const called = ENDPOINTS.filter(({ path }) => sources.includes(`'${path.slice(API.length)}'`));
  const calls = called.map(({ path, requestSchema, successSchema }) => {
    const request = typeText(asJsonSchema(requestSchema), 'request', '    ');
    const response = typeText(asJsonSchema(successSchema), 'answer', '    ');
    const name = path.slice(API.length);
    return `  '${name}': {\n    readonly request: ${request};\n    readonly answer: ${response};\n  };\n`;
  });
  return `${HEAD}${calls.sort().join('')}}\n`;
}

/**
 * The TypeScript type of the values that a schema allows. `side`: callers may write `undefined` for an optional field of a
 * request; an answer leaves the field out. `indent`: of the line on which the type begins.
 */
export function typeText(schema: JsonSchema, side: 'request' | 'answer', indent = ''): string {
  const { type, anyOf, enum: words } = schema;
  if (anyOf !== undefined) return unionOf(anyOf.map((each) => typeText(each, side, indent)));
  if (words !== undefined) {
    return unionOf(words.map((word) => (typeof word === 'string' ? `'${word}'` : String(word))));
  }
  if (type === undefined) return 'unknown';
  return unionOf([type].flat().map((name) => PRIMITIVES[name] ?? compoundText(name, schema, side, indent)));
}

function compoundText(
  type: string,
  { items = {}, properties, required = [], additionalProperties }: JsonSchema,
  side: 'request' | 'answer',
  indent: string,
): string {
  if (type === 'array') return `ReadonlyArray<${typeText(items, side, indent)}>`;
  if (properties === undefined) {
    const values = typeof additionalProperties === 'object' ? additionalProperties : {};
    return `Readonly<Record<string, ${typeText(values, side, indent)}>>`;
  }
  const absent = side === 'request' ? ' | undefined' : '';
  const fields = Object.entries(properties).map(([name, field]) => {
    const value = typeText(field, side, `${indent}  `);
    const rest = required.includes(name) ? `: ${value}` : `?: ${value}${absent}`;
    return `${indent}  readonly ${keyText(name)}${rest};\n`;
  });
  return fields.length === 0 ? 'object' : `{\n${fields.join('')}${indent}}`;
}

function keyText(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`;
}

function unionOf(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}

function sourcesIn(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const sources = files.filter(
    (file) => /\.tsx?$/.test(file) && !file.includes('.test.') && join(CONSOLE, file) !== CONSOLE_CALLS,
  );
  return sources.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
}
