/**
 * SHA-256 (FIPS 180-4) of bytes that come in pieces: WebCrypto takes only whole messages, and a file of an archive can be larger
 * than a browser's memory. Without Node.js.
 */

/** Node.js has a faster one (`createHash`). */
export interface RunningHash {
  update(bytes: Uint8Array): void;
  /** Ends it. */
  digest(): Uint8Array;
}

const BLOCK_BYTES = 64;
const ROUNDS = 64;
const LENGTH_AT = 56;
const BITS_PER_BYTE = 8;
const WORD_RANGE = 2 ** 32;

const primes = firstPrimes(ROUNDS);
/** §4.2.2 and §5.3.3: the first bits of roots of primes. */
const CONSTANTS = Int32Array.from(primes, (prime) => fractionBits(Math.cbrt(prime)));
const START = Int32Array.from(primes.slice(0, 8), (prime) => fractionBits(Math.sqrt(prime)));

export class Sha256 implements RunningHash {
  readonly #state = Int32Array.from(START);
  readonly #words = new Int32Array(ROUNDS);
  /** Bytes of a block that is not full. */
  readonly #rest = new Uint8Array(BLOCK_BYTES);
  #restBytes = 0;
  #byteLength = 0;

  update(bytes: Uint8Array): void {
    this.#byteLength += bytes.length;
    let at = 0;
    if (this.#restBytes > 0) {
      at = Math.min(BLOCK_BYTES - this.#restBytes, bytes.length);
      this.#rest.set(bytes.subarray(0, at), this.#restBytes);
      this.#restBytes += at;
      if (this.#restBytes < BLOCK_BYTES) return;
      this.#addBlocks(this.#rest, 0, BLOCK_BYTES);
    }
    const end = bytes.length - ((bytes.length - at) % BLOCK_BYTES);
    this.#addBlocks(bytes, at, end);
    this.#rest.set(bytes.subarray(end));
    this.#restBytes = bytes.length - end;
  }

  /** §5.1.1: a bit, zeros, and the length in bits. */
  digest(): Uint8Array {
    const byteLength = this.#byteLength;
    const isShort = this.#restBytes < LENGTH_AT;
    const padding = new Uint8Array((isShort ? BLOCK_BYTES : 2 * BLOCK_BYTES) - this.#restBytes);
    padding[0] = 0x80;
    const bits = new DataView(padding.buffer, padding.length - 8);
    bits.setUint32(0, Math.floor((byteLength * BITS_PER_BYTE) / WORD_RANGE));
    bits.setUint32(4, (byteLength * BITS_PER_BYTE) % WORD_RANGE);
    this.update(padding);
    const digest = new Uint8Array(START.length * 4);
    const view = new DataView(digest.buffer);
    for (const [i, word] of this.#state.entries()) view.setInt32(i * 4, word);
    return digest;
  }

  /** §6.2.2. `end - at`: a multiple of BLOCK_BYTES. */
  #addBlocks(bytes: Uint8Array, from: number, end: number): void {
    const words = this.#words;
    const state = this.#state;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = from; at < end; at += BLOCK_BYTES) {
      for (let i = 0; i < 16; i++) words[i] = view.getInt32(at + 4 * i);
      for (let i = 16; i < ROUNDS; i++) {
        const x = words[i - 15]!;
        const y = words[i - 2]!;
        const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
        const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
        words[i] = words[i - 16]! + s0 + words[i - 7]! + s1;
      }
      addBlock(state, words);
    }
  }
}

function addBlock(state: Int32Array, words: Int32Array): void {
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let i = 0; i < ROUNDS; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const one = (h + s1 + ((e & f) ^ (~e & g)) + CONSTANTS[i]! + words[i]!) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}

/** The first 32 bits after the point. */
function fractionBits(value: number): number {
  return ((value % 1) * WORD_RANGE) | 0;
}

function firstPrimes(count: number): number[] {
  const found: number[] = [];
  for (let number = 2; found.length < count; number++) {
    if (found.every((prime) => number % prime !== 0)) found.push(number);
  }
  return found;
}
