/** The `…Updated` convention (docs/spec/conventions.md#changes-by-flags): a value counts only if its flag is true. */

import { type Static, type TOptional, type TProperties, type TUnsafe, Type } from 'typebox';
import { flag } from '../../http/fields/field-types.ts';
import { invalidField } from '../../http/request-body.ts';

type Flags<Fields> = { [Name in keyof Fields & string as `${Name}Updated`]: TOptional<TUnsafe<boolean>> };
type Flagged<Fields> = { readonly [Name in keyof Fields & string as Name | `${Name}Updated`]?: unknown };
type Applied<Fields extends TProperties> = { [Name in keyof Fields]?: Static<Fields[Name]> | null };

/** Fields of a request that count only with their flags. */
export interface Changes<Fields extends TProperties> {
  /** Each field and its flag. */
  readonly properties: Fields & Flags<Fields>;
  /** The fields whose flag is true; null for those without a value, which must be cleared. */
  applied(body: Flagged<Fields>): Applied<Fields>;
}

export function changes<Fields extends TProperties>(fields: Fields): Changes<Fields> {
  const properties: TProperties = {};
  for (const [name, schema] of Object.entries(fields)) {
    properties[name] = schema;
    properties[`${name}Updated`] = Type.Optional(flag(`Whether to apply \`${name}\`.`));
  }
  return {
    properties: properties as Fields & Flags<Fields>,
    applied(body) {
      const given = body as Readonly<Record<string, unknown>>;
      const applied = Object.keys(fields).filter((name) => given[`${name}Updated`] === true);
      return Object.fromEntries(applied.map((name) => [name, given[name] ?? null])) as Applied<Fields>;
    },
  };
}

/** Fails INVALID_FIELD if the name applies and is blank. */
export function appliedName({ name }: { readonly name?: string | null | undefined }): { name?: string } {
  if (name === undefined) return {};
  const trimmed = name?.trim() ?? '';
  if (trimmed === '') throw invalidField('name must not be blank if nameUpdated is true.');
  return { name: trimmed };
}
