/** Names as text: nothing that people chose changes how a mail is read, by programs or by people. */

/**
 * On one line, without control characters, marks that turn text around, and what cannot be encoded: a line break in a name would begin
 * another header (RFC 5322 §2.2).
 */
export function oneLine(text: string, maxChars = 200): string {
  const plain = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  const characters = [...plain];
  return characters.length <= maxChars ? plain : `${characters.slice(0, maxChars - 1).join('')}…`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A name for HTML, in an element or in a quoted attribute. */
export function escaped(text: string, maxChars?: number): string {
  return oneLine(text, maxChars).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
