/**
 * Opens a camera once and reports what it is: for `sluice check`, and for `rtspUrlStatus`
 * (docs/spec/enumerations.md#urlstatusenum).
 */

import { singlePictureFragment } from '../cmaf/fragment-writer.ts';
import { VIDEO_TRACK_ID } from '../cmaf/packaged-tracks.ts';
import type { AccessUnit, Track } from '../codec/track.ts';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { silentLog } from '../core/log.ts';
import type { CredentialUrl } from '../core/secret.ts';
import { writeInitSegment } from '../isobmff/init-segment.ts';
import type { ClockReading } from '../rtp/camera-clock.ts';
import type { SessionDescription } from '../rtsp/sdp/session-description.ts';
import type { TrackSelection } from '../rtsp/track-selection.ts';
import { STREAM_ERRORS } from '../stream/media/errors.ts';
import type { KeyFrame } from '../stream/media/live-media.ts';
import type { Source } from '../stream/source/source.ts';
import type { SourceEvents } from '../stream/source/source-events.ts';
import { SourceSink } from '../stream/source/source-sink.ts';
import { type DirectObserver, DirectRtspSource } from './direct/direct-rtsp-source.ts';
import { StreamMeter } from './direct/stream-meter.ts';
import { PULL_ERRORS } from './http/errors.ts';
import { type FedWorker, type HttpOffer, HttpSource, isHttp } from './http-source.ts';
import type { AddressRule } from './network/camera-address.ts';
import { isCameraProtocol, type LowerTransport, type TransportPreference } from './network/camera-route.ts';
import { DIRECT_ERRORS } from './network/errors.ts';
import type { TlsTrust } from './network/tls-trust.ts';
import { endingSource, isWorkerUrl } from './url-worker.ts';

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
  /** Media that could be played but are left out: a second video or audio. */
  readonly surplus: readonly OfferedMedia[];
  /** The tracks that the direct engine uses: size, nominal frame rate and audio format. */
  readonly tracks: readonly Track[];
  /** Between the first two key frames; null if no second one arrived in time. */
  readonly gopMs: number | null;
  /** Measured; null if too few frames arrived. */
  readonly frameRateHz: number | null;
  /** How far the camera's clock is ahead of ours, including network delay; null if it sent no sender report. */
  readonly clockOffsetMs: number | null;
  /** How the camera's clocks run; null if it was not watched for long enough. */
  readonly clockReading: ClockReading | null;
  /** Measured, without the transport's own bytes; null if too few frames arrived. */
  readonly bitsPerSec: number | null;
  /** Time from the beginning of the probe to the first key frame of the video; null if none came. */
  readonly firstKeyFrameMs: number | null;
  /** How media came over RTSP; null: it came in another way, or not at all. */
  readonly transport: LowerTransport | 'http' | null;
  /** The first key frame of the video; null if none came, or it was not requested. */
  readonly keyFrame: KeyFrame | null;
}

export interface ProbeOptions {
  readonly transport: TransportPreference;
  /** Limit for the whole probe. A camera that streams by then is GOOD, even if something could not be measured. */
  readonly timeoutMs: number;
  /** Uses all of that time, to read the camera's clocks. Default: false. */
  readonly readsClocks?: boolean;
  readonly clock: Clock;
  readonly tls?: TlsTrust;
  readonly addressRule?: AddressRule;
  /** Workers for streams that only they carry. Without them, such a stream is NOT_SUPPORTED. */
  readonly workers?: ProbeWorkers;
  /** Ends the probe as if its time were up. */
  readonly signal?: AbortSignal;
  /** Default: false. */
  readonly keepsKeyFrame?: boolean;
  /** Ends with the first key frame, without measuring more. Default: false. */
  readonly isBrief?: boolean;
  /** Called once, with the first frame. */
  readonly onMedia?: () => void;
}

export interface ProbeWorkers {
  readonly fed: FedWorker;
  /** Makes a source for RTMP or SRT. */
  readonly ofUrl: (url: CredentialUrl) => Source;
}

/** A larger key frame is not kept: nothing needs a still image of that size. */
const MAX_KEY_FRAME_BYTES = 8 * 1_024 * 1_024;
/** Once all else is measured, how long to wait for the camera's clock: reports come every few seconds. */
const CLOCK_WAIT_MS = 3_000;

