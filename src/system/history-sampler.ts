/**
 * Takes a sample of the gateway and of every open camera stream every ten seconds. It goes through the cameras in slices
 * (core/sliced-work.ts), so that a thousand of them do not hold up the media. A sample that comes late leaves a gap.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { SlicedWork } from '../core/sliced-work.ts';
import type { CounterHistory, StreamSample } from './counter-history.ts';

/** The gateway's counts. Totals grow since its start. null: cannot be read now. */
export interface SystemReading {
  readonly viewers: number;
  readonly bytesOut: number;
  readonly playlists: number;
  readonly recordedBytes: number;
  readonly cpuMs: number;
  readonly rssBytes: number | null;
  /** Since the last reading. */
  readonly eventLoopDelayP99Ms: number | null;
  readonly workersRunning: number;
  readonly workersWaiting: number;
}

/** An open stream of a camera. Totals belong to `opening`: another one starts from zero. */
export interface StreamReading {
  readonly profile: string;
  /** Differs between two openings of the stream. */
  readonly opening: object;
  /** Frames of video and audio. */
  readonly frames: number;
  /** Frames of the video. */
  readonly pictures: number;
  readonly droppedFrames: number;
  readonly bytes: number;
  /** Between the two newest key frames; null: there was none or only one. */
  readonly keyFrameDistanceMs: number | null;
  readonly clockDriftPpm: number | null;
}

export interface SampledCamera {
  readonly uuid: Ruuid;
  isStreaming(): boolean;
  isOffline(): boolean;
  streams(): readonly StreamReading[];
}

export interface HistorySources {
  system(): SystemReading;
  cameras(): Iterable<SampledCamera>;
  /** Viewers of each camera that has any. */
  viewersByCamera(): ReadonlyMap<Ruuid, number>;
}

export interface HistorySamplerOptions {
  readonly history: CounterHistory;
  readonly sources: HistorySources;
  readonly clock: Clock;
  readonly log: Log;
}

/** The totals of the sample before. */
interface Before<Reading> {
  readonly reading: Reading;
  readonly atMonoMs: number;
}

interface CameraCounts {
  configured: number;
  streaming: number;
  offline: number;
  bytesInPerSec: number;
}

const MS_PER_SEC = 1_000;
const BITS_PER_BYTE = 8;
const PERCENT = 100;

export class HistorySampler {
  readonly #options: HistorySamplerOptions;
  #timer: TimerHandle;
  #systemBefore: Before<SystemReading> | null = null;
  #streamsBefore = new Map<object, Before<StreamReading>>();
  #sampling: Promise<void> | null = null;
  #isStopped = false;

  constructor(options: HistorySamplerOptions) {
    this.#options = options;
    this.#timer = this.#arm();
  }

  /** Resolves when no sample is being taken anymore. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer.cancel();
    await this.#sampling;
  }

  /** Resolves when the current sample is complete. */
  async settled(): Promise<void> {
    await this.#sampling;
  }

  #arm(): TimerHandle {
    const { clock, history } = this.#options;
    return clock.after(history.untilNextMs, () => {
      this.#timer = this.#arm();
      // A sample that takes longer than the interval leaves a gap. A second one does not start.
      this.#sampling ??= this.#sample()
        .catch((thrown) => {
          this.#options.log.error({ err: toGatewayError(thrown) }, 'counters not sampled');
        })
        .finally(() => {
          this.#sampling = null;
        });
    });
  }

  async #sample(): Promise<void> {
    const { history, sources, clock } = this.#options;
    const { tick } = history;
    const atMonoMs = clock.monoMs();
    const reading = sources.system();
    const viewers = sources.viewersByCamera();
    const counts: CameraCounts = { configured: 0, streaming: 0, offline: 0, bytesInPerSec: 0 };
    const cameras = new Set<Ruuid>();
    const streams = new Map<object, Before<StreamReading>>();
    const work = new SlicedWork();
    for (const camera of [...sources.cameras()]) {
      if (this.#isStopped) return;
      cameras.add(camera.uuid);
      counts.configured += 1;
      if (camera.isStreaming()) counts.streaming += 1;
      else if (camera.isOffline()) counts.offline += 1;
      for (const stream of camera.streams()) {
        const now = { reading: stream, atMonoMs: clock.monoMs() };
        streams.set(stream.opening, now);
        const sample = streamSample(
          now,
          this.#streamsBefore.get(stream.opening),
          viewers.get(camera.uuid) ?? 0,
        );
        counts.bytesInPerSec += (sample.bitsPerSec ?? 0) / BITS_PER_BYTE;
        history.putStream(tick, camera.uuid, stream.profile, sample);
      }
      if (work.step()) await work.pause();
    }
    history.retain(cameras);
    this.#streamsBefore = streams;
    this.#putSystem(tick, { reading, atMonoMs }, counts);
  }

  #putSystem(tick: number, now: Before<SystemReading>, counts: CameraCounts): void {
    const { reading } = now;
    const before = this.#systemBefore;
    this.#systemBefore = now;
    const perSec = (total: (of: SystemReading) => number): number | null =>
      before === null
        ? null
        : perSecond(total(reading), total(before.reading), now.atMonoMs - before.atMonoMs);
    const cpuMsPerSec = perSec(({ cpuMs }) => cpuMs);
    this.#options.history.putSystem(tick, {
      camerasConfigured: counts.configured,
      camerasStreaming: counts.streaming,
      camerasOffline: counts.offline,
      viewers: reading.viewers,
      bytesInPerSec: before === null ? null : counts.bytesInPerSec,
      bytesOutPerSec: perSec(({ bytesOut }) => bytesOut),
      eventLoopDelayP99Ms: reading.eventLoopDelayP99Ms,
      rssBytes: reading.rssBytes,
      cpuPercent: cpuMsPerSec === null ? null : (cpuMsPerSec / MS_PER_SEC) * PERCENT,
      workersRunning: reading.workersRunning,
      workersWaiting: reading.workersWaiting,
      playlistsPerSec: perSec(({ playlists }) => playlists),
      recordedBytesPerSec: perSec(({ recordedBytes }) => recordedBytes),
    });
  }
}

/** Rates need an earlier reading of the same opening. */
function streamSample(
  { reading, atMonoMs }: Before<StreamReading>,
  before: Before<StreamReading> | undefined,
  viewers: number,
): StreamSample {
  const elapsedMs = atMonoMs - (before?.atMonoMs ?? atMonoMs);
  const perSec = (total: (of: StreamReading) => number): number | null =>
    before === undefined ? null : perSecond(total(reading), total(before.reading), elapsedMs);
  const bytesPerSec = perSec(({ bytes }) => bytes);
  const isFlowing = before === undefined || reading.frames > before.reading.frames;
  const dropped = before === undefined ? null : reading.droppedFrames - before.reading.droppedFrames;
  return {
    bitsPerSec: bytesPerSec === null ? null : bytesPerSec * BITS_PER_BYTE,
    framesPerSec: perSec(({ frames }) => frames),
    videoFramesPerSec: perSec(({ pictures }) => pictures),
    droppedFrames: dropped === null || dropped < 0 ? null : dropped,
    // The distance of a stream that has stopped is out of date.
    keyFrameDistanceMs: isFlowing ? reading.keyFrameDistanceMs : null,
    clockDriftPpm: reading.clockDriftPpm,
    viewers,
  };
}

/** null: the total began again, or no time has passed. */
function perSecond(total: number, before: number, elapsedMs: number): number | null {
  return total < before || elapsedMs <= 0 ? null : ((total - before) / elapsedMs) * MS_PER_SEC;
}
