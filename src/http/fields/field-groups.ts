/** One list of fields in two shapes: in requests, each can be left out; in responses, each can be null. */

import type { Static, TOptional, TProperties, TUnsafe } from 'typebox';
import { Type } from 'typebox';
import { nullable } from './field-types.ts';

export type OptionalFields<T extends TProperties> = { [K in keyof T]: TOptional<T[K]> };
export type NullableFields<T extends TProperties> = { [K in keyof T]: TUnsafe<Static<T[K]> | null> };

/** A value that is read-only, including the lists and objects in it. */
export type Unchanging<Value> = Value extends string | number | boolean | null | undefined
  ? Value
  : Value extends readonly (infer Item)[]
    ? readonly Unchanging<Item>[]
    : { readonly [K in keyof Value]: Unchanging<Value[K]> };

/** The values of a group as received: any can be missing. */
export type GivenFields<T extends TProperties> = { readonly [K in keyof T]?: Unchanging<Static<T[K]>> };
/** The values of a group as returned. */
export type ResponseFields<T extends TProperties> = { [K in keyof T]: Static<T[K]> | null };

export function optionalFields<T extends TProperties>(fields: T): OptionalFields<T> {
  const optional: TProperties = {};
  for (const [name, schema] of Object.entries(fields)) optional[name] = Type.Optional(schema);
  return optional as OptionalFields<T>;
}

export function nullableFields<T extends TProperties>(fields: T): NullableFields<T> {
  const responded: TProperties = {};
  for (const [name, schema] of Object.entries(fields)) responded[name] = nullable(schema);
  return responded as NullableFields<T>;
}

/** Every flag of the group, false where `given` has none. */
export function responseFlags<T extends Readonly<Record<string, TUnsafe<boolean>>>>(
  flags: T,
  given: { readonly [K in keyof T]?: boolean },
): Record<keyof T, boolean> {
  const result: Record<string, boolean> = {};
  for (const name of Object.keys(flags)) result[name] = given[name] ?? false;
  return result as Record<keyof T, boolean>;
}

/** Every field of the group, null where `given` has none. Other fields of `given` are left out. */
export function responseFields<T extends TProperties>(fields: T, given: GivenFields<T>): ResponseFields<T> {
  const result: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) result[name] = given[name] ?? null;
  return result as ResponseFields<T>;
}
