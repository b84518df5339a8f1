/**
 * Comma-separated values (RFC 4180) that people open in a spreadsheet. A cell that a spreadsheet would run as a formula
 * gets an apostrophe in front, so that a name which someone chose cannot make it compute or fetch anything (OWASP, "CSV
 * Injection"). Pure.
 */

/** The beginning of a formula, even after spaces and in full width, which some spreadsheets read as the plain character. */
const FORMULA = /^[\s\u3000]*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
/** A cell with one of these stays one cell only in quotes. Some locales separate with semicolons. */
const NEEDS_QUOTES = /[",;\t\r\n']|^\s|\s$|^[\uff1d\uff0b\uff0d\uff20]/;

/** One line with its end. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
