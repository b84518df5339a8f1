/** The cameras that a thread reads for the gateway's thread: opens them, and puts their output into the ring. */

import { BlockLender } from '../../cmaf/block-lender.ts';
import type { Clock } from '../../core/clock.ts';
import type { RenditionOrder } from '../../stream/packaging/packaging-host.ts';
import { DirectRtspSource } from '../direct/direct-rtsp-source.ts';
import type { CameraHostCalls, CameraOrder, SlabNotice } from './host-messages.ts';
import { type CreateSource, HostedStream, type StreamOutput } from './hosted-stream.ts';
import { type RingMemory, RingWriter } from './unit-ring.ts';

export interface CameraHostOptions {
  readonly ring: RingMemory;
  /** Its monotonic time is that of the gateway's thread. */
  readonly clock: Clock;
  /** The gateway's thread sleeps until it is woken. */
  readonly onWake: () => void;
  /** Announces a slab. Later records in the ring may refer to it. */
  readonly onSlab: (notice: SlabNotice) => void;
  /** Default: the direct engine. */
  readonly createSource?: CreateSource;
}

export class CameraHost implements CameraHostCalls {
  readonly #options: CameraHostOptions;
  readonly #ring: RingWriter;
  readonly #lender: BlockLender;
  readonly #streams = new Map<number, HostedStream>();

  constructor(options: CameraHostOptions) {
    this.#options = options;
    this.#ring = new RingWriter(options.ring);
    this.#lender = new BlockLender({
      slabShared: (slabId, memory) => options.onSlab({ slabId, memory }),
      slabForgotten: (slabId) => options.onSlab({ slabId, memory: null }),
    });
  }

  /** Streams that are open, or not released. */
  get size(): number {
    return this.#streams.size;
  }

  /** Parts that the gateway's thread can still read. */
  get holds(): number {
    return this.#lender.holds;
  }

  open(id: number, order: CameraOrder): void {
    const { clock, createSource = (options) => new DirectRtspSource(options) } = this.#options;
    const output: StreamOutput = {
      unit: (unit) => this.#told(this.#ring.unit(id, unit)),
      event: (event) => this.#told(this.#ring.event(id, event)),
      pulse: (pulse) => this.#told(this.#ring.pulse(id, pulse)),
      part: (part, packed) => {
        const bytes = this.#lender.lend(packed);
        const isTold = this.#ring.part(id, { ...part, bytes });
        if (!isTold) this.#lender.release([bytes.hold]);
        return this.#told(isTold);
      },
    };
    this.#streams.set(id, new HostedStream(order, clock, output, createSource));
  }

  async close(id: number): Promise<void> {
    await this.#streams.get(id)?.close();
    this.#streams.delete(id);
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#streams.keys()].map((id) => this.close(id)));
  }

  package(id: number, rendition: number, order: RenditionOrder): void {
    this.#streams.get(id)?.package(rendition, order);
  }

  unpackage(id: number, rendition: number): void {
    this.#streams.get(id)?.unpackage(rendition);
  }

  passUnits(id: number, isWanted: boolean): void {
    this.#streams.get(id)?.passUnits(isWanted);
  }

  stopPackaging(id: number): void {
    this.#streams.get(id)?.stopPackaging();
  }

  startPackaging(id: number): void {
    this.#streams.get(id)?.startPackaging();
  }

  packagingOrdered(id: number): void {
    this.#streams.get(id)?.packagingOrdered();
  }

  release(holds: readonly number[]): void {
    this.#lender.release(holds);
  }

  #told(isTold: boolean): boolean {
    if (this.#ring.mustWakeReader()) this.#options.onWake();
    return isTold;
  }
}
