/** Describes the allowed values of a field, in the words of a sentence, from its schema. */

import { PATTERN_MEANINGS } from './fields/field-types.ts';
import type { JsonSchema } from './fields/json-schema.ts';

const ARTICLE_AND_TYPE: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'a boolean',
  integer: 'an integer',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

/** `an integer from 0 to 10`, `one of USER, DICE`, `a string of at most 256 characters`. */
export function expectation(schema: JsonSchema): string {
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`;
  const meaning = PATTERN_MEANINGS.get(schema.pattern ?? '');
  if (meaning !== undefined) return meaning;
  const options = schema.anyOf?.map(expectation) ?? [schema.type ?? []].flat().map(typeExpectation(schema));
  return options.length === 0 ? 'a JSON value' : [...new Set(options)].join(' or ');
}

function typeExpectation(schema: JsonSchema): (type: string) => string {
  return (type) => `${ARTICLE_AND_TYPE[type] ?? type}${boundsOf(schema, type)}`;
}

function boundsOf(schema: JsonSchema, type: string): string {
  if (type === 'integer' || type === 'number') return rangeOf(schema);
  if (type === 'string' && schema.maxLength !== undefined)
    return ` of at most ${schema.maxLength} characters`;
  if (type === 'array' && schema.maxItems !== undefined) return ` of at most ${schema.maxItems} entries`;
  return '';
}

function rangeOf({ minimum, maximum }: JsonSchema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  return maximum === undefined ? '' : ` of at most ${maximum}`;
}
