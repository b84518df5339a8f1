/**
 * The RTP header extension of replayed video, which says when each frame was recorded. ONVIF Streaming §6.3; the general form is that of
 * RFC 3550 §5.3.1.
 */

import { writeUint32 } from './rtp-packet.ts';

export const REPLAY_EXTENSION_BYTES = 16;
const PROFILE = 0xabac;
/** 32-bit words behind the profile and this length. */
const WORDS = 3;
const CLEAN_POINT = 0x80;
const DISCONTINUITY = 0x20;
/** Seconds from 1900, the epoch of NTP, to 1970. */
const NTP_TO_EPOCH_SEC = 2_208_988_800;

export interface ReplayedFrame {
  /** When it was recorded. */
  readonly epochMs: number;
  /** Decoding can begin at it. */
  readonly isKey: boolean;
  /** Something before it is missing. */
  readonly isAfterGap: boolean;
  /** Of the request that it belongs to. */
  readonly cseq: number;
}

export function writeReplayExtension({ epochMs, isKey, isAfterGap, cseq }: ReplayedFrame): Uint8Array {
  const bytes = new Uint8Array(REPLAY_EXTENSION_BYTES);
  bytes[0] = PROFILE >> 8;
  bytes[1] = PROFILE & 0xff;
  bytes[3] = WORDS;
  const sec = Math.floor(epochMs / 1_000);
  writeUint32(bytes, 4, sec + NTP_TO_EPOCH_SEC);
  writeUint32(bytes, 8, Math.floor((epochMs / 1_000 - sec) * 2 ** 32));
  bytes[12] = (isKey ? CLEAN_POINT : 0) | (isAfterGap ? DISCONTINUITY : 0);
  bytes[13] = cseq & 0xff;
  return bytes;
}
