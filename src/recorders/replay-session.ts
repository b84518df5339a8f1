/**
 * One RTSP session in which a video recorder plays a recording, over TCP. Frames have the time at which they were recorded as their
 * arrival, so everything that follows counts in recorded time, however fast they come. Opened once, ends once.
 */

import { randomInt } from 'node:crypto';
import type { AccessUnit, Track } from '../codec/track.ts';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { latmPayloadFormat } from '../rtp/aac/latm-payload-format.ts';
import { MediaReceiver, type MediaReceiverEvents } from '../rtp/media-receiver.ts';
import { RtspClientSession } from '../rtsp/client-session.ts';
import type { ReadyTrack } from '../rtsp/client-session-events.ts';
import { RTSP_ERRORS } from '../rtsp/errors.ts';
import type { RtpInfo } from '../rtsp/rtp-info.ts';
import { isPlayable, isVideo } from '../rtsp/track-selection.ts';
import { RtspConnection } from '../sources/direct/rtsp-connection.ts';
import { DEFAULT_DIRECT_TIMEOUTS } from '../sources/direct/timeouts.ts';
import { cameraRoute } from '../sources/network/camera-route.ts';
import { DIRECT_ERRORS } from '../sources/network/errors.ts';
import type { SoundPath, SoundPaths } from '../sources/sound/sound-path.ts';
import type { ReplayRequest } from './recorder-archive.ts';
import type { RecordedChannel } from './recorder-settings.ts';
import { ReplayTime } from './replay-time.ts';

export interface ReplayEvents {
  onTracks(tracks: readonly Track[]): void;
  /** Borrowed. `arrivalMonoMs` is the true time of the frame, epoch milliseconds. */
  onUnit(unit: AccessUnit): void;
  /** Once. null: the recorder has ended the recording, or says nothing more. */
  onEnded(error: GatewayError | null): void;
}

export interface ReplayOptions {
  readonly channel: Pick<RecordedChannel, 'tls' | 'addressRule'>;
  readonly request: ReplayRequest;
  /** The requested time. */
  readonly fromMs: number;
  readonly clock: Clock;
  /** Paths for audio other than AAC. */
  readonly sound: SoundPaths;
  readonly events: ReplayEvents;
}

/** A recorder that has begun to play and says nothing for so long is at the end of the recording. */
const SILENCE_MS = 5_000;
/** Its disk may have to start first. */
const FIRST_FRAME_MS = 15_000;
const TEARDOWN_MS = 500;
const NEVER = Number.POSITIVE_INFINITY;

