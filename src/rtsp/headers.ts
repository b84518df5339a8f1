/**
 * Header fields of an RTSP message (RFC 2326 §4.2, §12; the grammar is HTTP's, RFC 2068 §4.2). Names are
 * case-insensitive; order and repetitions are kept, because several WWW-Authenticate fields are common.
 */

/** Fields in wire order, alternating name and value. Immutable once handed out. */
export class RtspHeaders {
  readonly #lowerNames: string[] = [];
  readonly #values: string[] = [];

  /** `fields`: name and value pairs, as for the message writers. */
  static of(fields: readonly RtspHeaderField[]): RtspHeaders {
    const headers = new RtspHeaders();
    for (const [name, value] of fields) headers.append(name, value);
    return headers;
  }

  get count(): number {
    return this.#values.length;
  }

  /** Used by the code that builds the message. */
  append(name: string, value: string): void {
    this.#lowerNames.push(name.toLowerCase());
    this.#values.push(value);
  }

  /** Continues the last field (obsolete line folding). Does nothing if there is none. */
  fold(continuation: string): void {
    const last = this.#values.length - 1;
    if (last >= 0) this.#values[last] = `${this.#values[last]} ${continuation}`;
  }

  /** First value of a field; null if the message has none. */
  get(name: string): string | null {
    const index = this.#lowerNames.indexOf(name.toLowerCase());
    return index < 0 ? null : this.#values[index]!;
  }

  /** Every value of a field in wire order. */
  all(name: string): string[] {
    const lowerName = name.toLowerCase();
    return this.#values.filter((_, index) => this.#lowerNames[index] === lowerName);
  }
}

/** Name and value of one field to write. */
export type RtspHeaderField = readonly [name: string, value: string];

/** CSeq (RFC 2326 §12.17); null if it is missing or not a number, which happens in some cameras' error responses. */
export function cseqOf(headers: RtspHeaders): number | null {
  const text = headers.get('CSeq')?.trim();
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : null;
}
