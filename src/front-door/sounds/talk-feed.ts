/** A socket for talking alone: nothing of the camera goes down, only news of talks. Muted pages learn from it who talks. */

import type { MessageCarrier, SocketFeed } from '../sockets/live-socket.ts';
import type { TalkEntry } from './sound-sender.ts';
import type { Talker } from './talk-desk.ts';

export class TalkFeed implements SocketFeed {
  readonly isQuiet = true;
  readonly #talk: TalkEntry;
  #talker: Talker | null = null;

  constructor(talk: TalkEntry) {
    this.#talk = talk;
  }

  attach(carrier: MessageCarrier): void {
    this.#talker = this.#talk.enter((text) => carrier.say(text));
  }

  detach(): void {
    this.#talker?.leave();
    this.#talker = null;
  }

  takeBytes(bytes: Buffer): boolean {
    return this.#talker?.take(bytes, this.#talk.nowMonoMs()) ?? true;
  }
}
