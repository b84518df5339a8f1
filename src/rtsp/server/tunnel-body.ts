/**
 * The body of a tunnel's POST: RTSP in Base64 (RFC 4648 §4), cut anywhere. Clients encode each request on its own, so padding ends a group,
 * not the body. Sans-IO.
 */

const GROUP_CHARS = 4;
const CR = 0x0d;
const LF = 0x0a;
const PADDING = 0x3d;

export class TunnelBody {
  /** Characters of a group that is not complete. */
  readonly #group = Buffer.alloc(GROUP_CHARS);
  #filled = 0;

  /** The bytes that `chunk` completes; null: it is not Base64. `chunk` is borrowed. */
  push(chunk: Uint8Array): Buffer | null {
    const decoded = Buffer.alloc(Math.ceil((chunk.length + this.#filled) / GROUP_CHARS) * 3);
    let length = 0;
    for (const byte of chunk) {
      if (byte === CR || byte === LF) continue;
      if (!isBase64(byte)) return null;
      this.#group[this.#filled++] = byte;
      if (this.#filled < GROUP_CHARS) continue;
      this.#filled = 0;
      const bytes = Buffer.from(this.#group.toString('latin1'), 'base64');
      bytes.copy(decoded, length);
      length += bytes.length;
    }
    return decoded.subarray(0, length);
  }
}

function isBase64(byte: number): boolean {
  const isLetter = (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
  return isLetter || (byte >= 0x30 && byte <= 0x39) || byte === 0x2b || byte === 0x2f || byte === PADDING;
}
