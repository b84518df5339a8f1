/**
 * The head of an audio message: encoding, kind, and where the data begins. Adobe Flash Video File Format Specification
 * 10.1 §E.4.2; Enhanced RTMP v2 (Veovera), ExAudioTagHeader.
 */

import { fourCcAt } from './four-cc.ts';
import { type PacketHead, skipModifiers } from './packet-modifiers.ts';
import type { FlvTagKind } from './video-tag.ts';

export type FlvAudioCodec = 'aac' | 'pcma' | 'pcmu' | 'other';

const FORMAT_A_LAW = 7;
const FORMAT_MU_LAW = 8;
const FORMAT_ENHANCED = 9;
const FORMAT_AAC = 10;
const NAMES: Readonly<Record<number, string>> = {
  0: 'PCM',
  1: 'ADPCM',
  2: 'MP3',
  3: 'PCM',
  4: 'Nellymoser',
  5: 'Nellymoser',
  6: 'Nellymoser',
  11: 'Speex',
  14: 'MP3',
};
const SEQUENCE_START = 0;
const CODED_FRAMES = 1;
const MULTITRACK = 5;

/** One object per connection, overwritten by each `read`. */
export class AudioTag {
  codec: FlvAudioCodec = 'other';
  /** Its name, for reports. */
  encoding = '';
  kind: FlvTagKind = 'ignored';
  /** Set for G.711, whose messages have no configuration. */
  channelCount = 1;
  dataAt = 0;
  readonly #head: PacketHead = { packetType: 0, at: 0 };

  /** Hot: once per frame. `message` is borrowed until return. Never throws. */
  read(message: Uint8Array): void {
    this.kind = 'damaged';
    if (message.length === 0) return;
    const first = message[0]!;
    const format = first >> 4;
    if (format === FORMAT_ENHANCED) {
      this.#readEnhanced(message, first & 0x0f);
    } else if (format === FORMAT_AAC) {
      this.#name('aac');
      if (message.length < 2) return;
      this.dataAt = 2;
      this.#typed(message[1]!);
    } else {
      this.#name(format === FORMAT_A_LAW ? 'pcma' : format === FORMAT_MU_LAW ? 'pcmu' : 'other');
      if (this.codec === 'other') this.encoding = NAMES[format] ?? `FLV sound format ${format}`;
      this.channelCount = (first & 1) + 1;
      this.dataAt = 1;
      this.kind = 'frame';
    }
  }

  #readEnhanced(message: Uint8Array, packetType: number): void {
    const head = this.#head;
    skipModifiers(message, packetType, head);
    if (head.packetType === MULTITRACK) {
      this.#name('other');
      this.encoding = 'multitrack';
      this.kind = 'ignored';
      return;
    }
    if (head.packetType < 0 || head.at + 4 > message.length) return;
    const fourCc = fourCcAt(message, head.at);
    this.#name(fourCc === 'mp4a' ? 'aac' : 'other');
    if (this.codec === 'other') this.encoding = fourCc;
    this.dataAt = head.at + 4;
    this.#typed(head.packetType);
  }

  #typed(packetType: number): void {
    if (packetType === SEQUENCE_START) this.kind = 'configuration';
    else this.kind = packetType === CODED_FRAMES ? 'frame' : 'ignored';
  }

  #name(codec: FlvAudioCodec): void {
    this.codec = codec;
    this.encoding = codec;
  }
}
