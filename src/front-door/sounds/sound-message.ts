/**
 * Sound as WebSocket messages: records with 1 byte of type and 3 bytes of length, big-endian, one in each message.
 *
 *     01 000008 <epoch milliseconds, 8 bytes>   when the next packet begins; each one after it begins 20 ms later
 *     02 <length> <Opus packet>                 48 kHz, mono
 *     82 <length> <Opus packet>                 the same while its receiver talks, who would hear an echo
 */

import type { LiveSound } from '../../stream/media/live-media.ts';

export const SOUND_EPOCH = 1;
export const SOUND_PACKET = 2;
const FAR_BIT = 0x80;
/** What clients count on by, whatever a packet says of itself. */
export const SOUND_PACKET_MS = 20;
/** Makes clients ask for the addresses of the media again, and connect again. */
export const RECONNECT_MESSAGE = JSON.stringify({ action: 'reconnect' });
const HEADER_BYTES = 4;
const LENGTH_BITS = 24;
const EPOCH_BYTES = 8;

export function writeEpochMessage(epochMs: number): Buffer {
  const message = Buffer.alloc(HEADER_BYTES + EPOCH_BYTES);
  message.writeUInt32BE(SOUND_EPOCH * 2 ** LENGTH_BITS + EPOCH_BYTES, 0);
  message.writeBigUInt64BE(BigInt(epochMs), HEADER_BYTES);
  return message;
}

export function writePacketMessage({ packet }: LiveSound): Buffer {
  const message = Buffer.allocUnsafeSlow(HEADER_BYTES + packet.length);
  message.writeUInt32BE(SOUND_PACKET * 2 ** LENGTH_BITS + packet.length, 0);
  message.set(packet, HEADER_BYTES);
  return message;
}

/** A copy of a packet's message, for someone who talks. */
export function farMessage(message: Buffer): Buffer {
  const far = Buffer.from(message);
  far[0]! |= FAR_BIT;
  return far;
}

/** Each packet's message, made when the first listener gets it. */
export class SoundMessages {
  readonly #messages = new WeakMap<LiveSound, Buffer>();

  /** Borrowed forever: it must not be changed. Hot: once per packet and listener. */
  of(sound: LiveSound): Buffer {
    let message = this.#messages.get(sound);
    if (message === undefined) {
      message = writePacketMessage(sound);
      this.#messages.set(sound, message);
    }
    return message;
  }
}
