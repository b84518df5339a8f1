/** One thread that reads cameras, as the gateway's thread uses it: what is open there, and what comes out of its ring. */

import type { AccessUnit } from '../../codec/track.ts';
import type { Clock } from '../../core/clock.ts';
import { type GatewayError, toGatewayError } from '../../core/errors.ts';
import { errorOfWire } from '../../core/wire-error.ts';
import type { SourceSink } from '../../stream/source-sink.ts';
import type { CameraHostCalls, CameraOrder, HostEvent } from './host-messages.ts';
import { type RingConsumer, type RingMemory, RingReader } from './unit-ring.ts';

/** Records per turn of the event loop: viewers come in between. */
const RECORDS_PER_TURN = 1_000;
/**
 * How often the ring is read while cameras send. A message for each frame, or for a few, would cost this thread more than all
 * else that it does with them.
 */
const LOOK_MS = 4;
/** After so many looks for nothing, the other thread sends a message when there is something again. */
const EMPTY_LOOKS = 10;

/** What comes of a stream: media go to the sink, the rest here. */
export interface HostedStreamEvents {
  readonly sink: SourceSink;
  onEvent(event: HostEvent): void;
}

export class CameraHostLink implements RingConsumer {
  readonly #ring: RingReader;
  readonly #calls: CameraHostCalls;
  readonly #streams = new Map<number, HostedStreamEvents>();
  readonly #clock: Clock;
  #nextStream = 0;
  #emptyLooks = 0;
  #hasEnded = false;

  constructor(ring: RingMemory, calls: CameraHostCalls, clock: Clock) {
    this.#ring = new RingReader(ring);
    this.#calls = calls;
    this.#clock = clock;
    this.#ring.sleep();
  }

  /** Streams that are open there. */
  get size(): number {
    return this.#streams.size;
  }

  /** Returns what `close` takes. */
  open(order: CameraOrder, events: HostedStreamEvents): number {
    const stream = this.#nextStream++;
    this.#streams.set(stream, events);
    this.#calls.open(stream, order);
    return stream;
  }

  /** Nothing comes of it anymore. Resolves when everything is released, or the thread has ended. Idempotent. */
  async close(stream: number): Promise<void> {
    if (!this.#streams.delete(stream) || this.#hasEnded) return;
    // The end of the thread releases everything.
    await this.#calls.close(stream).catch(() => undefined);
  }

  /** The other thread has something for this one, which slept. */
  wake(): void {
    this.#emptyLooks = 0;
    this.#look();
  }

  /** The thread has ended: so have its streams. */
  end(error: GatewayError): void {
    this.#hasEnded = true;
    for (const { sink } of [...this.#streams.values()]) sink.onEnded(error);
    this.#streams.clear();
  }

  onUnit(stream: number, unit: AccessUnit): void {
    const sink = this.#streams.get(stream)?.sink;
    if (sink === undefined) return;
    try {
      sink.onAccessUnit(unit);
    } catch (thrown) {
      sink.onEnded(toGatewayError(thrown));
    }
  }

  onEvent(stream: number, wire: unknown): void {
    const events = this.#streams.get(stream);
    if (events === undefined) return;
    const { sink } = events;
    const event = wire as HostEvent;
    try {
      switch (event.kind) {
        case 'tracks':
          sink.onTracks(event.tracks);
          break;
        case 'sound':
          sink.onSound(event.offer);
          break;
        case 'clock':
          sink.onClock(event.reading);
          break;
        case 'dropped':
          sink.onDropped(event.frames, event.code);
          break;
        case 'ended':
          sink.onEnded(errorOfWire(event.error));
          break;
        default:
          events.onEvent(event);
      }
    } catch (thrown) {
      sink.onEnded(toGatewayError(thrown));
    }
  }

  #look(): void {
    if (this.#hasEnded) return;
    this.#emptyLooks = this.#ring.isEmpty ? this.#emptyLooks + 1 : 0;
    if (this.#ring.drain(RECORDS_PER_TURN, this)) setImmediate(() => this.#look());
    else if (this.#emptyLooks < EMPTY_LOOKS || !this.#ring.sleep()) {
      this.#clock.after(LOOK_MS, () => this.#look());
    }
  }
}
