/** The subset of JSON Schema 2020-12 that endpoint definitions use, as plain data: TypeBox schemas are such objects. */

import type { TSchema } from 'typebox';

export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly enum?: readonly (string | boolean | null)[];
  readonly anyOf?: readonly JsonSchema[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  /** Requests only: the fraction of a number is dropped (field-types.ts). */
  readonly 'x-sluice-fraction'?: 'dropped';
  /** Requests only: `true` and `false` are also taken as text (field-types.ts). */
  readonly 'x-sluice-words'?: 'accepted';
  /** Requests only: the sentence about any other value than the allowed one (only-false.ts). */
  readonly 'x-sluice-refusal'?: string;
}

/** A TypeBox schema seen as the JSON Schema it is. */
export function asJsonSchema(schema: TSchema): JsonSchema {
  return schema as JsonSchema;
}
