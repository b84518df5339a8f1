/**
 * Declares fields that are accepted but have no effect, or not always: clients of the API family send them. The documents mention it, and
 * `warningMsg` of each response names those that were sent (core/ineffective-values.ts). Wrap the result in `Type.Optional`, not the other
 * way around.
 */

import { type Static, type TSchema, type TUnsafe, Type } from 'typebox';
import { NO_EFFECT, type NoEffect } from '../../core/ineffective-values.ts';
import { ruuid } from './field-types.ts';
import { asJsonSchema } from './json-schema.ts';

/** Stored and returned, but nothing acts on it. `except`: keys or facets that do have an effect. */
export function keptWithoutEffect<T extends TSchema>(
  schema: T,
  because: string,
  except?: readonly string[],
): TUnsafe<Static<T>> {
  if (except === undefined) return declared(schema, { kept: because }, `No effect: ${because}.`);
  return declared(
    schema,
    { kept: because, except },
    `No effect except for ${except.join(', ')}: ${because}.`,
  );
}

/** Not even stored. `except`: keys that are. */
export function ignored<T extends TSchema>(
  schema: T,
  because: string,
  except?: readonly string[],
): TUnsafe<Static<T>> {
  if (except !== undefined) return declared(schema, { ignored: because, except }, 'Other names are ignored.');
  return declared(schema, { ignored: because }, `Ignored: ${because}.`);
}

/** Counts only together with its sibling field `needs`, or only while that has the value `being`. */
export function countingWith<T extends TSchema>(
  schema: T,
  needs: string,
  being?: string,
): TUnsafe<Static<T>> {
  const noEffect = { needs, ...(being === undefined ? {} : { being }) };
  return declared(
    schema,
    noEffect,
    `Counts only with \`${needs}\`${being === undefined ? '' : ` ${being}`}.`,
  );
}

/** Does not count if its sibling field `other` is given. */
export function yieldingTo<T extends TSchema>(schema: T, other: string): TUnsafe<Static<T>> {
  return declared(schema, { yieldsTo: other }, `Ignored when \`${other}\` is given.`);
}

/** The alert policy of a thing; other services act on it. */
export function alertPolicy(description: string) {
  return keptWithoutEffect(ruuid(description), 'the gateway raises no alerts for policies');
}

function declared<T extends TSchema>(schema: T, noEffect: NoEffect, note: string): TUnsafe<Static<T>> {
  const json = asJsonSchema(schema);
  const description = [json.description, note].filter((part) => part !== undefined).join(' ');
  return Type.Unsafe<Static<T>>({ ...json, description, [NO_EFFECT]: noEffect });
}
