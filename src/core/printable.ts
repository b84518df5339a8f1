/** Text that someone else wrote, in a form that logs and terminals may show. */

/** One line without control characters, at most `maxChars` long. */
export function printable(text: string, maxChars: number): string {
  return text
    .slice(0, maxChars)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
}
