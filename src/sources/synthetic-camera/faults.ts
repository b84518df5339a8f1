/** What a synthetic camera can be told to do wrong, for tests of whoever reads it. */

import { randomFillSync } from 'node:crypto';
import type { Clip } from './clip.ts';
import { INTERLEAVED_HEADER_BYTES } from './clip-packets.ts';

export interface CameraFaults {
  /** Loses every Nth RTP packet of a client. */
  readonly dropEveryNthPacket?: number;
  /** Swaps neighbouring packets within a frame. */
  readonly reorder?: boolean;
  /** Stops sending media that long after PLAY; the connection stays. */
  readonly stallAfterMs?: number;
  /** Closes the connection that long after PLAY. */
  readonly closeAfterMs?: number;
  /** Goes on with another clip, in band, at the first of its key pictures that long after the camera's start. */
  readonly changeResolutionAfter?: { readonly afterMs: number; readonly clip: Clip };
  /** Times after PLAY between which the microphone gives nothing. */
  readonly muted?: readonly { readonly fromMs: number; readonly toMs: number }[];
  /** From that long after PLAY on, the audio's sender reports are that far off the video's. */
  readonly audioReportsOff?: { readonly afterMs: number; readonly byMs: number };
  /** The audio's entry of RTP-Info is that of another session. */
  readonly staleRtpInfo?: boolean;
  /** `rtp`: random payloads now and then. `rtsp`: random bytes between the frames of the connection. */
  readonly garbage?: 'rtp' | 'rtsp';
}

const GARBAGE_EVERY_NTH_PACKET = 50;
const RTP_HEADER_END = INTERLEAVED_HEADER_BYTES + 12;
const RTSP_GARBAGE_BYTES = 64;

/** Whether the microphone gives nothing that long after PLAY. */
export function isMuted(faults: CameraFaults, afterMs: number): boolean {
  return faults.muted?.some(({ fromMs, toMs }) => afterMs >= fromMs && afterMs < toMs) ?? false;
}

/** The faults of one client's packets. */
export class PacketFaults {
  readonly #faults: CameraFaults;
  #packetCount = 0;

  constructor(faults: CameraFaults) {
    this.#faults = faults;
  }

  /** True when packets are to be touched at all. */
  static concerns(faults: CameraFaults): boolean {
    return faults.dropEveryNthPacket !== undefined || faults.reorder === true || faults.garbage !== undefined;
  }

  /** What becomes of the interleaved packets of one frame; they may be written to. */
  apply(packets: readonly Buffer[]): Buffer[] {
    const { dropEveryNthPacket = 0, garbage } = this.#faults;
    const kept: Buffer[] = [];
    for (const packet of packets) {
      this.#packetCount += 1;
      if (dropEveryNthPacket > 0 && this.#packetCount % dropEveryNthPacket === 0) continue;
      const isTarget = this.#packetCount % GARBAGE_EVERY_NTH_PACKET === 0;
      if (garbage === 'rtp' && isTarget) randomFillSync(packet, RTP_HEADER_END);
      if (garbage === 'rtsp' && isTarget) kept.push(randomFillSync(Buffer.alloc(RTSP_GARBAGE_BYTES)));
      kept.push(packet);
    }
    if (this.#faults.reorder === true) swapNeighbours(kept);
    return kept;
  }
}

function swapNeighbours(packets: Buffer[]): void {
  for (let at = 0; at + 1 < packets.length; at += 2) {
    [packets[at], packets[at + 1]] = [packets[at + 1]!, packets[at]!];
  }
}
