/** The last lines that a worker wrote to its standard error, bounded, without credentials. */

/** Lines kept, and the length at which one is cut: a camera can make ffmpeg write any amount. */
export const MAX_LINES = 40;
export const MAX_LINE_CHARS = 300;

/** Everything between a scheme and the last `@` before a space or quote. */
const USER_INFO = /([a-z][a-z0-9+.-]*:\/\/)[^\s'"]*@/gi;

/** Removes user info from all URLs in `text`. */
export function redactUrls(text: string): string {
  return text.replace(USER_INFO, '$1');
}

export class StderrTail {
  readonly #lines: string[] = [];
  readonly #onLine: ((line: string) => void) | null;
  #partial = '';

  /** `onLine` gets every line, redacted and cut. */
  constructor(onLine?: (line: string) => void) {
    this.#onLine = onLine ?? null;
  }

  push(chunk: Uint8Array): void {
    const pieces = (this.#partial + Buffer.from(chunk).toString('utf8')).split(/[\r\n]+/);
    this.#partial = (pieces.pop() ?? '').slice(0, MAX_LINE_CHARS);
    for (const piece of pieces) this.#add(piece);
  }

  /** The process ended: an unterminated line is a line too. */
  end(): void {
    this.#add(this.#partial);
    this.#partial = '';
  }

  /** Oldest first. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  #add(piece: string): void {
    const line = redactUrls(piece.slice(0, MAX_LINE_CHARS).trim());
    if (line === '') return;
    this.#lines.push(line);
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
    this.#onLine?.(line);
  }
}
