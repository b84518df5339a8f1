/** JSON lines (jsonlines.org): one JSON value per line, UTF-8, empty lines skipped. */

/** Longer lines are refused unread. */
export const MAX_LINE_BYTES = 1024 * 1024;

const NEWLINE = 0x0a;

/** A line with its content, or its fault. */
export type JsonLine =
  | { readonly lineNumber: number; readonly value: unknown }
  | { readonly lineNumber: number; readonly problem: string };

/** Reads lines as they come; a bad line does not affect the next one. `source` chunks are borrowed. */
export async function* readJsonLines(source: AsyncIterable<Buffer>): AsyncGenerator<JsonLine> {
  const pieces: Buffer[] = [];
  let lineBytes = 0;
  let lineNumber = 0;
  for await (const chunk of source) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      lineBytes += end - start;
      if (lineBytes <= MAX_LINE_BYTES) pieces.push(chunk.subarray(start, end));
      lineNumber += 1;
      const line = parseLine(pieces, lineBytes, lineNumber);
      if (line !== null) yield line;
      pieces.length = 0;
      lineBytes = 0;
      start = end + 1;
    }
    lineBytes += chunk.length - start;
    // The rest of a line that is too long is dropped.
    if (lineBytes <= MAX_LINE_BYTES) pieces.push(Buffer.from(chunk.subarray(start)));
    else pieces.length = 0;
  }
  const last = parseLine(pieces, lineBytes, lineNumber + 1);
  if (last !== null) yield last;
}

/** null for an empty line. */
function parseLine(pieces: readonly Buffer[], lineBytes: number, lineNumber: number): JsonLine | null {
  if (lineBytes > MAX_LINE_BYTES) {
    return { lineNumber, problem: `The line has more than ${MAX_LINE_BYTES.toLocaleString('en')} bytes.` };
  }
  const text = Buffer.concat(pieces).toString('utf8');
  const json = (lineNumber === 1 && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text).trim();
  if (json === '') return null;
  try {
    return { lineNumber, value: JSON.parse(json) as unknown };
  } catch {
    // SyntaxError: its text would repeat the line, which may contain something private.
    return { lineNumber, problem: 'The line is not valid JSON.' };
  }
}