export class ReplaySession {
  readonly #options: ReplayOptions;
  readonly #clock: Clock;
  readonly #connection: RtspConnection | null;
  readonly #session: RtspClientSession;
  readonly #unit: AccessUnit = {
    trackIndex: 0,
    dtsTicks: 0,
    ptsTicks: 0,
    isKey: true,
    data: new Uint8Array(0),
    arrivalMonoMs: 0,
  };
  #receiver: MediaReceiver | null = null;
  #time: ReplayTime | null = null;
  #sound: SoundPath | null = null;
  #videoIndex = 0;
  /** True time of the newest frame of the video; never goes back. */
  #wallMs: number;
  #playedRange: string | null = null;
  #isPaused = false;
  #isOver = false;
  #hasMedia = false;
  #timer: TimerHandle | null = null;
  #connectByMonoMs: number;
  #quietByMonoMs = NEVER;
  #onTornDown: () => void = () => undefined;

  constructor(options: ReplayOptions) {
    const { request, channel, clock, fromMs } = options;
    this.#options = options;
    this.#clock = clock;
    this.#wallMs = fromMs;
    this.#connectByMonoMs = clock.monoMs() + DEFAULT_DIRECT_TIMEOUTS.connectMs;
    const route = cameraRoute(request.url, 'tcp');
    this.#session = this.#makeSession();
    if (route === null || route.tunnel !== null) {
      this.#connection = null;
      queueMicrotask(() =>
        this.#end(new GatewayError(DIRECT_ERRORS.DIRECT_BAD_URL, { protocol: request.url.protocol })),
      );
      return;
    }
    const { host, port, isTls } = route;
    const target = { host, port, tls: isTls ? channel.tls : null, addressRule: channel.addressRule };
    this.#connection = new RtspConnection(target, {
      onConnected: () => this.#connected(),
      onBytes: (chunk) => this.#received(chunk),
      onLost: (error) => this.#end(this.#hasMedia ? null : error),
    });
    this.#arm();
  }

  /** Whether the recorder says when its frames were recorded. */
  get isExact(): boolean {
    return this.#time?.isExact ?? false;
  }

  /** The recorder has to wait: nothing more is read. */
  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#connection?.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#quietByMonoMs = this.#clock.monoMs() + SILENCE_MS;
    this.#connection?.resume();
    this.#arm();
  }

  /** Idempotent; no event comes anymore. Resolves once the recorder knows and the connection is closed. */
  async close(): Promise<void> {
    this.#stop();
    const soundClosed = this.#sound?.close();
    const connection = this.#connection;
    if (connection !== null) {
      connection.resume();
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#onTornDown = resolve;
      if (this.#session.teardown()) {
        const timer = this.#clock.after(TEARDOWN_MS, resolve);
        await Promise.race([promise, connection.closed]);
        timer.cancel();
      }
      connection.destroy();
      await connection.closed;
    }
    await soundClosed;
  }

  #makeSession(): RtspClientSession {
    const { request, sound } = this.#options;
    return new RtspClientSession({
      url: request.url,
      limits: DEFAULT_DIRECT_TIMEOUTS,
      replay: request.fields,
      wanted: {
        otherSoundOf: (format) => {
          const isLatm = format.encoding === 'mp4a-latm' && latmPayloadFormat(format.fmtp, format) !== null;
          return isLatm ? 'aac-latm' : sound.carries(format) ? 'coded-sound' : null;
        },
      },
      events: {
        onSend: (bytes) => this.#connection?.write(bytes),
        onDescribed: (_description, selection) => {
          if (!this.#isOver && isPlayable(selection))
            this.#session.setUp({ kind: 'tcp' }, this.#clock.monoMs());
        },
        onReady: (tracks) => this.#ready(tracks),
        onPlaying: (rtpInfos, range) => this.#playing(rtpInfos, range),
        onRtp: (trackIndex, chunk, start, end) => this.#rtp(trackIndex, chunk, start, end),
        onRtcp: (trackIndex, chunk, start, end) => this.#rtcp(trackIndex, chunk, start, end),
        onRedirect: () =>
          this.#end(new GatewayError(RTSP_ERRORS.RTSP_REDIRECT_REFUSED, { reason: 'recording' })),
        onFailed: (error) => {
          const isEnd = this.#hasMedia && error.code === RTSP_ERRORS.RTSP_ENDED_BY_CAMERA.code;
          this.#end(isEnd ? null : error);
        },
        onTornDown: () => this.#onTornDown(),
      },
    });
  }

  #connected(): void {
    this.#connectByMonoMs = NEVER;
    this.#session.start(this.#clock.monoMs());
    this.#arm();
  }

  #received(chunk: Uint8Array): void {
    this.#session.push(chunk, this.#clock.monoMs());
    this.#arm();
  }

  #ready(tracks: readonly ReadyTrack[]): void {
    if (this.#isOver) return;
    const { request, fromMs, sound } = this.#options;
    this.#videoIndex = tracks.findIndex(({ selected }) => isVideo(selected));
    const video = tracks[this.#videoIndex];
    if (video === undefined) {
      this.#end(new GatewayError(RTSP_ERRORS.RTSP_NO_SUPPORTED_VIDEO));
      return;
    }
    this.#time = new ReplayTime(video.selected.format.clockRateHz, fromMs + request.offsetMs);
    const coded = tracks.find(({ selected }) => selected.encoding === 'coded-sound')?.selected;
    this.#sound =
      coded === undefined
        ? null
        : sound.open(coded.format, {
            onUnit: (dtsTicks, data) => this.#soundCoded(tracks.length - 1, dtsTicks, data),
            onWaiting: () => undefined,
          });
    const events: MediaReceiverEvents = {
      onTracks: (found) => this.#options.events.onTracks(found),
      onAccessUnit: (unit) => this.#options.events.onUnit(unit),
      onDropped: () => undefined,
    };
    this.#receiver = new MediaReceiver({
      tracks: tracks.map(({ selected: { encoding, format }, ssrc }) => ({
        encoding,
        payloadType: format.payloadType,
        clockRateHz: format.clockRateHz,
        channelCount: format.channelCount,
        fmtp: format.fmtp,
        ssrc,
        frameSize: format.frameSize,
      })),
      sound: this.#sound,
      transport: 'tcp',
      lossPolicy: 'until-key',
      localSsrc: randomInt(1, 2 ** 32),
      events,
    });
  }

  #soundCoded(trackIndex: number, dtsTicks: number, data: Uint8Array): void {
    if (this.#isOver) return;
    const unit = this.#unit;
    unit.trackIndex = trackIndex;
    unit.dtsTicks = dtsTicks;
    unit.ptsTicks = dtsTicks;
    unit.data = data;
    unit.arrivalMonoMs = this.#wallMs;
    this.#options.events.onUnit(unit);
  }

  #playing(rtpInfos: readonly (RtpInfo | null)[], range: string | null): void {
    this.#playedRange = range;
    this.#time?.played(this.#playedRange);
    rtpInfos.forEach((info, trackIndex) => {
      if (info !== null) this.#receiver?.applyRtpInfo(trackIndex, info);
    });
    this.#quietByMonoMs = this.#clock.monoMs() + FIRST_FRAME_MS;
  }

  #rtp(trackIndex: number, chunk: Uint8Array, start: number, end: number): void {
    if (this.#receiver === null) return;
    if (trackIndex === this.#videoIndex) {
      const shownMs = this.#time!.of(chunk, start, end);
      if (shownMs !== null) {
        const trueMs = shownMs - this.#options.request.offsetMs;
        // The first frame says where it begins, and pictures that are shown later than they are sent go back a little.
        this.#wallMs = this.#hasMedia ? Math.max(this.#wallMs, trueMs) : trueMs;
        this.#hasMedia = true;
      }
    }
    this.#quietByMonoMs = this.#clock.monoMs() + SILENCE_MS;
    this.#receiver.rtp(trackIndex, chunk, start, end, this.#wallMs);
  }

  #rtcp(trackIndex: number, chunk: Uint8Array, start: number, end: number): void {
    const receiver = this.#receiver;
    if (receiver === null) return;
    receiver.rtcp(trackIndex, chunk, start, end, this.#wallMs);
    if (receiver.byeReceived) this.#end(null);
  }

  #arm(): void {
    if (this.#isOver) return;
    const quietByMonoMs = this.#isPaused ? NEVER : this.#quietByMonoMs;
    const dueMonoMs = Math.min(this.#connectByMonoMs, this.#session.wakeAtMonoMs, quietByMonoMs);
    this.#timer?.cancel();
    this.#timer = this.#clock.after(Math.max(0, dueMonoMs - this.#clock.monoMs()), () => this.#wake());
  }

  #wake(): void {
    const nowMonoMs = this.#clock.monoMs();
    try {
      if (nowMonoMs >= this.#connectByMonoMs)
        this.#end(new GatewayError(DIRECT_ERRORS.DIRECT_CONNECT_TIMEOUT));
      else if (!this.#isPaused && nowMonoMs >= this.#quietByMonoMs) {
        this.#end(this.#hasMedia ? null : new GatewayError(DIRECT_ERRORS.DIRECT_SILENT));
      } else this.#session.wake(nowMonoMs);
    } catch (thrown) {
      this.#end(toGatewayError(thrown));
    }
    this.#arm();
  }

  #end(error: GatewayError | null): void {
    if (this.#isOver) return;
    this.#stop();
    this.#options.events.onEnded(error);
  }

  #stop(): void {
    this.#isOver = true;
    this.#timer?.cancel();
    this.#receiver = null;
  }
}
