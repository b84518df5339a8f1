/** Text that someone else wrote, as logs and terminals may show it. */

/** One line without control characters, at most `maxChars` long. */
export function printable(text: string, maxChars: number): string {
  return text
    .slice(0, maxChars)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
}
