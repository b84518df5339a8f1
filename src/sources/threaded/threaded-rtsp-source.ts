/**
 * The `direct` engine in a thread of its own (docs/design/threads.md#camera-threads): sockets, RTSP, RTP and everything else
 * that a camera can make expensive run there. What a thread cannot carry, because a worker takes part in it, is opened here.
 */

import { GatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type {
  HostedRendition,
  PackagingHost,
  PackagingSwitch,
  PartReceiver,
  RenditionOrder,
} from '../../stream/packaging/packaging-host.ts';
import type { Source, SourceInstance } from '../../stream/source/source.ts';
import type { SourceSink } from '../../stream/source/source-sink.ts';
import { type DirectObserver, SkippedLog } from '../direct/direct-rtsp-source.ts';
import type { CameraHostLink, HostedStreamEvents } from './camera-host-link.ts';
import { CAMERA_THREAD_ERRORS } from './errors.ts';
import type { CameraOrder, HostEvent } from './host-messages.ts';

/** The threads that run. */
export interface CameraThreadChoice {
  /** The one with the least to do; null: each is being replaced. */
  pick(): CameraHostLink | null;
}

export interface ThreadedRtspOptions {
  readonly threads: CameraThreadChoice;
  readonly order: CameraOrder;
  /** The same camera, read by this thread. */
  readonly local: Source;
  readonly observer?: DirectObserver;
  readonly log: Log;
}

export class ThreadedRtspSource implements Source {
  readonly engine = 'direct';
  readonly #options: ThreadedRtspOptions;
  readonly #skipped: SkippedLog;
  /** The camera sends what a thread cannot carry. Until its configuration changes: then it is another source. */
  #isLocal = false;

  constructor(options: ThreadedRtspOptions) {
    this.#options = options;
    this.#skipped = new SkippedLog(options.log);
  }

  open(sink: SourceSink): SourceInstance {
    const { threads, local } = this.#options;
    if (this.#isLocal) return local.open(sink);
    const link = threads.pick();
    if (link === null) return failedLater(sink);
    const onElsewhere = (): void => {
      this.#isLocal = true;
    };
    return new ThreadedInstance(sink, link, { ...this.#options, skipped: this.#skipped, onElsewhere });
  }
}

interface InstanceOptions extends ThreadedRtspOptions {
  readonly skipped: SkippedLog;
  /** The thread cannot carry it. */
  readonly onElsewhere: () => void;
}

class ThreadedInstance implements SourceInstance, HostedStreamEvents {
  readonly sink: SourceSink;
  readonly host: StreamHost;
  readonly #parent: SourceSink;
  readonly #options: InstanceOptions;
  readonly #link: CameraHostLink;
  readonly #stream: number;
  #closed: Promise<void> | null = null;
  /** In this thread, instead. */
  #local: SourceInstance | null = null;

  constructor(parent: SourceSink, link: CameraHostLink, options: InstanceOptions) {
    this.#parent = parent;
    this.sink = parent.branch();
    this.#options = options;
    this.#link = link;
    this.#stream = link.open(options.order, this);
    this.host = new StreamHost(link, this.#stream);
    this.sink.onHost(this.host);
  }

  onEvent(event: HostEvent): void {
    const { observer, log, skipped } = this.#options;
    switch (event.kind) {
      case 'described':
        observer?.onDescribed?.(event.description, event.selection);
        break;
      case 'skipped':
        observer?.onSkipped?.(event.skipped);
        skipped.note(event.skipped);
        break;
      case 'unfit':
        observer?.onUnfit?.();
        break;
      case 'log':
        log[event.level](event.fields, event.message);
        break;
      case 'packaging-stopped':
        this.host.stopped();
        break;
      case 'packaging-starts':
        this.host.starts();
        break;
      case 'elsewhere':
        void this.#openHere();
    }
  }

  async close(): Promise<void> {
    this.#parent.close();
    await Promise.all([this.#close(), this.#local?.close()]);
  }

  #close(): Promise<void> {
    this.sink.close();
    this.#closed ??= this.#link.close(this.#stream);
    return this.#closed;
  }

  /** The camera may allow only one session. */
  async #openHere(): Promise<void> {
    const { local, log, onElsewhere } = this.#options;
    onElsewhere();
    log.debug({}, 'camera needs a worker, read by the gateway itself');
    await this.#close();
    if (!this.#parent.isOver) this.#local = local.open(this.#parent);
  }
}

class StreamHost implements PackagingHost, PackagingSwitch {
  readonly isMirror = false;
  readonly packagingSwitch = this;
  #onStopped: (() => void) | null = null;
  #onStart: (() => void) | null = null;
  readonly #link: CameraHostLink;
  readonly #stream: number;

  constructor(link: CameraHostLink, stream: number) {
    this.#link = link;
    this.#stream = stream;
  }

  package(order: RenditionOrder, receiver: PartReceiver): HostedRendition {
    const rendition = this.#link.package(this.#stream, order, receiver);
    return { close: () => this.#link.unpackage(this.#stream, rendition) };
  }

  passUnits(isWanted: boolean): void {
    this.#link.passUnits(this.#stream, isWanted);
  }

  stop(onStopped: () => void): void {
    // It may be on its way: then nothing is ordered, and the access units cross.
    this.#onStart = null;
    this.#onStopped = onStopped;
    this.#link.stopPackaging(this.#stream);
  }

  start(onStart: () => void): void {
    this.#onStart = onStart;
    this.#link.startPackaging(this.#stream);
  }

  stopped(): void {
    this.#onStopped?.();
    this.#onStopped = null;
  }

  starts(): void {
    this.#onStart?.();
    this.#onStart = null;
    this.#link.packagingOrdered(this.#stream);
  }
}

function failedLater(sink: SourceSink): SourceInstance {
  queueMicrotask(() => sink.onEnded(new GatewayError(CAMERA_THREAD_ERRORS.CAMERA_THREAD_FAILED)));
  return { close: async () => sink.close() };
}
