/** The movie thread in the test's own thread. */

import type { MediaStorage } from '../recording/media-storage.ts';
import type { ThreadEvents } from '../threads/spawn-thread.ts';
import type { LaunchMovieThread } from './movie-maker.ts';
import type { MovieMessage, MovieNotice } from './movie-protocol.ts';
import { MovieSide } from './movie-side.ts';

export class FakeMovieThread {
  readonly messages: MovieMessage[] = [];
  /** Messages are kept and not done. */
  isHanging = false;
  /** Sees each message first. */
  onMessage: (message: MovieMessage) => void = () => undefined;
  launches = 0;
  /** Messages that were answered with an error. */
  failures = 0;
  readonly #storage: MediaStorage;
  readonly #minFreeBytes: number;
  #events: ThreadEvents<MovieNotice> | null = null;

  /** `minFreeBytes`: room that copies leave. */
  constructor(storage: MediaStorage, minFreeBytes = 0) {
    this.#storage = storage;
    this.#minFreeBytes = minFreeBytes;
  }

  readonly launch: LaunchMovieThread = (events) => {
    this.launches++;
    this.#events = events;
    const side = new MovieSide(this.#storage, this.#minFreeBytes, (notice) => {
      if (notice.op === 'failed') this.failures++;
      if (this.#events === events) events.onNotice(notice);
    });
    return {
      post: (message) => {
        this.messages.push(message);
        this.onMessage(message);
        if (!this.isHanging) void side.take(message);
      },
      terminate: () => this.end(undefined),
    };
  };

  /** The thread sends a notice without a request. */
  notice(notice: MovieNotice): void {
    this.#events?.onNotice(notice);
  }

  /** The thread ends, for whatever reason. */
  end(cause: unknown): void {
    const events = this.#events;
    this.#events = null;
    events?.onEnd(cause);
  }
}
