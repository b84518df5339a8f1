/** Faults that a synthetic camera can be configured with, for tests of the code that reads it. */

import { randomFillSync } from 'node:crypto';
import { INTERLEAVED_HEADER_BYTES } from '../rtp/frame-packets.ts';
import type { Clip } from './clip.ts';
import { PacketLoss, type PacketLossOptions } from './packet-loss.ts';

export interface CameraFaults {
  /** Loses every Nth RTP packet of a client. */
  readonly dropEveryNthPacket?: number;
  /** Loses RTP packets of a client at random, the same ones for the same seed. */
  readonly loss?: PacketLossOptions;
  /** Sends every Nth RTP packet late: with the next frame. */
  readonly delayEveryNthPacket?: number;
  /** Swaps neighboring packets within a frame. */
  readonly reorder?: boolean;
  /** Stops sending media this long after PLAY; the connection stays. */
  readonly stallAfterMs?: number;
  /** Sends audio but no video from this long after PLAY on. */
  readonly stopPicturesAfterMs?: number;
  /** Stamps every video frame with the same time from this long after PLAY on; audio continues as before. */
  readonly freezePicturesAfterMs?: number;
  /** Moves the RTP timestamps of all tracks, or of one kind, once, this long after PLAY. */
  readonly timestampJump?: {
    readonly afterMs: number;
    readonly byMs: number;
    readonly track?: 'video' | 'audio';
  };
  /** Continues with different SSRCs, sequence numbers and timestamps this long after PLAY. RFC 3550 §5.1. */
  readonly encoderRestartAfterMs?: number;
  /** Closes the connection this long after PLAY. */
  readonly closeAfterMs?: number;
  /** Continues with another clip, in band, at its first key frame this long after the camera's start. */
  readonly changeResolutionAfter?: { readonly afterMs: number; readonly clip: Clip };
  /** Times after PLAY between which the microphone sends nothing. */
  readonly muted?: readonly { readonly fromMs: number; readonly toMs: number }[];
  /** The same for the video: its encoder is halted. Its clock keeps running, unless `timestampJump` moves it back. */
  readonly blind?: readonly { readonly fromMs: number; readonly toMs: number }[];
  /** Starting this long after PLAY, the audio's sender reports differ this much from the video's. */
  readonly audioReportsOff?: { readonly afterMs: number; readonly byMs: number };
  /** The audio's entry in RTP-Info is from another session. */
  readonly staleRtpInfo?: boolean;
  /** `rtp`: random payloads now and then. `rtsp`: random bytes between the frames of the connection. */
  readonly garbage?: 'rtp' | 'rtsp';
}

const GARBAGE_EVERY_NTH_PACKET = 50;
const RTP_HEADER_END = INTERLEAVED_HEADER_BYTES + 12;
const RTSP_GARBAGE_BYTES = 64;

/** Whether the microphone sends nothing at this time after PLAY. */
export function isMuted(faults: CameraFaults, afterMs: number): boolean {
  return faults.muted?.some(({ fromMs, toMs }) => afterMs >= fromMs && afterMs < toMs) ?? false;
}

/** Whether the camera sends no video at this time after PLAY. */
export function isBlind(faults: CameraFaults, afterMs: number): boolean {
  return faults.blind?.some(({ fromMs, toMs }) => afterMs >= fromMs && afterMs < toMs) ?? false;
}

/** Applies the faults to one client's packets. */
export class PacketFaults {
  readonly #faults: CameraFaults;
  readonly #loss: PacketLoss | null;
  #delayed: Buffer[] = [];
  #packetCount = 0;

  constructor(faults: CameraFaults) {
    this.#faults = faults;
    this.#loss = faults.loss === undefined ? null : new PacketLoss(faults.loss);
  }

  /** True if any packets will be changed. */
  static concerns(faults: CameraFaults): boolean {
    const { dropEveryNthPacket, loss, delayEveryNthPacket, reorder, garbage } = faults;
    const given = [dropEveryNthPacket, loss, delayEveryNthPacket, reorder || undefined, garbage];
    return given.some((fault) => fault !== undefined);
  }

  /** Applies the faults to the interleaved packets of one frame; they may be written to. */
  apply(packets: readonly Buffer[]): Buffer[] {
    const { dropEveryNthPacket = 0, delayEveryNthPacket = 0, garbage } = this.#faults;
    const late = this.#takeDelayed(packets);
    const kept: Buffer[] = [];
    for (const packet of packets) {
      this.#packetCount += 1;
      if (dropEveryNthPacket > 0 && this.#packetCount % dropEveryNthPacket === 0) continue;
      if (this.#loss?.takesNext() === true) continue;
      if (delayEveryNthPacket > 0 && this.#packetCount % delayEveryNthPacket === 0) {
        this.#delayed.push(packet);
        continue;
      }
      const isTarget = this.#packetCount % GARBAGE_EVERY_NTH_PACKET === 0;
      if (garbage === 'rtp' && isTarget) randomFillSync(packet, RTP_HEADER_END);
      if (garbage === 'rtsp' && isTarget) kept.push(randomFillSync(Buffer.alloc(RTSP_GARBAGE_BYTES)));
      kept.push(packet);
    }
    if (this.#faults.reorder === true) swapNeighbours(kept);
    kept.push(...late);
    return kept;
  }

  /** The packets of the same track. */
  #takeDelayed(packets: readonly Buffer[]): Buffer[] {
    const [first] = packets;
    const late = this.#delayed.filter((packet) => first !== undefined && isSameTrack(packet, first));
    this.#delayed = this.#delayed.filter((packet) => !late.includes(packet));
    return late;
  }
}

/** Equal payload types. */
function isSameTrack(left: Buffer, right: Buffer): boolean {
  const at = INTERLEAVED_HEADER_BYTES + 1;
  return (left[at]! & 0x7f) === (right[at]! & 0x7f);
}

function swapNeighbours(packets: Buffer[]): void {
  for (let at = 0; at + 1 < packets.length; at += 2) {
    [packets[at], packets[at + 1]] = [packets[at + 1]!, packets[at]!];
  }
}
