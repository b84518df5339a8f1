/** RTMP as bytes: chunks and AMF 0 (Adobe RTMP Specification 1.0 §5.3, AMF 0 Specification). */

const CHUNK_BYTES = 4_096;

export type AmfValue = string | number | null | Readonly<Record<string, string>>;

/** §5.3.1: a header of type 0, and continuations of type 3, with or without the extended timestamp. */
export function chunksOf(
  chunkStream: number,
  type: number,
  timestamp: number,
  payload: Buffer,
  chunkBytes = CHUNK_BYTES,
  isRepeated = true,
): Buffer {
  const isExtended = timestamp >= 0xffffff;
  const extended = isExtended ? uint32(timestamp) : Buffer.alloc(0);
  const header = Buffer.alloc(12);
  header[0] = chunkStream;
  header.writeUIntBE(isExtended ? 0xffffff : timestamp, 1, 3);
  header.writeUIntBE(payload.length, 4, 3);
  header[7] = type;
  header.writeUInt32LE(1, 8);
  const repeated = isRepeated ? extended : Buffer.alloc(0);
  const pieces: Buffer[] = [header, extended];
  for (let at = 0; at < payload.length; at += chunkBytes) {
    if (at > 0) pieces.push(Buffer.of(0xc0 | chunkStream), repeated);
    pieces.push(payload.subarray(at, at + chunkBytes));
  }
  return Buffer.concat(pieces);
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** AMF 0: numbers, strings, null and objects of strings. */
export function amf0(value: AmfValue): Buffer {
  if (value === null) return Buffer.of(5);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(9);
    bytes.writeDoubleBE(value, 1);
    return bytes;
  }
  if (typeof value === 'string') return Buffer.concat([Buffer.of(2), amfText(value)]);
  const fields = Object.entries(value).flatMap(([name, text]) => [amfText(name), amf0(text)]);
  return Buffer.concat([Buffer.of(3), ...fields, Buffer.of(0, 0, 9)]);
}

function amfText(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
