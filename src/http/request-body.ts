/**
 * Reads a request body against its schema, as the specification describes bodies (docs/spec/conventions.md#requests). An empty body is
 * `{}`. Unknown fields are left out (core/unknown-fields.ts names them). Null means absent, and a facet means its device where facets do
 * not count. A few times lose a fraction, a few flags can be text, and nothing else is coerced. The first error becomes one sentence that
 * names the field and its allowed values.
 */

import type { Static, TObject } from 'typebox';
import { Compile } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import { GatewayError } from '../core/errors.ts';
import { memberNames, parseJsonInSlices } from '../core/json-in-slices.ts';
import { onDemand } from '../core/on-demand.ts';
import { parseDeviceFacetUuid } from '../core/ruuid.ts';
import { type Step, shownPath } from '../core/unknown-fields.ts';
import { API_ERRORS } from './errors.ts';
import { expectation } from './field-expectation.ts';
import { DEVICE_UUID_FORMAT } from './fields/field-types.ts';
import { asJsonSchema, type JsonSchema } from './fields/json-schema.ts';
import { REFUSAL } from './fields/only-false.ts';

/** How many entries each map in a request can have. */
const MAX_MAP_ENTRIES = 10_000;
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

/** A fault in a value: the field ('' for the value itself) and a sentence that names it. */
export interface FieldProblem {
  readonly field: string;
  readonly sentence: string;
}

/** Compiles `schema` with the first body, because a start would otherwise compile all. The returned function fails INVALID_FIELD. */
export function bodyReader<T extends TObject>(schema: T): (body: unknown) => Static<T> {
  const check = bodyChecker(schema, 'The request body');
  return (body) => {
    const { value, problem } = check(body ?? {});
    if (problem === null) return value;
    throw invalidField(problem.sentence);
  };
}

/** A value that was read, and its first problem; null: none, and only then does it have its type. */
export interface CheckedValue<Value> {
  readonly value: Value;
  readonly problem: FieldProblem | null;
}

/** The same as a query. `whole`: what sentences call the value. The given value is not changed. */
export function bodyChecker<T extends TObject>(
  schema: T,
  whole: string,
): (given: unknown) => CheckedValue<Static<T>> {
  const jsonSchema = asJsonSchema(schema);
  const validatorOf = onDemand(() => Compile(schema));
  return (given) => {
    const validator = validatorOf();
    const tooLong: object[] = [];
    const value = normalize(jsonSchema, given, tooLong) as Static<T>;
    const [longMap] = tooLong;
    if (longMap !== undefined) {
      const field = shownPath(pathTo(jsonSchema, given, longMap) ?? []);
      return {
        value,
        problem: { field, sentence: `${field} must have at most ${MAX_MAP_ENTRIES} entries.` },
      };
    }
    const problem = validator.Check(value)
      ? null
      : describe(jsonSchema, value, validator.Errors(value), whole);
    return { value, problem };
  };
}

/**
 * The normal form of a value. Unknown fields are left out, and so are fields and map entries that are null. A facet of a device becomes the
 * device. Where the schema says so, fractions are dropped and texts become flags. The work follows the schema and not the value, so deep
 * nesting and a hundred thousand unknown fields cost nothing, here or when handlers copy. Maps that are too long go to `tooLong` and are
 * left out.
 */
function normalize(schema: JsonSchema, value: unknown, tooLong: object[]): unknown {
  if (schema.format === DEVICE_UUID_FORMAT) return parseDeviceFacetUuid(value)?.uuid ?? value;
  if (schema['x-sluice-fraction'] === 'dropped' && typeof value === 'number') return Math.trunc(value);
  if (schema['x-sluice-words'] === 'accepted' && (value === 'true' || value === 'false'))
    return value === 'true';
  if (typeof value !== 'object' || value === null) return value;
  const { items, properties, additionalProperties } = schema;
  if (Array.isArray(value))
    return items === undefined ? value : value.map((item) => normalize(items, item, tooLong));
  const fields = value as Readonly<Record<string, unknown>>;
  const normal: Record<string, unknown> = {};
  if (properties !== undefined) {
    for (const [name, field] of Object.entries(properties)) {
      if (Object.hasOwn(fields, name) && fields[name] !== null)
        normal[name] = normalize(field, fields[name], tooLong);
    }
    return normal;
  }
  if (typeof additionalProperties !== 'object') return value;
  const names = memberNames(fields);
  if (names.length > MAX_MAP_ENTRIES) {
    tooLong.push(fields);
    return normal;
  }
  for (const name of names) {
    const entry = fields[name];
    if (entry !== null) setOwn(normal, name, normalize(additionalProperties, entry, tooLong));
  }
  return normal;
}

/** Where `target` is in a value. Follows the schema, like `normalize`. null: nowhere. */
function pathTo(schema: JsonSchema, value: unknown, target: object): Step[] | null {
  if (value === target) return [];
  if (typeof value !== 'object' || value === null) return null;
  const { items, properties, additionalProperties } = schema;
  let steps: Step[] = [];
  if (Array.isArray(value)) steps = items === undefined ? [] : [...value.keys()];
  else if (properties !== undefined) steps = Object.keys(properties);
  else if (typeof additionalProperties === 'object') steps = Object.keys(value);
  for (const step of steps) {
    const path = pathTo(partOf(schema, step), (value as Record<string, unknown>)[step], target);
    if (path !== null) return [step, ...path];
  }
  return null;
}

/** Also if the name is `__proto__`. */
function setOwn(fields: object, name: string, value: unknown): void {
  Object.defineProperty(fields, name, { value, writable: true, enumerable: true, configurable: true });
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
  const { [REFUSAL]: refusal } = fieldSchema;
  if (refusal !== undefined) return `${field}: ${refusal}`;
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
