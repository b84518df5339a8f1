/**
 * The destination of one attempt's events, and the only place that ends them: once the sink is over, nothing reaches
 * the consumer. The code that opens a source makes the sink and hands it down to the code that makes the access units,
 * which calls it directly. So no layer in between relays a frame or checks whether the attempt is still wanted.
 */

import type { SigningNews } from '../../codec/media-signing/signing-watch.ts';
import type { AccessUnit, Track } from '../../codec/track.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { ClockReading } from '../../rtp/camera-clock.ts';
import type { Urgency, WorkerWait } from '../media/urgency.ts';
import type { PackagingHost, SourcePulse } from '../packaging/packaging-host.ts';
import type { SoundOffer, SourceEvents, StillPicture } from './source-events.ts';

/** Follows an attempt without sitting between its frames and their consumer. */
export interface SinkWatcher {
  /** Its first tracks, before the consumer gets them; none if a still came first. */
  onOpened?(tracks: readonly Track[]): void;
  /** It ended on its own. Returns the error for the consumer. */
  onEnded?(error: GatewayError): GatewayError;
}

export class SourceSink implements SourceEvents {
  /** Receives the frames; null: over. */
  #consumer: SourceEvents | null;
  /** The sink that this one is a branch of: its watcher gets the rare events. */
  readonly #parent: SourceSink | null;
  readonly #watcher: SinkWatcher;
  #hasOpened = false;
  #branch: SourceSink | null = null;

  /** `parent` and `watcher`: for a branch. */
  constructor(consumer: SourceEvents | null, parent: SourceSink | null = null, watcher: SinkWatcher = {}) {
    this.#consumer = consumer;
    this.#parent = parent;
    this.#watcher = watcher;
  }

  /** The attempt ended or was closed. */
  get isOver(): boolean {
    return this.#consumer === null;
  }

  /** Its first tracks, or a still, have arrived. */
  get hasOpened(): boolean {
    return this.#hasOpened;
  }

  /**
   * A sink to the same consumer for a part of the attempt; it is over when that part or the attempt is. It replaces the
   * previous branch, which is then over.
   */
  branch(watcher: SinkWatcher = {}): SourceSink {
    this.#branch?.close();
    this.#branch = new SourceSink(this.#consumer, this, watcher);
    return this.#branch;
  }

  /** `host`: packages the announced tracks; null: the source does not package. */
  onTracks(tracks: readonly Track[], host: PackagingHost | null = null): void {
    if (this.#consumer === null) return;
    this.#open(tracks);
    (this.#parent ?? this.#consumer).onTracks(tracks, host);
  }

  onHost(host: PackagingHost | null): void {
    this.#consumer?.onHost?.(host);
  }

  onPulse(pulse: SourcePulse): void {
    this.#consumer?.onPulse?.(pulse);
  }

  /** Hot: once per frame of every camera. */
  onAccessUnit(unit: AccessUnit): void {
    if (this.#consumer !== null) this.#consumer.onAccessUnit(unit);
  }

  onStill(still: StillPicture): void {
    for (let sink: SourceSink | null = this; sink !== null; sink = sink.#parent) sink.#open([]);
    this.#consumer?.onStill?.(still);
  }

  onStillsOnly(): void {
    this.#consumer?.onStillsOnly?.();
  }

  onSound(offer: SoundOffer): void {
    this.#consumer?.onSound?.(offer);
  }

  onClock(reading: ClockReading): void {
    this.#consumer?.onClock?.(reading);
  }

  onSigning(news: SigningNews): void {
    this.#consumer?.onSigning?.(news);
  }

  onWaiting(wait: WorkerWait | null): void {
    this.#consumer?.onWaiting?.(wait);
  }

  urgency(): Urgency {
    return this.#consumer?.urgency?.() ?? 'viewer';
  }

  onDropped(frames: number, code: string): void {
    this.#consumer?.onDropped(frames, code);
  }

  /** Only the first error counts. */
  onEnded(error: GatewayError): void {
    const next = this.#parent ?? this.#consumer;
    if (this.#consumer === null || next === null) return;
    this.close();
    next.onEnded(this.#watcher.onEnded?.(error) ?? error);
  }

  #open(tracks: readonly Track[]): void {
    if (this.#consumer === null || this.#hasOpened) return;
    this.#hasOpened = true;
    this.#watcher.onOpened?.(tracks);
  }

  /** Stops all events. Idempotent. */
  close(): void {
    this.#consumer = null;
    this.#branch?.close();
  }
}
