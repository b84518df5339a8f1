/**
 * Opens a camera once and reports what it is: for `sluice check`, and for `rtspUrlStatus`
 * (docs/spec/enumerations.md#urlstatusenum).
 */

import type { AccessUnit, Track } from '../../codec/track.ts';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { silentLog } from '../../core/log.ts';
import type { CredentialUrl } from '../../core/secret.ts';
import type { SessionDescription } from '../../sdp/session-description.ts';
import { STREAM_ERRORS } from '../../stream/errors.ts';
import type { SourceEvents } from '../../stream/source-events.ts';
import { SourceSink } from '../../stream/source-sink.ts';
import type { AddressRule } from '../network/camera-address.ts';
import type { TlsTrust } from '../network/tls-trust.ts';
import { type DirectObserver, DirectRtspSource, type TransportPreference } from './direct-rtsp-source.ts';
import { DIRECT_ERRORS } from './errors.ts';
import { StreamMeter } from './stream-meter.ts';

/** UrlStatusEnum of the specification (docs/spec/enumerations.md#urlstatusenum). */
export type RtspUrlStatus = 'GOOD' | 'NOT_REACHABLE' | 'NOT_AUTHENTICATED' | 'NOT_SUPPORTED' | 'UNKNOWN';

/** One media description of the camera's SDP. */
export interface OfferedMedia {
  /** `video`, `audio`, `application`… */
  readonly kind: string;
  /** Names of its formats in lower case; '' if the camera does not say. */
  readonly encodings: readonly string[];
}

export interface CameraProbe {
  readonly status: RtspUrlStatus;
  /** Why the status is not GOOD; null when it is. */
  readonly error: GatewayError | null;
  /** All media that the camera offers; empty if the probe did not get that far. */
  readonly offered: readonly OfferedMedia[];
  /** What the direct engine uses of it: size, nominal frame rate and audio format. */
  readonly tracks: readonly Track[];
  /** Between the first two key frames; null if no second one arrived in time. */
  readonly gopMs: number | null;
  /** Measured; null if too few frames arrived. */
  readonly frameRateHz: number | null;
  /** How far the camera's clock is ahead of ours, including network delay; null if it sent no sender report. */
  readonly clockOffsetMs: number | null;
}

export interface ProbeOptions {
  readonly transport: TransportPreference;
  /** For the whole probe. A camera that streams by then is GOOD, whatever could not be measured. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly tls?: TlsTrust;
  readonly addressRule?: AddressRule;
}

/** Once all else is measured, how long to wait for the camera's clock: reports come every few seconds. */
const CLOCK_WAIT_MS = 3_000;

const STATUS_BY_CODE: Readonly<Record<string, RtspUrlStatus>> = {
  DIRECT_UNREACHABLE: 'NOT_REACHABLE',
  DIRECT_CONNECT_TIMEOUT: 'NOT_REACHABLE',
  DIRECT_ADDRESS_REFUSED: 'NOT_REACHABLE',
  RTSP_AUTH_FAILED: 'NOT_AUTHENTICATED',
  RTSP_AUTH_UNSUPPORTED: 'NOT_AUTHENTICATED',
  RTSP_NO_SUPPORTED_VIDEO: 'NOT_SUPPORTED',
  RTSP_TRANSPORT_REFUSED: 'NOT_SUPPORTED',
  DIRECT_BAD_URL: 'NOT_SUPPORTED',
};

/** What an error of the direct engine means for a camera's URL. */
export function rtspUrlStatusOf(error: GatewayError): RtspUrlStatus {
  return STATUS_BY_CODE[error.code] ?? 'UNKNOWN';
}

/** Never rejects. Resolves once the stream has been measured, the camera failed, or the time is up. */
export async function probeCamera(url: CredentialUrl, options: ProbeOptions): Promise<CameraProbe> {
  const { clock, timeoutMs, ...how } = options;
  const probe = new RunningProbe(clock);
  const source = new DirectRtspSource({ ...how, url, clock, log: silentLog, observer: probe });
  const instance = source.open(new SourceSink(probe));
  const timer = clock.after(timeoutMs, () => probe.finish());
  await probe.finished;
  timer.cancel();
  await instance.close();
  return probe.result();
}

class RunningProbe implements SourceEvents, DirectObserver {
  readonly finished: Promise<void>;
  readonly finish: () => void;
  readonly #clock: Clock;
  readonly #meter: StreamMeter;
  #offered: readonly OfferedMedia[] = [];
  #failure: GatewayError | null = null;
  #clockWait: TimerHandle | null = null;

  constructor(clock: Clock) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#clock = clock;
    this.#meter = new StreamMeter(() => clock.epochMs());
    this.finished = promise;
    this.finish = () => {
      this.#clockWait?.cancel();
      resolve();
    };
  }

  onDescribed(description: SessionDescription): void {
    this.#offered = description.media.map(({ kind, formats }) => ({
      kind,
      encodings: formats.map((format) => format.encoding),
    }));
  }

  onRtcp(_trackIndex: number, chunk: Uint8Array, start: number, end: number): void {
    this.#meter.rtcp(chunk, start, end);
    this.#finishWhenMeasured();
  }

  onTracks(tracks: readonly Track[]): void {
    this.#meter.tracks(tracks);
  }

  onAccessUnit(unit: AccessUnit): void {
    this.#meter.accessUnit(unit);
    this.#finishWhenMeasured();
  }

  onDropped(): void {
    // A probe is only about what arrives.
  }

  onEnded(error: GatewayError): void {
    this.#failure = error;
    this.finish();
  }

  result(): CameraProbe {
    const meter = this.#meter;
    const error = this.#error();
    return {
      status: error === null ? 'GOOD' : rtspUrlStatusOf(error),
      error,
      offered: this.#offered,
      tracks: meter.lastTracks,
      gopMs: meter.gopMs,
      frameRateHz: meter.frameRateHz,
      clockOffsetMs: meter.clockOffsetMs,
    };
  }

  #error(): GatewayError | null {
    if (this.#meter.isFrozen) return new GatewayError(STREAM_ERRORS.STREAM_FROZEN);
    if (this.#meter.hasPictures) return null;
    return this.#failure ?? new GatewayError(DIRECT_ERRORS.DIRECT_SILENT);
  }

  #finishWhenMeasured(): void {
    if (!this.#meter.isComplete) return;
    if (this.#meter.clockOffsetMs !== null) this.finish();
    else this.#clockWait ??= this.#clock.after(CLOCK_WAIT_MS, this.finish);
  }
}
