/** What a synthetic camera does its own way: its words, its answers, and how it packs pictures. For tests and benchmarks. */

import type { RtspRequest } from '../../rtsp/message.ts';

/** Of one connection; may keep state. */
export interface ConnectionHabits {
  /** What goes onto the wire for a request in place of `answer`; null: nothing. */
  readonly answer?: (request: RtspRequest, answer: Buffer) => Buffer | null;
  /** What becomes of the interleaved packets of each frame; they may be written to. Any bytes over TCP, whole packets over UDP. */
  readonly packets?: (packets: Buffer[]) => Buffer[];
}

export interface CameraHabits {
  /** The session description in place of the camera's own. */
  readonly describe?: (sdp: string) => string;
  /** RTP payloads of a picture in place of STAP-A and FU-A of up to 1,400 bytes. */
  readonly packetize?: (nalus: readonly Uint8Array[]) => readonly Uint8Array[];
  /** Media begins with the next picture, whether or not it is a key picture. */
  readonly startsAtOnce?: boolean;
  /** Called once for each connection; `index` counts them from 0. */
  readonly connection?: (index: number) => ConnectionHabits;
}
