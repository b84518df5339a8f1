/** Which track an interleaved channel belongs to (RFC 2326 §10.12). Looked up once per packet. */

import type { RtpRtcpPair } from './transport.ts';

const CHANNELS = 256;
const UNASSIGNED = -1;

/** Entries are `trackIndex * 2`, plus 1 on the RTCP channel. */
export class InterleavedChannels {
  readonly #entries = new Int16Array(CHANNELS).fill(UNASSIGNED);
  readonly #rtcpChannels: number[] = [];

  /** Returns false and changes nothing if one of the channels is taken. */
  assign(trackIndex: number, channels: RtpRtcpPair): boolean {
    const isTaken = this.#entries[channels.rtp] !== UNASSIGNED || this.#entries[channels.rtcp] !== UNASSIGNED;
    if (isTaken) return false;
    this.#entries[channels.rtp] = trackIndex * 2;
    this.#entries[channels.rtcp] = trackIndex * 2 + 1;
    this.#rtcpChannels[trackIndex] = channels.rtcp;
    return true;
  }

  /** The entry of a channel; negative if no track has it. */
  entry(channel: number): number {
    return this.#entries[channel] ?? UNASSIGNED;
  }

  /** The channel for a track's outgoing RTCP; null if it has no channels. */
  rtcpChannel(trackIndex: number): number | null {
    return this.#rtcpChannels[trackIndex] ?? null;
  }
}
