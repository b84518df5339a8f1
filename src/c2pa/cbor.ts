/**
 * CBOR (RFC 8949) as manifests need it: integers, bytes, text, arrays, maps, tags, `true`, `false`, and `null`, all of definite
 * length. Equal values have equal bytes: lengths are the shortest ones, and maps keep the order of their entries. The viewer
 * page loads this file as it is, so it is not a library.
 */

export type CborValue =
  | number
  | string
  | boolean
  | null
  | Uint8Array
  | readonly CborValue[]
  | CborMap
  | CborTag;
export type CborMap = ReadonlyMap<number | string, CborValue>;

export class CborTag {
  readonly tag: number;
  readonly value: CborValue;

  constructor(tag: number, value: CborValue) {
    this.tag = tag;
    this.value = value;
  }
}

const MAX_NESTING = 16;
const MAJOR = { unsigned: 0, negative: 1, bytes: 2, text: 3, array: 4, map: 5, tag: 6, simple: 7 } as const;
const SIMPLE = { false: 20, true: 21, null: 22 } as const;
/** How many bytes hold the argument behind a head with this additional information. */
const ARGUMENT_BYTES: Readonly<Record<number, number>> = { 24: 1, 25: 2, 26: 4, 27: 8 };

export function cborOf(value: CborValue): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = [];
  append(value, pieces);
  return joined(pieces);
}

/** Throws a RangeError unless `bytes` are exactly one value. */
export function cborValue(bytes: Uint8Array): CborValue {
  const reader = new CborReader(bytes);
  const value = reader.next(0);
  if (reader.position !== bytes.length) throw new RangeError('more than one value');
  return value;
}

export function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

function append(value: CborValue, pieces: Uint8Array[]): void {
  if (typeof value === 'number') {
    pieces.push(value < 0 ? head(MAJOR.negative, -1 - value) : head(MAJOR.unsigned, value));
  } else if (typeof value === 'string') {
    const text = new TextEncoder().encode(value);
    pieces.push(head(MAJOR.text, text.length), text);
  } else if (value === null) pieces.push(head(MAJOR.simple, SIMPLE.null));
  else if (typeof value === 'boolean') pieces.push(head(MAJOR.simple, value ? SIMPLE.true : SIMPLE.false));
  else if (value instanceof Uint8Array) pieces.push(head(MAJOR.bytes, value.length), value);
  else if (value instanceof CborTag) {
    pieces.push(head(MAJOR.tag, value.tag));
    append(value.value, pieces);
  } else if (value instanceof Map) {
    pieces.push(head(MAJOR.map, value.size));
    for (const [key, entry] of value as CborMap) {
      append(key, pieces);
      append(entry, pieces);
    }
  } else {
    const items = value as readonly CborValue[];
    pieces.push(head(MAJOR.array, items.length));
    for (const item of items) append(item, pieces);
  }
}

/** `argument`: a non-negative safe integer. */
function head(major: number, argument: number): Uint8Array {
  if (!Number.isSafeInteger(argument)) throw new RangeError('not a safe integer');
  if (argument < 24) return Uint8Array.of((major << 5) | argument);
  const info = argument < 0x100 ? 24 : argument < 0x10000 ? 25 : argument < 2 ** 32 ? 26 : 27;
  const bytes = new Uint8Array(1 + ARGUMENT_BYTES[info]!);
  bytes[0] = (major << 5) | info;
  for (let at = bytes.length - 1, rest = argument; at > 0; at--, rest = Math.floor(rest / 256)) {
    bytes[at] = rest % 256;
  }
  return bytes;
}

class CborReader {
  position = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  next(nesting: number): CborValue {
    if (nesting > MAX_NESTING) throw new RangeError('nested too deeply');
    const first = this.#take(1)[0]!;
    const [major, info] = [first >> 5, first & 0x1f];
    if (major === MAJOR.simple) return simpleOf(info);
    const argument = this.#argument(info);
    if (major === MAJOR.unsigned) return argument;
    if (major === MAJOR.negative) return -1 - argument;
    if (major === MAJOR.bytes) return this.#take(argument).slice();
    if (major === MAJOR.text) return new TextDecoder('utf-8', { fatal: true }).decode(this.#take(argument));
    if (major === MAJOR.tag) return new CborTag(argument, this.next(nesting + 1));
    return major === MAJOR.array ? this.#array(argument, nesting) : this.#map(argument, nesting);
  }

  #array(count: number, nesting: number): CborValue[] {
    const items: CborValue[] = [];
    for (let at = 0; at < count; at++) items.push(this.next(nesting + 1));
    return items;
  }

  #map(count: number, nesting: number): CborMap {
    const map = new Map<number | string, CborValue>();
    for (let at = 0; at < count; at++) {
      const key = this.next(nesting + 1);
      if ((typeof key !== 'number' && typeof key !== 'string') || map.has(key))
        throw new RangeError('a bad key');
      map.set(key, this.next(nesting + 1));
    }
    return map;
  }

  #argument(info: number): number {
    if (info < 24) return info;
    const count = ARGUMENT_BYTES[info];
    if (count === undefined) throw new RangeError('an indefinite or reserved length');
    const argument = this.#take(count).reduce((sum, byte) => sum * 256 + byte, 0);
    if (!Number.isSafeInteger(argument)) throw new RangeError('not a safe integer');
    return argument;
  }

  #take(count: number): Uint8Array {
    const end = this.position + count;
    if (end > this.#bytes.length) throw new RangeError('cut off');
    const taken = this.#bytes.subarray(this.position, end);
    this.position = end;
    return taken;
  }
}

function simpleOf(info: number): boolean | null {
  if (info === SIMPLE.null) return null;
  if (info === SIMPLE.true || info === SIMPLE.false) return info === SIMPLE.true;
  throw new RangeError('an unknown simple value');
}
