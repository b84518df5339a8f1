/**
 * Opus packets as an Ogg stream, one packet per page, so that a reader gets each packet immediately. RFC 3533, RFC
 * 7845.
 */

import { OPUS_SAMPLE_RATE_HZ, opusSamples } from '../../codec/opus/opus-packet.ts';

const HEADER_BYTES = 27;
const LACING = 255;
/** A page has 255 lacing values; the last of a packet is below 255. */
const MAX_PACKET_BYTES = LACING * LACING - 1;
const FIRST_PAGE = 0x02;
const SERIAL_NUMBER = 1;
/** RFC 3533 §6: no reflection, starts at 0. */
const CRC_POLYNOMIAL = 0x04c1_1db7;
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc < 0 ? CRC_POLYNOMIAL : 0);
  return crc >>> 0;
});

/** The stream of one worker; see SoundStream. */
export class OggOpusWriter {
  readonly #channelCount: number;
  #pages = 0;
  #samples = 0;

  constructor(channelCount: number) {
    this.#channelCount = channelCount;
  }

  /** The first packet follows the headers. A packet too large for a page is left out. */
  write(chunk: Uint8Array, start: number, end: number): Buffer {
    if (end - start > MAX_PACKET_BYTES) return Buffer.alloc(0);
    const headers = this.#pages === 0 ? [this.#page(this.#head(), FIRST_PAGE), this.#page(tags(), 0)] : [];
    this.#samples += opusSamples(chunk, start, end);
    return Buffer.concat([...headers, this.#page(chunk.subarray(start, end), 0)]);
  }

  /** RFC 7845 §5.1: no pre-skip, so that every input sample comes out. */
  #head(): Buffer {
    const head = Buffer.alloc(19);
    head.write('OpusHead', 0, 'latin1');
    head[8] = 1; // version
    head[9] = this.#channelCount;
    head.writeUInt32LE(OPUS_SAMPLE_RATE_HZ, 12);
    return head;
  }

  #page(packet: Uint8Array, type: number): Buffer {
    const segments = Math.floor(packet.length / LACING) + 1;
    const page = Buffer.alloc(HEADER_BYTES + segments + packet.length);
    page.write('OggS', 0, 'latin1');
    page[5] = type;
    page.writeBigUInt64LE(BigInt(this.#samples), 6); // granule position
    page.writeUInt32LE(SERIAL_NUMBER, 14);
    page.writeUInt32LE(this.#pages++ >>> 0, 18);
    page[26] = segments;
    page.fill(LACING, HEADER_BYTES, HEADER_BYTES + segments - 1);
    page[HEADER_BYTES + segments - 1] = packet.length % LACING;
    page.set(packet, HEADER_BYTES + segments);
    page.writeUInt32LE(checksum(page), 22);
    return page;
  }
}

/** RFC 7845 §5.2 */
function tags(): Buffer {
  const bytes = Buffer.alloc(8 + 4 + 4);
  bytes.write('OpusTags', 0, 'latin1');
  return bytes;
}

function checksum(page: Buffer): number {
  let crc = 0;
  for (const byte of page) crc = ((crc << 8) ^ CRC_TABLE[((crc >>> 24) ^ byte) & 0xff]!) >>> 0;
  return crc;
}
