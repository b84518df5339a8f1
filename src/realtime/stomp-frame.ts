/** STOMP 1.2 frames: their parts, and how they are written. https://stomp.github.io/stomp-specification-1.2.html */

export interface StompFrame {
  readonly command: string;
  /** Unescaped. If a header is repeated, the first value counts ("Repeated Header Entries"). */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** A client's frame in a form that is easy to build. */
export type StompHeaders = readonly (readonly [name: string, value: string])[];

/** The frames whose headers are not escaped, for compatibility with STOMP 1.0 ("Value Encoding"). */
const UNESCAPED_COMMANDS: ReadonlySet<string> = new Set(['CONNECT', 'CONNECTED']);

const ESCAPE_BY_CHARACTER: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\r': '\\r',
  '\n': '\\n',
  ':': '\\c',
};
const ESCAPED_CHARACTERS = /[\\\r\n:]/g;
const NEEDS_ESCAPING = /[\\\r\n:]/;

const CHARACTER_BY_ESCAPE: Readonly<Record<string, string>> = { '\\': '\\', r: '\r', n: '\n', c: ':' };

const NUL = Buffer.of(0);
/** The end-of-line that keeps a connection alive between frames ("Heart-beating"). */
export const HEART_BEAT = Buffer.from('\n');

/** Whether the headers of this command's frames are escaped. */
export function hasEscapedHeaders(command: string): boolean {
  return !UNESCAPED_COMMANDS.has(command);
}

/** The text with its backslashes, line breaks and colons escaped. */
export function escapeHeader(text: string): string {
  if (!NEEDS_ESCAPING.test(text)) return text;
  return text.replace(ESCAPED_CHARACTERS, (character) => ESCAPE_BY_CHARACTER[character]!);
}

/** null if the text has an escape that the specification does not define, which is a fatal error. */
export function unescapeHeader(text: string): string | null {
  let backslash = text.indexOf('\\');
  if (backslash < 0) return text;
  let unescaped = '';
  let from = 0;
  while (backslash >= 0) {
    const character = CHARACTER_BY_ESCAPE[text[backslash + 1] ?? ''];
    if (character === undefined) return null;
    unescaped += text.slice(from, backslash) + character;
    from = backslash + 2;
    backslash = text.indexOf('\\', from);
  }
  return unescaped + text.slice(from);
}

/** The whole frame with its NUL, in its own buffer; a body gets its content-length. */
export function writeStompFrame(command: string, headers: StompHeaders, body: Buffer | null = null): Buffer {
  const isEscaped = hasEscapedHeaders(command);
  let head = `${command}\n`;
  for (const [name, value] of headers) {
    head += isEscaped ? `${escapeHeader(name)}:${escapeHeader(value)}\n` : `${name}:${value}\n`;
  }
  if (body === null) return Buffer.from(`${head}\n\0`);
  return Buffer.concat([Buffer.from(`${head}content-length:${body.length}\n\n`), body, NUL]);
}
