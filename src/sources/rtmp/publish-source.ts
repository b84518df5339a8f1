/**
 * A camera whose device pushes its video: the `rtmp` engine. Nothing is connected to. An instance waits briefly for a
 * publisher and passes on what it sends; it ends when the publisher does. If a publisher comes later, the camera is
 * reopened immediately.
 */

import type { Track } from '../../codec/track.ts';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Source, SourceInstance } from '../../stream/source/source.ts';
import type { SourceSink } from '../../stream/source/source-sink.ts';
import { RTMP_ERRORS } from './errors.ts';
import type { Publisher, PublishListener, PublishSlot } from './publish-desk.ts';

/** How long an instance waits for a device that may be reconnecting. */
export const PUBLISHER_WAIT_MS = 3_000;

export interface PublishSourceOptions {
  readonly slot: PublishSlot;
  readonly clock: Clock;
  readonly log: Log;
  /** Why no device can connect; null: they can. */
  readonly listenFault: () => GatewayError | null;
}

export class PublishSource implements Source {
  readonly engine = 'rtmp';
  readonly #options: PublishSourceOptions;

  constructor(options: PublishSourceOptions) {
    this.#options = options;
  }

  open(sink: SourceSink): SourceInstance {
    return new PublishInstance(this.#options, sink);
  }
}

class PublishInstance implements SourceInstance, PublishListener {
  readonly sink: SourceSink;
  readonly #options: PublishSourceOptions;
  #publisher: Publisher | null = null;
  #timer: TimerHandle | null = null;
  #released: Promise<void> = Promise.resolve();

  constructor(options: PublishSourceOptions, sink: SourceSink) {
    this.#options = options;
    this.sink = sink.branch({ onOpened: (tracks) => this.#opened(tracks) });
    queueMicrotask(() => this.#begin());
  }

  async close(): Promise<void> {
    this.sink.close();
    this.#release();
    await this.#released;
  }

  onPublisher(publisher: Publisher): void {
    this.#timer?.cancel();
    this.#publisher = publisher;
    publisher.media.attach(this.sink);
  }

  onGone(error: GatewayError): void {
    this.#end(error);
  }

  #begin(): void {
    if (this.sink.isOver) return;
    const { slot, clock, listenFault } = this.#options;
    // The supervisor has one instance open at a time; an earlier one that is still closing has given up its place.
    slot.listener = this;
    if (slot.publisher !== null) this.onPublisher(slot.publisher);
    else if (slot.lastFault !== null) this.#end(slot.lastFault);
    else {
      this.#timer = clock.after(PUBLISHER_WAIT_MS, () => {
        this.#end(listenFault() ?? new GatewayError(RTMP_ERRORS.RTMP_NO_PUBLISHER));
      });
    }
  }

  /** One line for each instance that delivered media. */
  #opened(tracks: readonly Track[]): void {
    const codecs = tracks.map((track) => track.codecString);
    this.#options.log.info({ engine: 'rtmp', codecs, from: this.#publisher?.address }, 'stream opened');
  }

  #end(error: GatewayError): void {
    this.#release();
    this.sink.onEnded(error);
  }

  #release(): void {
    this.#timer?.cancel();
    const { slot } = this.#options;
    if (slot.listener === this) slot.listener = null;
    const publisher = this.#publisher;
    this.#publisher = null;
    if (publisher !== null) this.#released = publisher.media.detach();
  }
}
