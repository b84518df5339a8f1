/** The sound of a camera as messages for one listener: packets, and the time at which they begin wherever clients would not know it. */

import type { GatewayError } from '../../core/errors.ts';
import type { LiveSound, LiveSounds, SoundReader } from '../../stream/media/live-media.ts';
import type { MessageCarrier, SocketFeed } from '../sockets/live-socket.ts';
import {
  farMessage,
  RECONNECT_MESSAGE,
  SOUND_PACKET_MS,
  type SoundMessages,
  writeEpochMessage,
} from './sound-message.ts';
import type { Talker } from './talk-desk.ts';

/** Half of what is heard as an echo of the picture's own sound, at most. */
const MAX_OFF_MS = 5;

/** How a listener talks. Text messages report the talk's state. */
export interface TalkEntry {
  enter(say: (text: string) => void): Talker;
  nowMonoMs(): number;
}

export class SoundSender implements SocketFeed, SoundReader {
  readonly reconnect = RECONNECT_MESSAGE;
  readonly #sounds: LiveSounds;
  readonly #messages: SoundMessages;
  readonly #talk: TalkEntry;
  #talker: Talker | null = null;
  #carrier: MessageCarrier | null = null;
  /** When the next packet begins, as clients count; NaN: they do not know. */
  #nextEpochMs = Number.NaN;

  constructor(sounds: LiveSounds, messages: SoundMessages, talk: TalkEntry) {
    this.#sounds = sounds;
    this.#messages = messages;
    this.#talk = talk;
  }

  attach(carrier: MessageCarrier): void {
    this.#carrier = carrier;
    this.#talker = this.#talk.enter((text) => carrier.say(text));
    this.#sounds.attach(this);
  }

  detach(): void {
    this.#sounds.detach(this);
    this.#talker?.leave();
    this.#talker = null;
  }

  takeBytes(bytes: Buffer): boolean {
    return this.#talker?.take(bytes, this.#talk.nowMonoMs()) ?? true;
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
    const message = this.#messages.of(sound);
    const heard = this.#talker?.isTalking === true ? farMessage(message) : message;
    this.#nextEpochMs += carrier.carry(heard, true) ? SOUND_PACKET_MS : Number.NaN;
  }

  onGone(error: GatewayError): void {
    this.#carrier?.onGone(error);
  }
}
