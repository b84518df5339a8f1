/**
 * A synthetic camera's peculiarities: its wording, its responses, and how it packetizes frames. For tests and
 * benchmarks.
 */

import type { RtspRequest } from '../rtsp/message.ts';

/** Habits for one connection; may keep state. */
export interface ConnectionHabits {
  /** Replaces `answer` as the response to a request; null: nothing is sent. */
  readonly respond?: (request: RtspRequest, response: Buffer) => Buffer | null;
  /**
   * Changes the interleaved packets of each frame; they may be written to. Any bytes over TCP, whole packets over UDP.
   */
  readonly packets?: (packets: Buffer[]) => Buffer[];
}

export interface CameraHabits {
  /** Replaces the camera's own session description. */
  readonly describe?: (sdp: string) => string;
  /** RTP payloads of a frame, instead of STAP-A and FU-A of up to 1,400 bytes. */
  readonly packetize?: (nalus: readonly Uint8Array[]) => readonly Uint8Array[];
  /** Media begins with the next frame, whether or not it is a key frame. */
  readonly startsAtOnce?: boolean;
  /** Called once for each connection; `index` counts them from 0. */
  readonly connection?: (index: number) => ConnectionHabits;
}