const STATUS_BY_CODE: Readonly<Record<string, RtspUrlStatus>> = {
  DIRECT_UNREACHABLE: 'NOT_REACHABLE',
  DIRECT_CONNECT_TIMEOUT: 'NOT_REACHABLE',
  DIRECT_ADDRESS_REFUSED: 'NOT_REACHABLE',
  DIRECT_OUTSIDE_ORGANIZATION_NETWORKS: 'NOT_REACHABLE',
  DIRECT_OUTSIDE_OPERATOR_NETWORKS: 'NOT_REACHABLE',
  RTSP_AUTH_FAILED: 'NOT_AUTHENTICATED',
  RTSP_AUTH_UNSUPPORTED: 'NOT_AUTHENTICATED',
  RTSP_NO_SUPPORTED_VIDEO: 'NOT_SUPPORTED',
  RTSP_SOUND_UNWANTED: 'NOT_SUPPORTED',
  RTSP_TRANSPORT_REFUSED: 'NOT_SUPPORTED',
  RTSP_TUNNEL_REFUSED: 'NOT_SUPPORTED',
  DIRECT_BAD_URL: 'NOT_SUPPORTED',
  PULL_UNREACHABLE: 'NOT_REACHABLE',
  PULL_TIMEOUT: 'NOT_REACHABLE',
  FFMPEG_CAMERA_UNREACHABLE: 'NOT_REACHABLE',
  FFMPEG_CAMERA_TIMEOUT: 'NOT_REACHABLE',
  PULL_AUTH_FAILED: 'NOT_AUTHENTICATED',
  PULL_AUTH_UNSUPPORTED: 'NOT_AUTHENTICATED',
  PULL_CONTENT_UNSUPPORTED: 'NOT_SUPPORTED',
  PULL_NEEDS_WORKER: 'NOT_SUPPORTED',
  PULL_PROTOCOL_UNAVAILABLE: 'NOT_SUPPORTED',
  HLS_NO_VIDEO: 'NOT_SUPPORTED',
  HLS_ENCRYPTION_UNSUPPORTED: 'NOT_SUPPORTED',
};

/** The status of a camera's URL for an error of the direct engine. */
export function rtspUrlStatusOf(error: GatewayError): RtspUrlStatus {
  return STATUS_BY_CODE[error.code] ?? 'UNKNOWN';
}

/** Never rejects. Resolves once the stream has been measured, the camera failed, or the time is up. */
export async function probeCamera(url: CredentialUrl, options: ProbeOptions): Promise<CameraProbe> {
  const { clock, timeoutMs, readsClocks = false, keepsKeyFrame = false, isBrief = false } = options;
  const { signal, onMedia } = options;
  const wanted = { readsClocks, keepsKeyFrame, isBrief, onMedia, mayReport: isCameraProtocol(url.protocol) };
  const probe = new RunningProbe(clock, wanted);
  const source = sourceOf(url, options, probe);
  const instance = source.open(new SourceSink(probe));
  const timer = clock.after(timeoutMs, () => probe.finish());
  if (signal?.aborted === true) probe.finish();
  else signal?.addEventListener('abort', probe.finish, { once: true });
  await probe.finished;
  signal?.removeEventListener('abort', probe.finish);
  timer.cancel();
  await instance.close();
  return probe.result();
}

function sourceOf(url: CredentialUrl, options: ProbeOptions, probe: RunningProbe): Source {
  const { workers, timeoutMs: startMs, readsClocks: _, ...rest } = options;
  const {
    signal: _signal,
    keepsKeyFrame: _keepsKeyFrame,
    onMedia: _onMedia,
    isBrief: _isBrief,
    ...how
  } = rest;
  const common = { ...how, url, log: silentLog };
  if (isHttp(url)) {
    const onOffer = (offer: HttpOffer): void => probe.onOffer(offer);
    return new HttpSource({ ...common, startMs, worker: workers?.fed ?? null, onOffer });
  }
  if (!isWorkerUrl(url.protocol)) return new DirectRtspSource({ ...common, observer: probe });
  return workers?.ofUrl(url) ?? endingSource('none', new GatewayError(PULL_ERRORS.PULL_NEEDS_WORKER));
}

interface ProbeInput {
  /** Uses all of the time for it. */
  readonly readsClocks: boolean;
  /** The camera may send sender reports: only RTSP has them. */
  readonly mayReport: boolean;
  readonly keepsKeyFrame: boolean;
  readonly isBrief: boolean;
  readonly onMedia: (() => void) | undefined;
}

