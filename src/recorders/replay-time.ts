/**
 * The wall time of a recorder's frames, as the recorder's clock shows it. ONVIF recorders send it with each frame in an RTP header
 * extension (ONVIF Streaming §6.3). Others name the first time in their response to PLAY, or nothing at all: then the RTP timestamps
 * count from the requested time.
 */

import { RtpPacket, readUint32 } from '../rtp/rtp-packet.ts';
import { distance32 } from '../rtp/serial-number.ts';
import { shownTimeMs } from './recorder-times.ts';

/** 0xABAD: some recorders write it in place of 0xABAC. */
const ONVIF_EXTENSIONS: ReadonlySet<number> = new Set([0xabac, 0xabad]);
const EXTENSION_HEADER_BYTES = 4;
/** From 1900 to 1970. */
const NTP_TO_UNIX_SEC = 2_208_988_800;
const NTP_FRACTIONS = 2 ** 32;
/** A larger step is another clock, not a pause in what was recorded. */
const MAX_STEP_MS = 600_000;
const MAX_BACK_MS = 2_000;

export class ReplayTime {
  readonly #rateHz: number;
  readonly #packet = new RtpPacket();
  #startMs: number;
  #lastRtp: number | null = null;
  #lastMs = 0;
  #isExact = false;

  /** `startMs`: the requested time, by the recorder's clock. */
  constructor(rateHz: number, startMs: number) {
    this.#rateHz = rateHz;
    this.#startMs = startMs;
  }

  /** Whether the recorder says when its frames were recorded. */
  get isExact(): boolean {
    return this.#isExact;
  }

  /** The `Range` of the response to PLAY; ignored once frames have arrived. */
  played(range: string | null): void {
    const start = /clock\s*=\s*([^-\s]+)/i.exec(range ?? '')?.[1];
    const shownMs = start === undefined ? null : shownTimeMs(start);
    if (shownMs === null || this.#lastRtp !== null) return;
    this.#startMs = shownMs;
    this.#isExact = true;
  }

  /** The time of a packet of the video, borrowed, in epoch milliseconds of the recorder's clock; null: it is not an RTP packet. */
  of(chunk: Uint8Array, start: number, end: number): number | null {
    const packet = this.#packet;
    if (!packet.read(chunk, start, end)) return null;
    if (packet.rtpTimestamp === this.#lastRtp) return this.#lastMs;
    const sentMs = sentTimeMs(chunk, packet);
    if (sentMs !== null) this.#isExact = true;
    this.#lastMs = sentMs ?? this.#countedMs(packet.rtpTimestamp);
    this.#lastRtp = packet.rtpTimestamp;
    return this.#lastMs;
  }

  #countedMs(rtpTimestamp: number): number {
    if (this.#lastRtp === null) return this.#startMs;
    const stepMs = (distance32(this.#lastRtp, rtpTimestamp) * 1_000) / this.#rateHz;
    return stepMs < -MAX_BACK_MS || stepMs > MAX_STEP_MS ? this.#lastMs : this.#lastMs + stepMs;
  }
}

function sentTimeMs(chunk: Uint8Array, { extensionStart, payloadStart }: RtpPacket): number | null {
  if (extensionStart < 0 || payloadStart - extensionStart < EXTENSION_HEADER_BYTES + 8) return null;
  const profile = (chunk[extensionStart]! << 8) | chunk[extensionStart + 1]!;
  if (!ONVIF_EXTENSIONS.has(profile)) return null;
  const seconds = readUint32(chunk, extensionStart + EXTENSION_HEADER_BYTES);
  const fraction = readUint32(chunk, extensionStart + EXTENSION_HEADER_BYTES + 4);
  if (seconds === 0) return null;
  return (seconds - NTP_TO_UNIX_SEC) * 1_000 + (fraction * 1_000) / NTP_FRACTIONS;
}
