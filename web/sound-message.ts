/** Reads a message of the gateway's WebSocket with sound: one record (docs/guide/real-time-view.md#sound). */

const TYPE_IGNORED = 0;
const TYPE_EPOCH = 1;
const HEADER_BYTES = 4;
const EPOCH_BYTES = 8;

/** What each packet counts on by. */
export const PACKET_MS = 20;

export type SoundRecord =
  | { readonly kind: 'epoch'; readonly epochMs: number }
  /** `packet` is a view into the message. */
  | { readonly kind: 'packet'; readonly packet: Uint8Array<ArrayBuffer> };

/** Whether someone talks to people at the camera; null: the text says nothing about it. */
export function readTalkMessage(text: string): boolean | null {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof message !== 'object' || message === null) return null;
  const { action, state } = message as Readonly<Record<string, unknown>>;
  if (action !== 'talk' || (state !== 'talking' && state !== 'ended')) return null;
  return state === 'talking';
}

/** null for anything else. */
export function readSoundMessage(message: ArrayBuffer): SoundRecord | null {
  const view = new DataView(message);
  if (view.byteLength < HEADER_BYTES) return null;
  const type = view.getUint8(0);
  const lengthBytes = view.getUint32(0) & 0xff_ff_ff;
  if (type === TYPE_IGNORED || HEADER_BYTES + lengthBytes !== view.byteLength) return null;
  if (type !== TYPE_EPOCH) return { kind: 'packet', packet: new Uint8Array(message, HEADER_BYTES) };
  if (lengthBytes !== EPOCH_BYTES) return null;
  return { kind: 'epoch', epochMs: Number(view.getBigUint64(HEADER_BYTES)) };
}
