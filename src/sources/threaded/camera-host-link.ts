/** One thread that reads cameras, as the gateway's thread uses it: its open streams, and the output in its ring. */

import { BorrowedBytes, SharedSlabs } from '../../cmaf/borrowed-bytes.ts';
import type { PackagedTracks } from '../../cmaf/packaged-tracks.ts';
import type { CmafPart } from '../../cmaf/part.ts';
import type { AccessUnit } from '../../codec/track.ts';
import type { Clock } from '../../core/clock.ts';
import { type GatewayError, toGatewayError } from '../../core/errors.ts';
import { errorOfWire } from '../../core/wire-error.ts';
import type { PackagingHost, PartReceiver, RenditionOrder } from '../../stream/packaging/packaging-host.ts';
import type { SourceSink } from '../../stream/source/source-sink.ts';
import type { CameraHostCalls, CameraOrder, HostEvent, HostedPulse, SlabNotice } from './host-messages.ts';
import type { HostedPart } from './part-record.ts';
import { type RingConsumer, type RingMemory, RingReader } from './unit-ring.ts';

/** Records per turn of the event loop: viewers come in between. */
const RECORDS_PER_TURN = 200;
/** Between two messages that give memory back: each costs as much as some parts. */
const RELEASE_INTERVAL_MS = 1_000;

/** Receives a stream's output: media go to the sink, parts to the one who ordered them, the rest here. */
export interface HostedStreamEvents {
  readonly sink: SourceSink;
  readonly host: PackagingHost;
  onEvent(event: HostEvent): void;
}

/** Notices that the other thread has sent, oldest first; undefined: none is left. */
export type TakeSlabNotice = () => SlabNotice | undefined;

export interface CameraHostLinkOptions {
  readonly ring: RingMemory;
  readonly calls: CameraHostCalls;
  readonly clock: Clock;
  readonly takeSlabNotice: TakeSlabNotice;
}

interface OpenStream {
  readonly events: HostedStreamEvents;
  readonly renditions: Map<number, { readonly receiver: PartReceiver; tracks: PackagedTracks | null }>;
}

export class CameraHostLink implements RingConsumer {
  readonly #ring: RingReader;
  readonly #calls: CameraHostCalls;
  readonly #streams = new Map<number, OpenStream>();
  readonly #slabs = new SharedSlabs();
  readonly #takeSlabNotice: TakeSlabNotice;
  #released: number[] = [];
  readonly #clock: Clock;
  #nextStream = 0;
  #nextRendition = 0;
  readonly #releaseHold = (hold: number): void => this.#release(hold);
  #hasEnded = false;

  constructor({ ring, calls, clock, takeSlabNotice }: CameraHostLinkOptions) {
    this.#ring = new RingReader(ring);
    this.#calls = calls;
    this.#clock = clock;
    this.#takeSlabNotice = takeSlabNotice;
    this.#ring.sleep();
  }

  /** Streams that are open there. */
  get size(): number {
    return this.#streams.size;
  }

  /** Returns what `close` takes. */
  open(order: CameraOrder, events: HostedStreamEvents): number {
    const stream = this.#nextStream++;
    this.#streams.set(stream, { events, renditions: new Map() });
    this.#calls.open(stream, order);
    return stream;
  }

