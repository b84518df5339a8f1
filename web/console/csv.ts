/** Comma-separated values (RFC 4180) for spreadsheets. */

/** With these, spreadsheets take a cell for a formula (OWASP, CSV injection). */
const FORMULA_START = /^[=+\-@\t\r]/;
/** Without it, some spreadsheets take UTF-8 for something else. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Rows of cells as a file. A cell that would be a formula gets an apostrophe in front, which makes it a text. */
export function csvOf(rows: readonly (readonly string[])[]): string {
  return BYTE_ORDER_MARK + rows.map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('');
}

function quoted(cell: string): string {
  const text = FORMULA_START.test(cell) ? `'${cell}` : cell;
  return `"${text.replaceAll('"', '""')}"`;
}
