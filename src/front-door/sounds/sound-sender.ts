/** The sound of a camera as messages for one listener: packets, and the time at which they begin wherever clients would not know it. */

import type { GatewayError } from '../../core/errors.ts';
import type { LiveSound, LiveSounds, SoundReader } from '../../stream/media/live-media.ts';
import type { MessageCarrier, SocketFeed } from '../sockets/live-socket.ts';
import {
  RECONNECT_MESSAGE,
  SOUND_PACKET_MS,
  type SoundMessages,
  writeEpochMessage,
} from './sound-message.ts';

/** Half of what is heard as an echo of the picture's own sound, at most. */
const MAX_OFF_MS = 5;

export class SoundSender implements SocketFeed, SoundReader {
  readonly reconnect = RECONNECT_MESSAGE;
  readonly #sounds: LiveSounds;
  readonly #messages: SoundMessages;
  #carrier: MessageCarrier | null = null;
  /** When the next packet begins, as clients count; NaN: they do not know. */
  #nextEpochMs = Number.NaN;

  constructor(sounds: LiveSounds, messages: SoundMessages) {
    this.#sounds = sounds;
    this.#messages = messages;
  }

  attach(carrier: MessageCarrier): void {
    this.#carrier = carrier;
    this.#sounds.attach(this);
  }

  detach(): void {
    this.#sounds.detach(this);
  }

  /** Hot: once per packet and listener. */
  onSound(sound: LiveSound): void {
    const carrier = this.#carrier;
    if (carrier === null) return;
    const isCounted = Math.abs(sound.epochMs - this.#nextEpochMs) <= MAX_OFF_MS;
    if (!isCounted) {
      const epochMs = Math.round(sound.epochMs);
      if (!carrier.carry(writeEpochMessage(epochMs), true)) return;
      this.#nextEpochMs = epochMs;
    }
    this.#nextEpochMs += carrier.carry(this.#messages.of(sound), true) ? SOUND_PACKET_MS : Number.NaN;
  }

  onGone(error: GatewayError): void {
    this.#carrier?.onGone(error);
  }
}
