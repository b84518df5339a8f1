/** Random text of any Unicode characters, for tests. */

import fc from 'fast-check';

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;
const CHARACTERS = 0x110000 - SURROGATES;

/** As fast-check's own unit `binary`, which first builds a table of all of them: that takes longer than most tests. */
const anyCharacter = fc
  .nat({ max: CHARACTERS - 1 })
  .map((index) => String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES), indexOf);

export function anyText(lengths: { readonly minLength?: number; readonly maxLength?: number } = {}) {
  return fc.string({ ...lengths, unit: anyCharacter });
}

/** Fails if `text` is not one character: then it does not come from this arbitrary. */
function indexOf(text: unknown): number {
  const code = typeof text === 'string' ? (text.codePointAt(0) ?? -1) : -1;
  if (code < 0 || String.fromCodePoint(code) !== text) throw new Error('not one character');
  if (code >= FIRST_SURROGATE && code < FIRST_SURROGATE + SURROGATES) throw new Error('half a character');
  return code < FIRST_SURROGATE ? code : code - SURROGATES;
}
