/** Cameras that a thread packages, for tests: both threads in one, a clock that they share, and units as the test says. */

import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import type { Source } from '../../stream/source/source.ts';
import type { SourceSink } from '../../stream/source/source-sink.ts';
import { ANYWHERE } from '../network/camera-address.ts';
import { CameraHost } from './camera-host.ts';
import { CameraHostLink } from './camera-host-link.ts';
import type { CameraOrder, SlabNotice } from './host-messages.ts';
import { ThreadedRtspSource } from './threaded-rtsp-source.ts';
import { createRing } from './unit-ring.ts';

const ORDER: CameraOrder = {
  url: 'rtsp://127.0.0.1/',
  transport: 'auto',
  tls: 'any',
  addressRule: ANYWHERE,
  timeouts: {},
  mayUseCameraTime: false,
  signingAnchors: null,
  isSilent: false,
  isAuto: false,
  hasSoundWorker: false,
};
const RING_BYTES = 8 * 1_048_576;
/** How long a turn of both threads takes. */
export const TURN_MS = 10;

/** Both threads run when `turn` is called. */
export class PackagingThread {
  readonly clock: FakeClock;
  readonly link: CameraHostLink;
  readonly host: CameraHost;
  /** The sink of each connection to the camera, in the thread that reads it. */
  readonly sinks: SourceSink[] = [];
  /** The gateway's thread does nothing. */
  isPaused = false;
  #isAwake = false;

  constructor(clock = new FakeClock(), ringBytes = RING_BYTES) {
    this.clock = clock;
    const ring = createRing(ringBytes);
    const notices: SlabNotice[] = [];
    this.host = new CameraHost({
      ring,
      clock,
      onSlab: (notice) => void notices.push(notice),
      onWake: () => {
        this.#isAwake = true;
      },
      createSource: () => ({
        engine: 'direct',
        open: (sink) => {
          this.sinks.push(sink);
          return { close: async () => sink.close() };
        },
      }),
    });
    const unlessPaused = {
      monoMs: () => clock.monoMs(),
      epochMs: () => clock.epochMs(),
      after: (delayMs: number, fn: () => void) => clock.after(delayMs, () => this.#unlessPaused(fn)),
    };
    this.link = new CameraHostLink({
      ring,
      calls: this.host,
      clock: unlessPaused,
      takeSlabNotice: () => notices.shift(),
    });
  }

  get sink(): SourceSink {
    return this.sinks.at(-1)!;
  }

  source(): Source {
    const local: Source = {
      engine: 'direct',
      open: () => {
        throw new Error('not read here');
      },
    };
    return new ThreadedRtspSource({
      threads: { pick: () => this.link },
      order: ORDER,
      local,
      log: silentLog,
    });
  }

  #unlessPaused(fn: () => void): void {
    if (this.isPaused) this.clock.after(TURN_MS, () => this.#unlessPaused(fn));
    else fn();
  }

  /** The gateway's thread reads the ring. */
  turn(): void {
    this.read();
    this.clock.advance(TURN_MS);
  }

  /** The same, before time passes. */
  read(): void {
    if (!this.#isAwake || this.isPaused) return;
    this.#isAwake = false;
    this.link.wake();
  }
}
