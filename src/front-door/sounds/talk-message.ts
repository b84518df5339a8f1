/**
 * What clients send who talk to a camera, and what they are told. Up, as clients of this API family send it: once `ctrl`, the length 8
 * (32 bits, big-endian) and eight bytes 0xff; then frames of 20 ms, 960 samples of 16 bits, little-endian, 48 kHz.
 */

const CONTROL = Buffer.concat([Buffer.from('ctrl'), Buffer.from([0, 0, 0, 8]), Buffer.alloc(8, 0xff)]);
export const TALK_FRAME_BYTES = 1_920;

/** Why nobody hears a client who talks. */
export type TalkRefusal =
  | 'not-authorized'
  | 'capability-unavailable'
  | 'device-unavailable'
  | 'busy'
  | 'silence'
  | 'not-recorded';

/** A text message, ours: families of clients skip actions that they do not know. */
export interface TalkNews {
  readonly state: 'talking' | 'ended' | 'refused';
  /** `talking`: the one who gets the message. */
  readonly isOwn?: boolean;
  /** `talking`: absent for viewers with a link. */
  readonly by?: string;
  readonly reason?: TalkRefusal;
}

export function isTalkControl(message: Uint8Array): boolean {
  return CONTROL.equals(message);
}

/** A view of a frame's samples, or a copy if they are not aligned; null: it is not a frame. */
export function talkSamples(message: Buffer): Int16Array | null {
  if (message.length !== TALK_FRAME_BYTES) return null;
  const bytes = message.byteOffset % 2 === 0 ? message : Buffer.from(message);
  return new Int16Array(bytes.buffer, bytes.byteOffset, TALK_FRAME_BYTES / 2);
}

export function talkMessage(news: TalkNews): string {
  return JSON.stringify({ action: 'talk', ...news });
}
