/** JPEG files as payloads of RFC 2435, for tests. */

/** The fields that a packetizer needs from a baseline JPEG with the Huffman tables of T.81 K.3. */
export interface ReadJpeg {
  readonly widthPx: number;
  readonly heightPx: number;
  /** RFC 2435 §4.1: 0 or 1; with restart markers, 64 or 65. */
  readonly type: number;
  readonly restartInterval: number;
  /** In coded order. */
  readonly quantizers: Buffer;
  /** Without EOI. */
  readonly scan: Buffer;
}

const TABLE_VALUES = 64;
const [DQT, SOF0, DRI, SOS] = [0xdb, 0xc0, 0xdd, 0xda];

export function readJpeg(jpeg: Buffer): ReadJpeg {
  const tables: Buffer[] = [];
  let [widthPx, heightPx, sampling, restartInterval] = [0, 0, 0, 0];
  for (let at = 2; ; ) {
    const marker = jpeg[at + 1]!;
    const end = at + 2 + jpeg.readUInt16BE(at + 2);
    if (marker === DQT) {
      for (let table = at + 4; table < end; table += 1 + TABLE_VALUES) {
        tables[jpeg[table]!] = jpeg.subarray(table + 1, table + 1 + TABLE_VALUES);
      }
    } else if (marker === SOF0) {
      [heightPx, widthPx, sampling] = [jpeg.readUInt16BE(at + 5), jpeg.readUInt16BE(at + 7), jpeg[at + 11]!];
    } else if (marker === DRI) restartInterval = jpeg.readUInt16BE(at + 4);
    else if (marker === SOS) {
      const type = (sampling === 0x22 ? 1 : 0) + (restartInterval > 0 ? 64 : 0);
      const quantizers = Buffer.concat([tables[0]!, tables[1] ?? tables[0]!]);
      return { widthPx, heightPx, type, restartInterval, quantizers, scan: jpeg.subarray(end, -2) };
    }
    at = end;
  }
}

export interface JpegPayloadOptions {
  readonly q: number;
  /** Blocks in each payload. */
  readonly scanBytes?: number;
  /** In band; default: for q from 128, those of the JPEG. */
  readonly tables?: Buffer;
  readonly typeSpecific?: number;
  /** In units of eight pixels; default: those of the JPEG. */
  readonly sizeInBlocks?: readonly [width: number, height: number];
}

/** The payloads of one picture; the last one's packet has the marker. */
export function jpegPayloads(jpeg: ReadJpeg, options: JpegPayloadOptions): Buffer[] {
  const { q, scanBytes = 200, typeSpecific = 0 } = options;
  const { widthPx, heightPx, type, restartInterval, scan } = jpeg;
  const [width, height] = options.sizeInBlocks ?? [Math.ceil(widthPx / 8), Math.ceil(heightPx / 8)];
  const tables = options.tables ?? jpeg.quantizers;
  const tableHeader = Buffer.from([0, 0, tables.length >> 8, tables.length & 0xff]);
  const payloads: Buffer[] = [];
  for (let offset = 0; offset < scan.length; offset += scanBytes) {
    const main = Buffer.from([typeSpecific, offset >> 16, offset >> 8, offset, type, q, width, height]);
    // F, L and the greatest count: the whole picture (§3.1.7).
    const restart = Buffer.from([restartInterval >> 8, restartInterval, 0xff, 0xff]);
    const head: Buffer[] = type >= 64 ? [main, restart] : [main];
    if (q >= 128 && offset === 0) head.push(tableHeader, tables);
    payloads.push(Buffer.concat([...head, scan.subarray(offset, offset + scanBytes)]));
  }
  return payloads;
}
