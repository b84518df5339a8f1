/**
 * Reads a request body against its schema, as the specification describes bodies (docs/spec/conventions.md#requests): an
 * empty one is `{}`, unknown fields change nothing (core/unknown-fields.ts names them), null means absent, a facet means
 * its device where facets do not matter, and nothing is coerced. The first problem becomes one sentence that names the
 * field and says what it must be.
 */

import type { Static, TObject } from 'typebox';
import { Compile } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import { GatewayError } from '../../core/errors.ts';
import { parseJsonInSlices } from '../../core/json-in-slices.ts';
import { parseDeviceFacetUuid } from '../../core/ruuid.ts';
import { type Step, shownPath } from '../../core/unknown-fields.ts';
import { DEVICE_UUID_FORMAT } from '../fields/field-types.ts';
import { asJsonSchema, type JsonSchema } from '../fields/json-schema.ts';
import { API_ERRORS } from './errors.ts';
import { expectation } from './field-expectation.ts';

/** How much of a caller's value an error message repeats at most. */
const MAX_ECHOED_LENGTH = 40;

/**
 * Parses the text of a body, in slices if it is long. Fails MALFORMED_JSON. A leading byte order mark is skipped, as RFC
 * 8259 §8.1 allows.
 */
export async function parseJsonBody(bodyText: string): Promise<unknown> {
  const json = bodyText.charCodeAt(0) === 0xfeff ? bodyText.slice(1) : bodyText;
  if (json.trim() === '') return {};
  try {
    return await parseJsonInSlices(json);
  } catch (cause) {
    throw new GatewayError(API_ERRORS.MALFORMED_JSON, {}, cause);
  }
}

/** The error for a field that fits the schema but breaks a rule of the endpoint. `sentence` names the field. */
export function invalidField(sentence: string): GatewayError {
  return new GatewayError(API_ERRORS.INVALID_FIELD, { sentence });
}

/** What is wrong with a value: the field ('' for the value itself) and a sentence that names it. */
export interface FieldProblem {
  readonly field: string;
  readonly sentence: string;
}

/**
 * Compiles `schema` once; the returned function fails INVALID_FIELD. It changes the parsed body in place: nulls and
 * facets are removed.
 */
export function bodyReader<T extends TObject>(schema: T): (body: unknown) => Static<T> {
  const problemOf = bodyChecker(schema, 'The request body');
  return (body) => {
    const value = body ?? {};
    const problem = problemOf(value);
    if (problem === null) return value as Static<T>;
    throw invalidField(problem.sentence);
  };
}

/** The same as a query: the first problem of a value, or null. `whole`: what sentences call the value. */
export function bodyChecker(schema: TObject, whole: string): (value: unknown) => FieldProblem | null {
  const jsonSchema = asJsonSchema(schema);
  const validator = Compile(schema);
  return (value) => {
    normalize(jsonSchema, value);
    return validator.Check(value) ? null : describe(jsonSchema, value, validator.Errors(value), whole);
  };
}

/**
 * Removes fields and map entries that are null, and replaces facets of a device with the device, in place. Follows the
 * schema and not the value, so that a deeply nested body costs nothing. Returns the replacement for `value`.
 */
function normalize(schema: JsonSchema, value: unknown): unknown {
  if (schema.format === DEVICE_UUID_FORMAT) return parseDeviceFacetUuid(value)?.uuid ?? value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return value;
    for (const [index, item] of value.entries()) value[index] = normalize(items, item);
    return value;
  }
  const fields = value as Record<string, unknown>;
  if (schema.properties !== undefined) {
    for (const [name, field] of Object.entries(schema.properties)) normalizeField(fields, name, field);
  } else if (typeof schema.additionalProperties === 'object') {
    for (const name of Object.keys(fields)) normalizeField(fields, name, schema.additionalProperties);
  }
  return value;
}

function normalizeField(fields: Record<string, unknown>, name: string, schema: JsonSchema): void {
  if (!Object.hasOwn(fields, name)) return;
  const value = fields[name];
  if (value === null) {
    delete fields[name];
    return;
  }
  const normal = normalize(schema, value);
  if (normal !== value) fields[name] = normal;
}

function describe(
  schema: JsonSchema,
  body: unknown,
  errors: readonly TLocalizedValidationError[],
  whole: string,
): FieldProblem {
  const error = errors[0];
  if (error === undefined) return { field: '', sentence: API_ERRORS.INVALID_FIELD.message };
  const path = stepsOf(error.instancePath);
  if (error.keyword === 'required') {
    const params = error.params as Record<string, unknown>;
    const missing = shownPath([...path, String((params.requiredProperties as string[])[0])]);
    return { field: missing, sentence: `${missing} is required.` };
  }
  const field = path.length === 0 ? '' : shownPath(path);
  return { field, sentence: describeValue(schema, body, path, error, field === '' ? whole : field) };
}

/** RFC 6901 §4: names can contain escaped slashes and tildes. */
function stepsOf(pointer: string): Step[] {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) =>
    /^\d+$/.test(step) ? Number(step) : step.replaceAll('~1', '/').replaceAll('~0', '~'),
  );
}

function describeValue(
  schema: JsonSchema,
  body: unknown,
  path: readonly Step[],
  error: TLocalizedValidationError,
  field: string,
): string {
  const { fieldSchema, value } = locate(schema, body, path);
  const expected = path.length === 0 ? 'a JSON object' : expectation(fieldSchema);
  switch (error.keyword) {
    case 'enum':
      return `${field} must be ${expected}; got ${echo(value)}.`;
    case 'minimum':
    case 'maximum':
      return `${field} must be ${expected}, got ${echo(value)}.`;
    case 'maxLength':
      return `${field} must have at most ${fieldSchema.maxLength} characters.`;
    case 'maxItems':
      return `${field} must have at most ${fieldSchema.maxItems} entries.`;
    case 'pattern':
      return `${field} must be ${expected}.`;
    default:
      return `${field} must be ${expected}, got ${valueWord(value, fieldSchema)}.`;
  }
}

function locate(
  schema: JsonSchema,
  body: unknown,
  path: readonly Step[],
): { fieldSchema: JsonSchema; value: unknown } {
  let fieldSchema: JsonSchema = schema;
  let value = body;
  for (const step of path) {
    fieldSchema = partOf(fieldSchema, step);
    value = (value as Record<string, unknown> | undefined)?.[step];
  }
  return { fieldSchema, value };
}

function partOf({ items, properties, additionalProperties }: JsonSchema, step: Step): JsonSchema {
  const { [step]: property } = properties ?? {};
  const free = typeof additionalProperties === 'object' ? additionalProperties : {};
  return items ?? property ?? free;
}

/** The value itself is shown only if it cannot be a secret: a fraction in place of an integer. */
function valueWord(value: unknown, expected: JsonSchema): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return expected.type === 'integer' && typeof value === 'number' ? `the number ${value}` : typeof value;
}

function echo(value: unknown): string {
  const json = JSON.stringify(value) ?? 'nothing';
  return json.length > MAX_ECHOED_LENGTH ? `${json.slice(0, MAX_ECHOED_LENGTH)}…` : json;
}
