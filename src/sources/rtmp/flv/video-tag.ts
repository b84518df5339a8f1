/**
 * The head of a video message: codec, kind, composition time, and where the data begins. Adobe Flash Video File Format
 * Specification 10.1 §E.4.3; Enhanced RTMP v1 and v2 (Veovera), ExVideoTagHeader; and codec number 12 for HEVC, which
 * video recorders send although no standard assigns it.
 */

import { fourCcAt } from './four-cc.ts';
import { type PacketHead, skipModifiers } from './packet-modifiers.ts';

export type FlvVideoCodec = 'h264' | 'h265' | 'other';

/** `damaged`: too short for what it says it is. `ignored`: nothing to play, such as metadata or the end of a sequence. */
export type FlvTagKind = 'configuration' | 'frame' | 'ignored' | 'damaged';

const IS_ENHANCED = 0x80;
/** Frame type 5: a command to the player, without media. */
const COMMAND_FRAME = 5;
const CODEC_AVC = 7;
const CODEC_HEVC_UNOFFICIAL = 12;
const LEGACY_NAMES: Readonly<Record<number, string>> = {
  2: 'Sorenson H.263',
  3: 'Screen video',
  4: 'VP6',
  5: 'VP6 with alpha',
  6: 'Screen video 2',
  13: 'AV1',
};

const SEQUENCE_START = 0;
const CODED_FRAMES = 1;
const CODED_FRAMES_X = 3;
const MULTITRACK = 6;
/** VIDEODATA and AVCVIDEOPACKET. */
const AVC_HEADER_BYTES = 5;

/** One object per connection, overwritten by each `read`. */
export class VideoTag {
  codec: FlvVideoCodec = 'other';
  /** Its name, for reports. */
  encoding = '';
  kind: FlvTagKind = 'ignored';
  /** Presentation time minus decoding time; 24 bits, signed. */
  compositionMs = 0;
  /** The first byte of the configuration record or of the NAL units. */
  dataAt = 0;
  readonly #head: PacketHead = { packetType: 0, at: 0 };

  /** Hot: once per frame. `message` is borrowed until return. Never throws. */
  read(message: Uint8Array): void {
    this.compositionMs = 0;
    this.kind = 'damaged';
    if (message.length === 0) return;
    const first = message[0]!;
    const frameType = (first >> 4) & 7;
    if ((first & IS_ENHANCED) !== 0) this.#readEnhanced(message, first & 0x0f);
    else this.#readLegacy(message, first & 0x0f);
    if (frameType === COMMAND_FRAME && this.kind !== 'damaged') this.kind = 'ignored';
  }

  #readLegacy(message: Uint8Array, codecId: number): void {
    if (codecId !== CODEC_AVC && codecId !== CODEC_HEVC_UNOFFICIAL) {
      this.codec = 'other';
      this.encoding = LEGACY_NAMES[codecId] ?? `FLV video codec ${codecId}`;
      this.kind = 'frame';
      return;
    }
    this.#name(codecId === CODEC_AVC ? 'avc1' : 'hvc1');
    if (message.length < AVC_HEADER_BYTES) return;
    this.dataAt = AVC_HEADER_BYTES;
    this.#typed(message[1]!, CODED_FRAMES);
    if (this.kind === 'frame') this.compositionMs = readSigned24(message, 2);
  }

  #readEnhanced(message: Uint8Array, packetType: number): void {
    const head = this.#head;
    skipModifiers(message, packetType, head);
    if (head.packetType === MULTITRACK) {
      this.codec = 'other';
      this.encoding = 'multitrack';
      this.kind = 'ignored';
      return;
    }
    if (head.packetType < 0 || head.at + 4 > message.length) return;
    this.#name(fourCcAt(message, head.at));
    this.dataAt = head.at + 4;
    const hasComposition = head.packetType === CODED_FRAMES && this.codec !== 'other';
    if (hasComposition && this.dataAt + 3 > message.length) return;
    this.#typed(head.packetType, hasComposition ? CODED_FRAMES : CODED_FRAMES_X);
    if (head.packetType === CODED_FRAMES && !hasComposition) this.kind = 'frame';
    if (!hasComposition) return;
    this.compositionMs = readSigned24(message, this.dataAt);
    this.dataAt += 3;
  }

  #typed(packetType: number, frames: number): void {
    if (packetType === SEQUENCE_START) this.kind = 'configuration';
    else this.kind = packetType === frames ? 'frame' : 'ignored';
  }

  #name(fourCc: string): void {
    this.codec = fourCc === 'avc1' ? 'h264' : fourCc === 'hvc1' ? 'h265' : 'other';
    this.encoding = this.codec === 'other' ? fourCc : this.codec;
  }
}

/** SI24, big-endian. */
function readSigned24(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8)) >> 8;
}
