/**
 * The last hour of the gateway's counters, a sample every ten seconds, and that of each camera stream. The memory is bounded:
 * a stream takes 10,080 bytes, 1,000 cameras with two streams 19.2 MiB, and there are never more than 2,400 streams (23.1 MiB).
 * A stream that was never open has no ring, and that of a removed camera goes with the next sample.
 *
 * Samples are numbered by the monotonic clock, so a wall clock that is set neither loses nor adds any. Wall time is only
 * their label: when the clock is set, the labels of the past follow it.
 */

import type { Clock } from '../core/clock.ts';
import { FairMap } from '../core/limits/fair-map.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { CounterRing, RING_SAMPLES, ringBytes } from './counter-ring.ts';

export const SAMPLE_INTERVAL_MS = 10_000;
/** The wall clock was set if it moved by more than this against the monotonic clock; less is how it is read. */
const CLOCK_STEP_MS = 1_000;

/** Counters of the gateway. Per second: the mean of the interval before the sample. */
export const SYSTEM_COUNTERS = [
  'camerasConfigured',
  'camerasStreaming',
  'camerasOffline',
  'viewers',
  'bytesInPerSec',
  'bytesOutPerSec',
  'eventLoopDelayP99Ms',
  'rssBytes',
  'cpuPercent',
  'workersRunning',
  'workersWaiting',
  'playlistsPerSec',
  'recordedBytesPerSec',
] as const;
export type SystemCounter = (typeof SYSTEM_COUNTERS)[number];

/** Counters of one stream of a camera. `framesPerSec` includes those of the audio. */
export const STREAM_COUNTERS = [
  'bitsPerSec',
  'framesPerSec',
  'videoFramesPerSec',
  'droppedFrames',
  'keyFrameDistanceMs',
  'clockDriftPpm',
  'viewers',
] as const;
export type StreamCounter = (typeof STREAM_COUNTERS)[number];

/** null: not known at that time. */
export type SystemSample = Readonly<Record<SystemCounter, number | null>>;
export type StreamSample = Readonly<Record<StreamCounter, number | null>>;

/** Which history: of a stream, or of the gateway (null). */
export interface HistoryQuery {
  readonly stream: { readonly cameraUuid: Ruuid; readonly profile: string } | null;
  /** Only samples after this wall time; null: all. */
  readonly sinceEpochMs: number | null;
}

/** One array per counter, all as long as there are samples. NaN: not known at that time. */
export interface CounterColumns {
  /** The time of the first sample; the others follow every `intervalMs`. */
  readonly firstEpochMs: number;
  readonly intervalMs: number;
  readonly samples: number;
  readonly columns: Readonly<Record<string, Float32Array>>;
}

interface StreamRing {
  readonly cameraUuid: Ruuid;
  readonly organization: string;
  readonly ring: CounterRing<StreamCounter>;
}

export class CounterHistory {
  readonly #clock: Clock;
  readonly #startMonoMs: number;
  readonly #system = new CounterRing(SYSTEM_COUNTERS);
  readonly #organizationOf: (cameraUuid: Ruuid) => string | null;
  /** In the order of their last samples. */
  readonly #streams = new FairMap<StreamRing, typeof LIMITS.counterRings>(LIMITS.counterRings);
  #epochMinusMonoMs: number;

  /** `organizationOf`: whose camera it is; null: not known. */
  constructor(clock: Clock, organizationOf: (cameraUuid: Ruuid) => string | null = () => null) {
    this.#clock = clock;
    this.#organizationOf = organizationOf;
    this.#startMonoMs = clock.monoMs();
    this.#epochMinusMonoMs = clock.epochMs() - this.#startMonoMs;
  }

  /** The size of all samples, in bytes. */
  get byteLength(): number {
    return ringBytes(SYSTEM_COUNTERS.length) + this.#streams.size * ringBytes(STREAM_COUNTERS.length);
  }

  /** The number of the sample that is due last. */
  get tick(): number {
    return Math.floor((this.#clock.monoMs() - this.#startMonoMs) / SAMPLE_INTERVAL_MS);
  }

  /** Until the next sample is due, in milliseconds. */
  get untilNextMs(): number {
    const nextMonoMs = this.#startMonoMs + (this.tick + 1) * SAMPLE_INTERVAL_MS;
    return Math.max(1, nextMonoMs - this.#clock.monoMs());
  }

  putSystem(tick: number, sample: SystemSample): void {
    this.#system.put(tick, sample);
  }

  /**
   * If there are too many streams, one of the organization with the most makes room: the one that was closed first. If that is the camera's
   * own organization and none of its streams is closed, this stream has no history.
   */
  putStream(tick: number, cameraUuid: Ruuid, profile: string, sample: StreamSample): void {
    this.#ringOf(tick, cameraUuid, profile)?.put(tick, sample);
  }

  /** Forgets the cameras that are not among these. */
  retain(cameras: ReadonlySet<Ruuid>): void {
    for (const [key, { cameraUuid }] of this.#streams) {
      if (!cameras.has(cameraUuid)) this.#streams.delete(key);
    }
  }

  read({ stream, sinceEpochMs }: HistoryQuery): CounterColumns {
    const ring =
      stream === null ? this.#system : this.#streams.get(keyOf(stream.cameraUuid, stream.profile))?.ring;
    const { tick } = this;
    // The newest one may still be under way.
    const toTick = this.#system.lastTick === tick ? tick : tick - 1;
    const oldestTick = Math.max(1, toTick - RING_SAMPLES + 1);
    const epochOffsetMs = this.#epochOffsetMs();
    const wantedTick =
      sinceEpochMs === null
        ? oldestTick
        : Math.floor((sinceEpochMs - epochOffsetMs - this.#startMonoMs) / SAMPLE_INTERVAL_MS) + 1;
    const fromTick = Math.min(Math.max(oldestTick, wantedTick), toTick + 1);
    const empty = new CounterRing<string>(stream === null ? SYSTEM_COUNTERS : STREAM_COUNTERS);
    return {
      firstEpochMs: Math.round(epochOffsetMs + this.#startMonoMs + fromTick * SAMPLE_INTERVAL_MS),
      intervalMs: SAMPLE_INTERVAL_MS,
      samples: toTick - fromTick + 1,
      columns: (ring ?? empty).columns(fromTick, toTick),
    };
  }

  /** Stays the same until the wall clock is set, so that labels do not change from one reading to the next. */
  #epochOffsetMs(): number {
    const offsetMs = this.#clock.epochMs() - this.#clock.monoMs();
    if (Math.abs(offsetMs - this.#epochMinusMonoMs) > CLOCK_STEP_MS) this.#epochMinusMonoMs = offsetMs;
    return this.#epochMinusMonoMs;
  }

  #ringOf(tick: number, cameraUuid: Ruuid, profile: string): CounterRing<StreamCounter> | null {
    const key = keyOf(cameraUuid, profile);
    const known = this.#streams.touch(key);
    if (known !== undefined) return known.ring;
    const organization = this.#organizationOf(cameraUuid) ?? '';
    if (this.#streams.size >= LIMITS.counterRings.total) {
      const next = this.#streams.get(this.#streams.nextToGo({ organization }) ?? '');
      const isOwn = next === undefined || next.organization === organization;
      if (isOwn && (next === undefined || next.ring.lastTick >= tick - 1)) return null;
    }
    const ring = new CounterRing(STREAM_COUNTERS);
    this.#streams.set(key, { organization }, { cameraUuid, organization, ring });
    return ring;
  }
}

function keyOf(cameraUuid: Ruuid, profile: string): string {
  return `${cameraUuid} ${profile}`;
}
