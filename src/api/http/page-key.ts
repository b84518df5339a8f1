/**
 * The keys that lead from one page to the next (docs/spec/conventions.md#paging). A key is the position of the last row
 * seen, not a count of rows, so rows that are added or removed in the meantime shift nothing. Callers send keys back
 * unchanged.
 */

import { Type } from 'typebox';
import { nullable, plainText, text } from '../fields/field-types.ts';
import { invalidField } from './request-body.ts';

/** The longest key that is read; ours are shorter. */
export const MAX_PAGE_KEY_LENGTH = 512;

/** The fields of requests for a page, and of its response. */
export const PAGE_KEY = Type.Optional(
  text(
    'The `lastEvaluatedKey` of the previous page; null or absent for the first page.',
    MAX_PAGE_KEY_LENGTH,
  ),
);
export const NEXT_PAGE_KEY = nullable(plainText('Leads to the next page; absent on the last one.'));

/** A row's position in its list: the values that the list is sorted by. */
export type PageMark = readonly (string | number)[];

/** `list` names the list, so that a key of another list is refused. */
export function pageKeyOf(list: string, mark: PageMark): string {
  return Buffer.from(JSON.stringify([list, ...mark])).toString('base64url');
}

/**
 * The position in a key; `shape` gives the types of its parts. Fails INVALID_FIELD for a key of another list. `field`:
 * the request field, for the message.
 */
export function readPageKey<const Shape extends readonly ('string' | 'number')[]>(
  key: string,
  list: string,
  shape: Shape,
  field = 'lastEvaluatedKey',
): { -readonly [K in keyof Shape]: Shape[K] extends 'number' ? number : string } {
  const [name, ...mark] = parsed(key);
  const isOurs =
    name === list &&
    mark.length === shape.length &&
    mark.every((part, index) =>
      shape[index] === 'number' ? Number.isSafeInteger(part) : typeof part === shape[index],
    );
  if (!isOurs) throw invalidField(`${field} must be a key that this endpoint returned.`);
  return mark as { -readonly [K in keyof Shape]: Shape[K] extends 'number' ? number : string };
}

function parsed(key: string): unknown[] {
  if (key.length > MAX_PAGE_KEY_LENGTH || !/^[\w-]+$/.test(key)) return [];
  try {
    const parts: unknown = JSON.parse(Buffer.from(key, 'base64url').toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    // Not JSON: not one of ours, as the caller learns.
    return [];
  }
}
