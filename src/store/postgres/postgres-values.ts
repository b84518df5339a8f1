/**
 * Converts values to and from PostgreSQL, so that repositories get what SQLite would return: numbers for every integer
 * and sum, and text with any character in it.
 */

import pg from 'pg';

type ParseValue = (text: string) => unknown;

/** By type: postgresql.org/docs/current/catalog-pg-type.html, column oid. */
const PARSER_BY_TYPE: ReadonlyMap<number, ParseValue> = new Map<number, ParseValue>([
  [20, numberOf], // int8
  [25, decodeText], // text
  [1700, numberOf], // numeric: the type of sum() over int8
]);

/** How columns are read: for the option `types` of a connection. */
export const COLUMN_TYPES: pg.CustomTypesConfig = {
  getTypeParser: (type: number) => PARSER_BY_TYPE.get(type) ?? pg.types.getTypeParser(type),
};

/** A parameter, as sent. */
export function encodeParameter(value: unknown): unknown {
  return typeof value === 'string' ? encodeText(value) : value;
}

/**
 * PostgreSQL's text cannot contain U+0000, but names can: it is sent as U+0001 U+0001, and U+0001 itself as U+0001
 * U+0002. Distinct texts stay distinct and sort as before.
 */
export function encodeText(text: string): string {
  if (!text.includes('\u0000') && !text.includes('\u0001')) return text;
  return text.replaceAll('\u0001', '\u0001\u0002').replaceAll('\u0000', '\u0001\u0001');
}

/** The reverse of `encodeText`. */
export function decodeText(text: string): string {
  if (!text.includes('\u0001')) return text;
  return text.replaceAll('\u0001\u0001', '\u0000').replaceAll('\u0001\u0002', '\u0001');
}

/** Throws RangeError if a number would not be exact. */
function numberOf(text: string): number {
  const value = Number(text);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) throw new RangeError('an integer column is out of range');
  return value;
}
