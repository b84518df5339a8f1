/** Events of a simulation: its last lines for people, and a hash of everything for comparing two runs. */

/** Lines that are kept. */
const KEPT_LINES = 400;
const FNV_PRIME = 0x01000193;

export class Trace {
  readonly #nowMs: () => number;
  readonly #lines: string[] = [];
  #low = 0x811c9dc5;
  #high = 0x9dc5811c;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** `who` did, or noticed, something. */
  note(who: string, what: string): void {
    const line = `${(this.#nowMs() / 1_000).toFixed(4).padStart(10)} ${who.padEnd(8)} ${what}`;
    for (let i = 0; i < line.length; i++) this.#mixByte(line.charCodeAt(i));
    this.#lines.push(line);
    if (this.#lines.length > 2 * KEPT_LINES) this.#lines.splice(0, KEPT_LINES);
  }

  mix(atMs: number, sequence: number): void {
    this.#low = Math.imul(this.#low ^ (atMs * 1_000), FNV_PRIME);
    this.#high = Math.imul(this.#high ^ sequence, FNV_PRIME);
  }

  /** Hash of all events so far. */
  get hash(): string {
    const hex = (part: number) => (part >>> 0).toString(16).padStart(8, '0');
    return hex(this.#high) + hex(this.#low);
  }

  last(lines = KEPT_LINES): string {
    return this.#lines.slice(-lines).join('\n');
  }

  #mixByte(byte: number): void {
    this.#low = Math.imul(this.#low ^ byte, FNV_PRIME);
    this.#high = Math.imul(this.#high ^ this.#low, FNV_PRIME);
  }
}
