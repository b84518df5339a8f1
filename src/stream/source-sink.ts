/**
 * Where the events of one attempt go, and the one place that ends them: once the sink is over, nothing reaches the
 * consumer. Whoever opens a source makes the sink; it is handed down to what makes the access units, which calls it
 * directly, so nobody in between relays a frame or asks whether the attempt is still wanted.
 */

import type { AccessUnit, Track } from '../codec/track.ts';
import type { GatewayError } from '../core/errors.ts';
import type { SoundOffer, SourceEvents } from './source-events.ts';

/** Follows an attempt without standing between its frames and their consumer. */
export interface SinkWatcher {
  /** Its first tracks, before the consumer gets them. */
  onOpened?(tracks: readonly Track[]): void;
  /** It ended by itself. Returns the error for the consumer. */
  onEnded?(error: GatewayError): GatewayError;
}

export class SourceSink implements SourceEvents {
  /** Takes the frames; null: over. */
  #consumer: SourceEvents | null;
  /** The sink this one is a branch of: its watcher hears of what is rare. */
  readonly #parent: SourceSink | null;
  readonly #watcher: SinkWatcher;
  #hasOpened = false;
  #branch: SourceSink | null = null;

  /** `parent` and `watcher`: of a branch. */
  constructor(consumer: SourceEvents | null, parent: SourceSink | null = null, watcher: SinkWatcher = {}) {
    this.#consumer = consumer;
    this.#parent = parent;
    this.#watcher = watcher;
  }

  /** The attempt ended or was closed. */
  get isOver(): boolean {
    return this.#consumer === null;
  }

  /** Its first tracks have come. */
  get hasOpened(): boolean {
    return this.#hasOpened;
  }

  /**
   * A sink to the same consumer for a part of the attempt, over when that part or the attempt is. It takes the place of
   * the branch before, which is over.
   */
  branch(watcher: SinkWatcher = {}): SourceSink {
    this.#branch?.close();
    this.#branch = new SourceSink(this.#consumer, this, watcher);
    return this.#branch;
  }

  onTracks(tracks: readonly Track[]): void {
    if (this.#consumer === null) return;
    if (!this.#hasOpened) {
      this.#hasOpened = true;
      this.#watcher.onOpened?.(tracks);
    }
    (this.#parent ?? this.#consumer).onTracks(tracks);
  }

  /** Hot: once per frame of every camera. */
  onAccessUnit(unit: AccessUnit): void {
    if (this.#consumer !== null) this.#consumer.onAccessUnit(unit);
  }

  onSound(offer: SoundOffer): void {
    this.#consumer?.onSound?.(offer);
  }

  onDropped(frames: number, code: string): void {
    this.#consumer?.onDropped(frames, code);
  }

  /** The first one counts. */
  onEnded(error: GatewayError): void {
    const next = this.#parent ?? this.#consumer;
    if (this.#consumer === null || next === null) return;
    this.close();
    next.onEnded(this.#watcher.onEnded?.(error) ?? error);
  }

  /** Nothing is called any more. Idempotent. */
  close(): void {
    this.#consumer = null;
    this.#branch?.close();
  }
}