class RunningProbe implements SourceEvents, DirectObserver {
  readonly finished: Promise<void>;
  readonly finish: () => void;
  readonly #clock: Clock;
  readonly #wanted: ProbeInput;
  readonly #startMonoMs: number;
  readonly #meter: StreamMeter;
  #offered: readonly OfferedMedia[] = [];
  #surplus: CameraProbe['surplus'] = [];
  #failure: GatewayError | null = null;
  #clockWait: TimerHandle | null = null;
  #clockReading: ClockReading | null = null;
  #transport: CameraProbe['transport'] = null;
  #keyFrame: KeyFrame | null = null;

  constructor(clock: Clock, wanted: ProbeInput) {
    this.#wanted = wanted;
    this.#startMonoMs = clock.monoMs();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#clock = clock;
    this.#meter = new StreamMeter(() => clock.epochMs());
    this.finished = promise;
    this.finish = () => {
      this.#clockWait?.cancel();
      resolve();
    };
  }

  onDescribed(description: SessionDescription, selection: TrackSelection): void {
    this.#surplus = selection.skipped
      .filter(({ reason }) => reason === 'surplus')
      .map(({ kind, encodings }) => ({ kind, encodings }));
    this.#offered = description.media.map(({ kind, formats }) => ({
      kind,
      encodings: formats.map((format) => format.encoding),
    }));
  }

  onOffer({ format, codecs }: HttpOffer): void {
    this.#offered = [{ kind: 'video', encodings: codecs.length === 0 ? [format] : codecs }];
  }

  onTransport(transport: LowerTransport | 'http'): void {
    this.#transport = transport;
  }

  onRtcp(_trackIndex: number, chunk: Uint8Array, start: number, end: number): void {
    this.#meter.rtcp(chunk, start, end);
    this.#finishWhenMeasured();
  }

  onTracks(tracks: readonly Track[]): void {
    this.#meter.tracks(tracks);
  }

  onAccessUnit(unit: AccessUnit): void {
    const isFirst = !this.#meter.hasFrames;
    this.#meter.accessUnit(unit);
    if (this.#wanted.keepsKeyFrame && this.#keyFrame === null) this.#keyFrame = this.#pictureOf(unit);
    if (isFirst && this.#meter.hasFrames) this.#wanted.onMedia?.();
    this.#finishWhenMeasured();
  }

  onClock(reading: ClockReading): void {
    this.#clockReading = reading;
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
      surplus: this.#surplus,
      tracks: meter.lastTracks,
      gopMs: meter.gopMs,
      frameRateHz: meter.frameRateHz,
      clockOffsetMs: meter.clockOffsetMs,
      clockReading: this.#clockReading,
      bitsPerSec: meter.bitsPerSec,
      firstKeyFrameMs:
        meter.firstKeyMonoMs === null ? null : Math.round(meter.firstKeyMonoMs - this.#startMonoMs),
      transport: this.#transport,
      keyFrame: this.#keyFrame,
    };
  }

  /** null: no key frame of the video, or too large. */
  #pictureOf({ trackIndex, isKey, data }: AccessUnit): KeyFrame | null {
    const track = this.#meter.lastTracks[trackIndex];
    if (!isKey || track?.kind !== 'video' || data.length > MAX_KEY_FRAME_BYTES) return null;
    return {
      fmp4: [writeInitSegment([track]), ...singlePictureFragment(VIDEO_TRACK_ID, Buffer.from(data))],
      widthPx: track.widthPx,
      heightPx: track.heightPx,
      atEpochMs: Math.round(this.#clock.epochMs()),
    };
  }

  #error(): GatewayError | null {
    if (this.#meter.isFrozen) return new GatewayError(STREAM_ERRORS.STREAM_FROZEN);
    if (this.#meter.hasFrames) return null;
    return this.#failure ?? new GatewayError(DIRECT_ERRORS.DIRECT_SILENT);
  }

  #finishWhenMeasured(): void {
    if (this.#wanted.isBrief && this.#meter.firstKeyMonoMs !== null) this.finish();
    if (!this.#meter.isComplete || this.#wanted.readsClocks) return;
    if (this.#meter.clockOffsetMs !== null || !this.#wanted.mayReport) this.finish();
    else this.#clockWait ??= this.#clock.after(CLOCK_WAIT_MS, this.finish);
  }
}
