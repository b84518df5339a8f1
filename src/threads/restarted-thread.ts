/**
 * A thread that takes plain messages. It starts when it is needed, and after it has ended, again: not before a pause, which doubles
 * until one lives for a while.
 */

import { Backoff } from '../core/backoff.ts';
import type { Clock, TimerHandle } from '../core/clock.ts';
import type { MessageThread, ThreadEvents } from './spawn-thread.ts';

export interface RestartedThreadOptions<Message, Notice> {
  readonly launch: (events: ThreadEvents<Notice>) => MessageThread<Message>;
  readonly clock: Clock;
  readonly onNotice: (notice: Notice) => void;
  /** It ended, and was not closed. `retryMs`: none is started for so long. */
  readonly onEnd: (cause: unknown, retryMs: number) => void;
  /** The pause is over. */
  readonly onRestart?: () => void;
  /** Whether the first failure is followed by a pause, too. Default: no, so that what cleans up after it is not refused. */
  readonly pausesFirst?: boolean;
}

const FIRST_RESTART_MS = 250;
const MAX_RESTART_MS = 10_000;

export class RestartedThread<Message, Notice> {
  readonly #options: RestartedThreadOptions<Message, Notice>;
  readonly #backoff = new Backoff({ firstMs: FIRST_RESTART_MS, lastMs: MAX_RESTART_MS });
  #running: MessageThread<Message> | null = null;
  /** Until then, none is started. */
  #pause: TimerHandle | null = null;
  /** The thread that runs is ended by us. */
  #isReplacing = false;

  constructor(options: RestartedThreadOptions<Message, Notice>) {
    this.#options = options;
  }

  /** null: none runs. */
  get running(): MessageThread<Message> | null {
    return this.#running;
  }

  /** Starts it, unless it runs. null: it is paused. */
  get(): MessageThread<Message> | null {
    if (this.#pause !== null) return null;
    this.#running ??= this.#launch();
    return this.#running;
  }

  /** It hangs: ends it. The next one starts without a pause: deadlines pace it. */
  replace(): void {
    this.#isReplacing = true;
    this.#running?.terminate();
  }

  /** Ends it. Returns what its `terminate` returns. */
  close(): unknown {
    this.#pause?.cancel();
    const running = this.#running;
    this.#running = null;
    return running?.terminate();
  }

  #launch(): MessageThread<Message> {
    const { launch, clock, onNotice } = this.#options;
    this.#isReplacing = false;
    this.#backoff.started(clock.monoMs());
    const thread: MessageThread<Message> = launch({
      onNotice: (notice) => {
        if (this.#running === thread) onNotice(notice);
      },
      onEnd: (cause) => {
        if (this.#running === thread) this.#ended(cause);
      },
    });
    return thread;
  }

  #ended(cause: unknown): void {
    const { clock, onEnd, onRestart } = this.#options;
    this.#running = null;
    const retryMs = this.#isReplacing ? 0 : this.#pauseMs(clock.monoMs());
    if (retryMs > 0) {
      this.#pause = clock.after(retryMs, () => {
        this.#pause = null;
        onRestart?.();
      });
    }
    onEnd(cause, retryMs);
  }

  #pauseMs(nowMonoMs: number): number {
    const pauseMs = this.#backoff.ended(nowMonoMs);
    return pauseMs === FIRST_RESTART_MS && this.#options.pausesFirst !== true ? 0 : pauseMs;
  }
}
