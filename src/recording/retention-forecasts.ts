/** The forecast of what the store and the disk have, which are read at most once a minute. */

import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { RecordingRepository, RecordingUsage } from '../store/recording.ts';
import type { RecordingHoldRepository } from '../store/recording-hold.ts';
import {
  type ForecastStream,
  forecastRetention,
  RATE_WINDOW_MS,
  type RetentionForecast,
} from './retention-forecast.ts';
import { limitsOfStream, type OwnRetention, type RetentionLimits } from './retention-rules.ts';

export interface RetentionForecastsOptions {
  readonly recordings: Pick<RecordingRepository, 'usage' | 'recent' | 'byteLength'>;
  readonly recordingHolds: Pick<RecordingHoldRepository, 'list'>;
  readonly limits: RetentionLimits;
  readonly ownRetention: (cameraUuid: Ruuid) => OwnRetention;
  /** Room on the disk of the recordings; null: they are elsewhere, or it cannot be read. */
  readonly freeBytes: () => Promise<number | null>;
  readonly clock: Clock;
}

const READ_AGAIN_MS = 60_000;

/** What the forecast is made of, besides the limits. */
interface Readings {
  readonly streams: readonly (RecordingUsage & {
    readonly heldBytes: number;
    readonly recentBytes: number;
    /** Whether nothing but shares was the reason to record it lately. */
    readonly isForShares: boolean;
  })[];
  readonly freeBytes: number | null;
  readonly epochMs: number;
}

export class RetentionForecasts {
  readonly #options: RetentionForecastsOptions;
  #newest: Promise<Readings> | null = null;
  #readMonoMs = 0;

  constructor(options: RetentionForecastsOptions) {
    this.#options = options;
  }

  /** With the limits as they are now. Rejects like the store. */
  async read(): Promise<RetentionForecast> {
    const { limits } = this.#options;
    const { streams, freeBytes, epochMs } = await this.#readings();
    return forecastRetention(
      streams.map((stream): ForecastStream => ({ ...stream, ...this.#limitsOf(stream) })),
      {
        disk: freeBytes === null ? null : { freeBytes, minFreeBytes: limits.minFreeBytes },
        maxOrganizationBytes: limits.maxOrganizationBytes,
      },
      epochMs,
    );
  }

  #readings(): Promise<Readings> {
    const nowMonoMs = this.#options.clock.monoMs();
    if (this.#newest !== null && nowMonoMs - this.#readMonoMs < READ_AGAIN_MS) return this.#newest;
    const reading = this.#readAgain();
    this.#newest = reading;
    this.#readMonoMs = nowMonoMs;
    reading.catch(() => {
      if (this.#newest === reading) this.#newest = null;
    });
    return reading;
  }

  async #readAgain(): Promise<Readings> {
    const { recordings, recordingHolds, clock, freeBytes: readFree } = this.#options;
    const epochMs = clock.epochMs();
    const [usage, recent, holds, freeBytes] = await Promise.all([
      recordings.usage(),
      recordings.recent(epochMs - RATE_WINDOW_MS),
      recordingHolds.list(),
      readFree(),
    ]);
    const recentByStream = new Map(recent.map((stream) => [keyOf(stream), stream]));
    const heldCameras = new Set(holds.map(({ cameraUuid }) => cameraUuid));
    const streams: Readings['streams'][number][] = [];
    for (const stream of usage) {
      const heldBytes = heldCameras.has(stream.cameraUuid) ? await recordings.byteLength(stream, 'held') : 0;
      const { byteLength: recentBytes = 0, sharesBytes = 0 } = recentByStream.get(keyOf(stream)) ?? {};
      const isForShares = recentBytes > 0 && sharesBytes === recentBytes;
      streams.push({ ...stream, heldBytes, recentBytes, isForShares });
    }
    return { streams, freeBytes, epochMs };
  }

  #limitsOf({
    cameraUuid,
    rendition,
    isForShares,
  }: Readings['streams'][number]): Pick<ForecastStream, 'keepMs' | 'maxBytes'> {
    const { limits, ownRetention } = this.#options;
    const own = limitsOfStream(limits, ownRetention(cameraUuid), rendition);
    const { keepMs, keepForSharesMs, maxCameraBytes } = own;
    return { keepMs: isForShares ? keepForSharesMs : keepMs, maxBytes: maxCameraBytes };
  }
}

function keyOf({ cameraUuid, rendition }: Pick<RecordingUsage, 'cameraUuid' | 'rendition'>): string {
  return `${cameraUuid}/${rendition}`;
}
