/** Comma-separated values (RFC 4180), to and from spreadsheets. Pure. */

/**
 * Spreadsheets take such a cell for a formula (OWASP, CSV injection), some also after spaces and in full width. With
 * apostrophes before it, so that reading is exact.
 */
const FORMULA_START = /^'*[\s\u3000]*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
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

/** A cell that `csvOf` made a text. */
const MADE_TEXT = /^'+[\s\u3000]*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const SEPARATORS = [',', ';', '\t'] as const;

/**
 * The rows of a file, without empty ones, each with its line. Spreadsheets separate by comma, semicolon, or tab: the
 * one that the first line has most of. An apostrophe that keeps a cell from being a formula is taken off.
 */
export function rowsOfCsv(text: string): { readonly line: number; readonly cells: readonly string[] }[] {
  const whole = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  const separator = separatorOf(whole);
  const rows: { line: number; cells: string[] }[] = [];
  let [line, startLine, cell, isQuoted] = [1, 1, '', false];
  let cells: string[] = [];
  const endCell = () => {
    cells.push(MADE_TEXT.test(cell) ? cell.slice(1) : cell);
    cell = '';
  };
  const endRow = () => {
    endCell();
    if (cells.some((each) => each.trim() !== '')) rows.push({ line: startLine, cells });
    cells = [];
    startLine = line;
  };
  for (let at = 0; at < whole.length; at++) {
    const letter = whole[at]!;
    if (letter === '\n') line += 1;
    if (isQuoted) {
      if (letter !== '"') cell += letter;
      else if (whole[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (letter === '"' && cell === '') isQuoted = true;
    else if (letter === separator) endCell();
    else if (letter === '\n') endRow();
    else if (letter !== '\r') cell += letter;
  }
  endRow();
  return rows;
}

function separatorOf(text: string): string {
  const firstLine = /^[^\n]*/.exec(text)![0];
  const countOf = (separator: string) => firstLine.split(separator).length;
  return SEPARATORS.toSorted((a, b) => countOf(b) - countOf(a))[0]!;
}