  /** Nothing comes of it anymore. Resolves when everything is released, or the thread has ended. Idempotent. */
  async close(stream: number): Promise<void> {
    if (!this.#streams.delete(stream) || this.#hasEnded) return;
    // The end of the thread releases everything.
    await this.#calls.close(stream).catch(() => undefined);
  }

  /** Returns what `unpackage` takes. */
  package(stream: number, order: RenditionOrder, receiver: PartReceiver): number {
    const rendition = this.#nextRendition++;
    this.#streams.get(stream)?.renditions.set(rendition, { receiver, tracks: null });
    if (!this.#hasEnded) this.#calls.package(stream, rendition, order);
    return rendition;
  }

  /** Nothing comes of it anymore. Idempotent. */
  unpackage(stream: number, rendition: number): void {
    const isOpen = this.#streams.get(stream)?.renditions.delete(rendition) ?? false;
    if (isOpen && !this.#hasEnded) this.#calls.unpackage(stream, rendition);
  }

  passUnits(stream: number, isWanted: boolean): void {
    if (!this.#streams.has(stream) || this.#hasEnded) return;
    this.#calls.passUnits(stream, isWanted);
  }

  stopPackaging(stream: number): void {
    if (this.#streams.has(stream) && !this.#hasEnded) this.#calls.stopPackaging(stream);
  }

  startPackaging(stream: number): void {
    if (this.#streams.has(stream) && !this.#hasEnded) this.#calls.startPackaging(stream);
  }

  packagingOrdered(stream: number): void {
    if (this.#streams.has(stream) && !this.#hasEnded) this.#calls.packagingOrdered(stream);
  }

  /** The other thread has something for this one, which slept. */
  wake(): void {
    if (this.#hasEnded) return;
    const isMore = this.#ring.drain(RECORDS_PER_TURN, this);
    if (isMore || !this.#ring.sleep()) setImmediate(() => this.wake());
  }

  /**
   * They were sent before the parts that lie there were put into the ring. Also to be called now and then: a slab that the other
   * thread gave up stays in memory until its notice was read, and no part may follow.
   */
  readSlabNotices(): void {
    for (let notice = this.#takeSlabNotice(); notice !== undefined; notice = this.#takeSlabNotice()) {
      const { slabId, memory } = notice;
      if (memory === null) this.#slabs.slabForgotten(slabId);
      else this.#slabs.slabShared(slabId, memory);
    }
  }

  /** The thread has ended. Its streams end once the rest of the ring has been read. */
  end(error: GatewayError): void {
    this.#hasEnded = true;
    while (this.#ring.drain(RECORDS_PER_TURN, this));
    for (const { events } of [...this.#streams.values()]) events.sink.onEnded(error);
    this.#streams.clear();
    this.readSlabNotices();
    this.#slabs.close();
  }

  onUnit(stream: number, unit: AccessUnit): void {
    const sink = this.#streams.get(stream)?.events.sink;
    if (sink === undefined) return;
    try {
      sink.onAccessUnit(unit);
    } catch (thrown) {
      sink.onEnded(toGatewayError(thrown));
    }
  }

  /** Hot: once per part. */
  onPart(stream: number, hosted: HostedPart): void {
    const open = this.#streams.get(stream);
    const rendition = open?.renditions.get(hosted.rendition);
    if (hosted.tracks !== null && rendition !== undefined) rendition.tracks = hosted.tracks;
    const tracks = rendition?.tracks ?? null;
    if (open === undefined || rendition === undefined || tracks === null) {
      this.#release(hosted.bytes.hold);
      return;
    }
    if (!this.#slabs.has(hosted.bytes.places)) this.readSlabNotices();
    const bytes = BorrowedBytes.of(hosted.bytes, this.#slabs, this.#releaseHold);
    const { part, partTargetMs, progress } = hosted;
    const { receiver } = rendition;
    try {
      receiver.onPart(cmafPart(part, bytes, tracks), partTargetMs, progress);
    } catch (thrown) {
      open.events.sink.onEnded(toGatewayError(thrown));
    }
  }

  onPulse(stream: number, { pulse, clock, counts }: HostedPulse): void {
    const open = this.#streams.get(stream);
    if (open === undefined) return;
    try {
      open.events.sink.onPulse(pulse);
      if (clock !== null) open.events.sink.onClock(clock);
      for (const [id, count] of counts) open.renditions.get(id)?.receiver.onCounts(count);
    } catch (thrown) {
      open.events.sink.onEnded(toGatewayError(thrown));
    }
  }

  onEvent(stream: number, wire: unknown): void {
    const event = wire as HostEvent;
    const open = this.#streams.get(stream);
    if (open === undefined) return;
    const { sink, host } = open.events;
    try {
      switch (event.kind) {
        case 'tracks':
          sink.onTracks(event.tracks, host);
          break;
        case 'sound':
          sink.onSound(event.offer);
          break;
        case 'clock':
          sink.onClock(event.reading);
          break;
        case 'signing':
          sink.onSigning(event.news);
          break;
        case 'dropped':
          sink.onDropped(event.frames, event.code);
          break;
        case 'ended':
          sink.onEnded(errorOfWire(event.error));
          break;
        default:
          open.events.onEvent(event);
      }
    } catch (thrown) {
      sink.onEnded(toGatewayError(thrown));
    }
  }

  #release(hold: number): void {
    if (this.#hasEnded) return;
    this.#released.push(hold);
    if (this.#released.length > 1) return;
    this.#clock.after(RELEASE_INTERVAL_MS, () => this.#giveBack());
  }

  #giveBack(): void {
    const holds = this.#released;
    this.#released = [];
    if (this.#hasEnded) return;
    this.readSlabNotices();
    this.#calls.release(holds);
  }
}

function cmafPart(part: HostedPart['part'], bytes: BorrowedBytes, tracks: PackagedTracks): CmafPart {
  return {
    bytes,
    tracks,
    timescaleHz: part.timescaleHz,
    startTicks: part.startTicks,
    durationTicks: part.durationTicks,
    sourceOffsetSec: part.sourceOffsetSec,
    pictures: part.pictures,
    epochMs: part.epochMs,
    isSegmentStart: part.isSegmentStart,
    isSegmentEnd: part.isSegmentEnd,
    isIndependent: part.isIndependent,
    hasDiscontinuity: part.hasDiscontinuity,
    keySample: part.keySample,
  };
}
