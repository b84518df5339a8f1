/** A recorder with everything but its thread and its cameras real, and cameras that it records. */

import { onTestFinished } from 'vitest';
import { FAKE_VIDEO, FakeCamera } from '../cmaf/fake-camera.ts';
import type { Clock } from '../core/clock.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { type Log, silentLog } from '../core/log.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { DEFAULT_PACKAGER_LIMITS, Packager } from '../stream/packaging/packager.ts';
import { FakeDisk } from './fake-disk.ts';
import { FakeRecorderThread } from './fake-recorder-thread.ts';
import { FileStorage } from './file-storage.ts';
import type { MediaStorage } from './media-storage.ts';
import { Recorder } from './recorder.ts';
import { RecordingCatalog } from './recording-catalog.ts';
import { BOOT_ID, newStream, testFolder } from './recording-fixture.ts';
import { RecordingImports } from './recording-imports.ts';
import { RecordingKeeper } from './recording-keeper.ts';
import { RecordingThinner } from './recording-thinner.ts';
import { NOTHING, type RecordingRequest } from './recording-turn.ts';
import type { OwnRetention, RetentionLimits } from './retention-rules.ts';
import type { RecordedStream } from './segment-index.ts';
import { createRingMemory } from './shared-ring.ts';

const NO_LIMITS: RetentionLimits = {
  keepMs: 3_600_000,
  keepSubMs: 3_600_000,
  keepKeyFramesMs: null,
  keepForSharesMs: 3_600_000,
  maxCameraBytes: null,
  maxOrganizationBytes: null,
  minFreeBytes: 0,
};
export const BASE_MS = Date.UTC(2026, 0, 1);

interface BenchOptions {
  readonly limits?: Partial<RetentionLimits>;
  readonly ringBytes?: number;
  readonly fileBytes?: number;
  readonly heldBytes?: number;
  readonly ownRetention?: OwnRetention;
  readonly folder?: string;
  /** Of the keeper; default: none. */
  readonly log?: Log;
  /** Default: files in `folder`. */
  readonly storage?: (clock: Clock) => MediaStorage;
}

/** Everything but the thread and the camera is real. */
export async function recorderBench({
  limits,
  ringBytes = 1_048_576,
  fileBytes = 1_048_576,
  heldBytes = 1_048_576,
  ownRetention = { keepMs: null, keepSubMs: null, keepKeyFramesMs: null, maxBytes: null },
  folder,
  log = silentLog,
  storage: openStorage,
}: BenchOptions = {}) {
  const clock = new FakeClock(BASE_MS);
  const disk = new FakeDisk();
  const storage = openStorage?.(clock) ?? new FileStorage(folder ?? testFolder(), disk);
  const store = await openTestStore(clock);
  onTestFinished(() => store.close());
  const { recordings } = store;
  const writing = { fileBytes, syncIntervalMs: 5_000, minFreeBytes: 0, heldBytes };
  const thread = new FakeRecorderThread({ storage, limits: writing, clock, bootId: BOOT_ID });
  const recorder: Recorder = new Recorder({
    launch: thread.launch,
    createRing: () => createRingMemory(ringBytes),
    clock,
    log: silentLog,
    onFile: (file) => keeper.finished(file),
    onUnfinished: (stream, number) => keeper.repair(stream, number),
    onStarted: () => keeper.begin(),
    onFull: () => keeper.sweepSoon(),
  });
  const catalog: RecordingCatalog = new RecordingCatalog({
    recordings,
    clock,
    log: silentLog,
    openFile: (stream) => recorder.openFile(stream),
  });
  const imports = new RecordingImports({
    recorder,
    recordings,
    keeper: () => keeper,
    rendition: 'key-frames',
  });
  const keeper: RecordingKeeper = new RecordingKeeper({
    recorder,
    catalog,
    recordings,
    clock,
    log,
    limits: { ...NO_LIMITS, ...limits },
    isReserved: (stream, number) => imports.isReserved(stream, number),
    thinner: new RecordingThinner({ recorder, recordings, catalog, imports, log }),
    ownRetention: () => ownRetention,
  });
  const settle = async () => {
    for (let i = 0; i < 8; i++) {
      await thread.work();
      await keeper.settled();
      await catalog.settled();
    }
  };
  return { clock, disk, storage, store, recordings, thread, recorder, catalog, keeper, settle };
}

export const HOLD: RecordingRequest = {
  ...NOTHING,
  turn: { mode: 'hold', holdMs: 5_000 },
  reasons: ['events'],
};
export const FOR_SHARES: RecordingRequest = {
  ...NOTHING,
  turn: { mode: 'write', purpose: 'shares', fromEpochMs: Number.POSITIVE_INFINITY },
  reasons: ['shares'],
};

export type Bench = Awaited<ReturnType<typeof recorderBench>>;

/** The parts of the bench that a recorded camera needs. */
type Recording = Pick<Bench, 'clock' | 'recorder'>;

/** A camera whose packager the recorder reads: 25 frames and a segment per second. */
export class RecordedCamera {
  readonly stream: RecordedStream;
  readonly packager: Packager;
  readonly #clock: FakeClock;
  readonly #camera = new FakeCamera();
  #frames = 0;

  constructor({ clock, recorder }: Recording, stream = newStream()) {
    this.stream = stream;
    this.#clock = clock;
    const tap = recorder.tap(this.stream);
    tap.restart();
    this.packager = new Packager({
      clock,
      limits: { ...DEFAULT_PACKAGER_LIMITS, targetSegmentMs: 1_000 },
      content: 'video-and-audio',
      numbering: { nextMediaSequenceNumber: 0, nextDiscontinuitySequence: 0, initFingerprint: null },
      isContinuation: false,
      onNumbering: () => undefined,
      onPlayable: () => undefined,
      onPart: (part) => tap.take(part),
    });
    this.packager.setTracks([FAKE_VIDEO]);
  }

  /** Whole segments; the first frame of the next is on its way. */
  async seconds(count: number, bench: Pick<Bench, 'thread'>): Promise<void> {
    for (let sec = 0; sec < count; sec++) {
      for (let i = 0; i < 25 || this.#frames % 25 !== 1; i++) {
        const index = this.#frames++;
        const data = new Uint8Array(400).fill(index & 0xff);
        const arrivalMonoMs = this.#clock.monoMs();
        const isKey = index % 25 === 0;
        this.packager.push(this.#camera.picture({ dtsTicks: index * 3_600, isKey, data, arrivalMonoMs }));
        this.#clock.advance(40);
      }
      if (bench.thread.isWorking) await bench.thread.work();
    }
  }
}

export async function recordedSegments({ catalog }: Pick<Bench, 'catalog'>, stream: RecordedStream) {
  const files = await catalog.segments(stream, 0, Number.MAX_SAFE_INTEGER);
  return files.flatMap(({ name, segments }) => segments.map((segment) => ({ ...segment, name })));
}

/** Whole seconds after BASE_MS at which recorded segments start. */
export async function recordedSeconds(bench: Bench, stream: RecordedStream): Promise<number[]> {
  return (await recordedSegments(bench, stream)).map(({ epochMs }) =>
    Math.round((epochMs - BASE_MS) / 1_000),
  );
}
