/**
 * One connection to a camera: socket, RTSP session, media receiver and, over UDP, the media ports. It is opened once,
 * reports its end at most once, and is released once.
 */

import { randomInt } from 'node:crypto';
import type { AccessUnit } from '../../codec/track.ts';
import type { Clock, TimerHandle } from '../../core/clock.ts';
import { GatewayError, toGatewayError } from '../../core/errors.ts';
import { latmPayloadFormat } from '../../rtp/aac/latm-payload-format.ts';
import { MediaReceiver, type MediaReceiverEvents } from '../../rtp/media-receiver.ts';
import { RtspClientSession } from '../../rtsp/client-session.ts';
import type { ReadyTrack } from '../../rtsp/client-session-events.ts';
import { RTSP_ERRORS } from '../../rtsp/errors.ts';
import type { RtpInfo } from '../../rtsp/rtp-info.ts';
import type { SessionDescription } from '../../rtsp/sdp/session-description.ts';
import { isPlayable, isVideo, type SkippedTrack, type TrackSelection } from '../../rtsp/track-selection.ts';
import { FloodGuard } from '../../stream/source/flood-guard.ts';
import type { SoundOffer } from '../../stream/source/source-events.ts';
import type { SourceSink } from '../../stream/source/source-sink.ts';
import type { JpegPath, JpegPaths } from '../jpeg/jpeg-path.ts';
import type { AddressRule } from '../network/camera-address.ts';
import type { CameraRoute, LowerTransport } from '../network/camera-route.ts';
import { DIRECT_ERRORS } from '../network/errors.ts';
import type { TlsTrust } from '../network/tls-trust.ts';
import type { SoundPath, SoundPaths } from '../sound/sound-path.ts';
import type { CameraConnection } from './camera-connection.ts';
import { RtspConnection } from './rtsp-connection.ts';
import type { DirectTimeouts } from './timeouts.ts';
import { TunnelConnection } from './tunnel-connection.ts';
import { UdpMedia } from './udp-media.ts';
import { watchSignatures } from './watch-signatures.ts';

/**
 * Events of the connection; media goes to the sink. Nothing is called after `release`, nor after `onRedirect` or
 * `onFailed`, at most one of which is called.
 */
export interface CameraLinkEvents {
  onDescribed(description: SessionDescription, selection: TrackSelection): void;
  onSkipped(skipped: readonly SkippedTrack[]): void;
  /** One RTCP datagram or frame, borrowed. */
  onRtcp(trackIndex: number, chunk: Uint8Array, start: number, end: number): void;
  /**
   * Players cannot follow the video as it is: it has no key frames, or parameter sets that flap. Called once. Returns false
   * if no other engine takes over the camera.
   */
  onUnfit(): boolean;
  onRedirect(location: string): void;
  onFailed(error: GatewayError): void;
}

export interface CameraLinkOptions {
  readonly route: CameraRoute;
  readonly transport: LowerTransport;
  readonly tls: TlsTrust;
  readonly addressRule: AddressRule;
  readonly clock: Clock;
  readonly timeouts: DirectTimeouts;
  /** Paths for audio other than AAC; null leaves it out. */
  readonly sound: SoundPaths | null;
  /** Paths for Motion JPEG; null: such a camera has no supported video. */
  readonly jpeg: JpegPaths | null;
  readonly mayUseCameraTime: boolean;
  /** As DirectRtspOptions. */
  readonly signingAnchors: string | null;
  /** Leaves out all audio. */
  readonly isSilent: boolean;
  /** Limits what the camera sends. */
  readonly sink: SourceSink;
}

/** RFC 3550 §6.2: the minimum interval between reports. */
const REPORT_INTERVAL_MS = 5_000;
const UDP_FLUSH_INTERVAL_MS = 50;
/** A flush this late means that the process was paused: timers then run before sockets. */
const PAUSE_MS = 25;
const NEVER_MONO_MS = Number.POSITIVE_INFINITY;

export class CameraLink {
  readonly #options: CameraLinkOptions;
  readonly #events: CameraLinkEvents;
  readonly #clock: Clock;
  readonly #session: RtspClientSession;
  readonly #connection: CameraConnection;
  readonly #udp: UdpMedia | null;
  readonly #flood = new FloodGuard();
  /** Value of `#session.received`. */
  #countedMessages = 0;
  #receiver: MediaReceiver | null = null;
  #sound: SoundPath | null = null;
  #jpeg: JpegPath | null = null;
  /** The transcoded audio. */
  readonly #soundUnit: AccessUnit = {
    trackIndex: 0,
    dtsTicks: 0,
    ptsTicks: 0,
    isKey: true,
    data: new Uint8Array(0),
    arrivalMonoMs: 0,
  };
  #readyTracks: readonly ReadyTrack[] = [];
  /** Failed, redirected or released: anything that still comes from the camera is ignored. */
  #isOver = false;
  #released: Promise<void> | null = null;
  #onTornDown: () => void = () => undefined;
  #timer: TimerHandle | null = null;
  #timerDueMonoMs = NEVER_MONO_MS;
  /** Clock reading for the event being handled. */
  #nowMonoMs: number;
  /** Timeout of the connection; for a tunnel, also of the answers to its HTTP requests. */
  readonly #connectMs: number;
  readonly #openedMonoMs: number;
  #connectDeadlineMonoMs: number;
  #lastMediaMonoMs = NEVER_MONO_MS;
  #reportAtMonoMs = NEVER_MONO_MS;
  #flushAtMonoMs = NEVER_MONO_MS;

  /** Events come only after the constructor has returned. */
  constructor(options: CameraLinkOptions, events: CameraLinkEvents) {
    this.#options = options;
    this.#events = events;
    this.#clock = options.clock;
    this.#nowMonoMs = options.clock.monoMs();
    this.#connectMs =
      options.timeouts.connectMs + (options.route.tunnel === null ? 0 : options.timeouts.stepMs);
    this.#openedMonoMs = this.#nowMonoMs;
    this.#connectDeadlineMonoMs =
      this.#openedMonoMs + Math.min(options.timeouts.reachMs, options.timeouts.connectMs);
    this.#session = this.#makeSession(options);
    this.#udp = options.transport === 'tcp' ? null : this.#makeUdp();
    this.#connection = this.#connect(options);
    this.#arm();
  }

  /**
   * Says goodbye to the camera, for at most `teardownMs`, and frees everything. Idempotent; resolves when everything is
   * released.
   */
  release(): Promise<void> {
    this.#released ??= this.#release();
    return this.#released;
  }

  async #release(): Promise<void> {
    this.#end();
    const pathsClosed = [this.#sound?.close(), this.#jpeg?.close()];
    const tornDown = new Promise<void>((resolve) => {
      this.#onTornDown = resolve;
    });
    if (this.#session.teardown()) {
      const { promise: timedOut, resolve } = Promise.withResolvers<void>();
      const timer = this.#clock.after(this.#options.timeouts.teardownMs, resolve);
      await Promise.race([tornDown, this.#connection.closed, timedOut]);
      timer.cancel();
    }
    this.#connection.destroy();
    await Promise.all([this.#connection.closed, this.#udp?.close(), ...pathsClosed]);
  }

  #connect({ route, tls, addressRule }: CameraLinkOptions): CameraConnection {
    const { host, port, isTls, tunnel, rtspUrl } = route;
    const target = { host, port, tls: isTls ? tls : null, addressRule };
    const events = {
      onConnected: () => this.#connected(),
      onBytes: (chunk: Uint8Array) => this.#received(chunk),
      onLost: (error: GatewayError) => this.#fail(error),
    };
    return tunnel === null
      ? new RtspConnection(target, events)
      : new TunnelConnection(target, tunnel, rtspUrl, events);
  }

  #makeSession(options: CameraLinkOptions): RtspClientSession {
    return new RtspClientSession({
      url: options.route.rtspUrl,
      limits: options.timeouts,
      wanted: {
        isSilent: options.isSilent,
        carriesJpeg: options.jpeg !== null,
        otherSoundOf: (format) => {
          if (format.encoding === 'mp4a-latm' && latmPayloadFormat(format.fmtp, format) !== null)
            return 'aac-latm';
          return options.sound?.carries(format) ? 'coded-sound' : null;
        },
      },
      events: {
        onSend: (bytes) => this.#send(bytes),
        onDescribed: (description, selection) => this.#described(description, selection),
        onReady: (tracks, skipped) => this.#ready(tracks, skipped),
        onPlaying: (rtpInfos) => this.#playing(rtpInfos),
        onRtp: (trackIndex, chunk, start, end) => this.#rtp(trackIndex, chunk, start, end),
        onRtcp: (trackIndex, chunk, start, end) => this.#rtcp(trackIndex, chunk, start, end),
        onRedirect: (location) => this.#redirected(location),
        onFailed: (error) => this.#fail(error),
        onTornDown: () => this.#onTornDown(),
      },
    });
  }

  #makeUdp(): UdpMedia {
    return new UdpMedia({
      onRtp: (trackIndex, datagram) => this.#datagram(trackIndex, datagram, 'rtp'),
      onRtcp: (trackIndex, datagram) => this.#datagram(trackIndex, datagram, 'rtcp'),
      onError: (error) => this.#fail(error),
    });
  }

  #connected(): void {
    this.#connectDeadlineMonoMs = NEVER_MONO_MS;
    this.#nowMonoMs = this.#clock.monoMs();
    this.#session.start(this.#nowMonoMs);
    this.#arm();
  }

  #received(chunk: Uint8Array): void {
    this.#nowMonoMs = this.#clock.monoMs();
    this.#session.push(chunk, this.#nowMonoMs);
    const { received } = this.#session;
    this.#count(received - this.#countedMessages, chunk.length);
    this.#countedMessages = received;
    this.#arm();
  }

  #datagram(trackIndex: number, datagram: Uint8Array, kind: 'rtp' | 'rtcp'): void {
    this.#nowMonoMs = this.#clock.monoMs();
    this.#noticePause();
    this.#count(1, datagram.length);
    try {
      if (kind === 'rtp') this.#rtp(trackIndex, datagram, 0, datagram.length);
      else this.#rtcp(trackIndex, datagram, 0, datagram.length);
    } catch (error) {
      this.#fail(toGatewayError(error));
    }
  }

  /** Counts everything: discarded packets have a cost too. */
  #count(packets: number, bytes: number): void {
    if (this.#isOver || this.#flood.admits(packets, bytes, this.#nowMonoMs)) return;
    const figures = this.#flood.figures(this.#nowMonoMs);
    this.#fail(new GatewayError(DIRECT_ERRORS.DIRECT_FLOOD, { ...figures }));
  }

  #send(bytes: Uint8Array): void {
    if (!this.#connection.write(bytes)) this.#fail(new GatewayError(DIRECT_ERRORS.DIRECT_BACKLOG));
  }

  #described(description: SessionDescription, selection: TrackSelection): void {
    if (this.#isOver) return;
    this.#events.onDescribed(description, selection);
    const { addresses } = this.#connection;
    if (this.#isOver || !isPlayable(selection) || addresses === null) return;
    const { transport } = this.#options;
    if (transport !== 'udp') {
      this.#session.setUp({ kind: transport }, this.#nowMonoMs);
      return;
    }
    const trackCount = selection.video === null || selection.audio === null ? 1 : 2;
    this.#udp?.open(addresses, trackCount, (clientPorts) => {
      this.#session.setUp({ kind: 'udp', clientPorts }, this.#clock.monoMs());
      this.#arm();
    });
  }

  #ready(tracks: readonly ReadyTrack[], skipped: readonly SkippedTrack[]): void {
    if (this.#isOver) return;
    this.#readyTracks = tracks;
    if (tracks.some(({ selected }) => selected.encoding === 'jpeg')) {
      this.#jpeg = this.#options.jpeg?.open(this.#options.sink) ?? null;
    }
    this.#sound = this.#openSound(tracks);
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
      transport: this.#udp === null ? 'tcp' : 'udp',
      lossPolicy: 'repair',
      epochMinusMonoMs: this.#clock.epochMs() - this.#clock.monoMs(),
      mayUseCameraTime: this.#options.mayUseCameraTime,
      signing: watchSignatures(tracks, this.#options.signingAnchors, this.#options),
      localSsrc: randomInt(1, 2 ** 32),
      events: this.#media,
      onUnfit: (hasKeyFrame) => this.#unfit(hasKeyFrame),
    });
    this.#options.sink.onSound(soundOffer(tracks, skipped));
    if (skipped.length > 0) this.#events.onSkipped(skipped);
    this.#join(tracks);
    this.#punch();
  }

  /** Where the media goes. */
  get #media(): MediaReceiverEvents {
    return this.#jpeg ?? this.#options.sink;
  }

  /** At the latest when PLAY is sent: a group that is new here takes the network's switches a moment. */
  #join(tracks: readonly ReadyTrack[]): void {
    const { addresses } = this.#connection;
    const groups = tracks.map(({ group }) => group).filter((group) => group !== null);
    if (groups.length > 0 && addresses !== null) this.#udp?.join(addresses, groups);
  }

  /** The path for audio that viewers cannot play; null if the camera has none, or it is left out. */
  #openSound(tracks: readonly ReadyTrack[]): SoundPath | null {
    const { sink, sound } = this.#options;
    const coded = tracks.find(({ selected }) => selected.encoding === 'coded-sound')?.selected;
    if (coded === undefined || sound === null) return null;
    // Where the receiver announces it: after the video, if there is any.
    this.#soundUnit.trackIndex = tracks.length - 1;
    return sound.open(coded.format, {
      onUnit: (dtsTicks, data) => this.#soundCoded(dtsTicks, data),
      onWaiting: (isWaiting) => sink.onSound({ kind: isWaiting ? 'waiting' : 'announced' }),
      urgency: () => sink.urgency(),
    });
  }

  #soundCoded(dtsTicks: number, data: Uint8Array): void {
    const unit = this.#soundUnit;
    unit.dtsTicks = dtsTicks;
    unit.ptsTicks = dtsTicks;
    unit.data = data;
    unit.arrivalMonoMs = this.#clock.monoMs();
    this.#media.onAccessUnit(unit);
  }

  #playing(rtpInfos: readonly (RtpInfo | null)[]): void {
    rtpInfos.forEach((info, trackIndex) => {
      if (info !== null) this.#receiver?.applyRtpInfo(trackIndex, { seq: info.seq, rtpTime: info.rtpTime });
    });
    this.#lastMediaMonoMs = this.#nowMonoMs;
    this.#reportAtMonoMs = this.#nowMonoMs + REPORT_INTERVAL_MS;
    if (this.#udp !== null) this.#flushAtMonoMs = this.#nowMonoMs + UDP_FLUSH_INTERVAL_MS;
    this.#punch();
  }

  /** Before PLAY and again after it: the camera's ports may not be open yet for the first ones. */
  #punch(): void {
    if (this.#options.transport !== 'udp') return;
    this.#readyTracks.forEach((track, trackIndex) => {
      this.#udp?.punch(trackIndex, track.serverPort);
    });
  }

  #rtp(trackIndex: number, chunk: Uint8Array, start: number, end: number): void {
    if (this.#receiver === null) return;
    this.#lastMediaMonoMs = this.#nowMonoMs;
    this.#receiver.rtp(trackIndex, chunk, start, end, this.#nowMonoMs);
  }

  /** Without another engine, a camera that has shown something is opened again and may then send a key frame. */
  #unfit(hasKeyFrame: boolean): void {
    if (!this.#events.onUnfit() && !hasKeyFrame)
      this.#fail(new GatewayError(DIRECT_ERRORS.DIRECT_NO_KEY_FRAMES));
  }

  #rtcp(trackIndex: number, chunk: Uint8Array, start: number, end: number): void {
    const receiver = this.#receiver;
    if (receiver === null) return;
    this.#events.onRtcp(trackIndex, chunk, start, end);
    receiver.rtcp(trackIndex, chunk, start, end, this.#nowMonoMs);
    if (receiver.byeReceived)
      this.#fail(new GatewayError(RTSP_ERRORS.RTSP_ENDED_BY_CAMERA, { reason: 'rtcp-bye' }));
  }

  /**
   * One timer for everything that waits. Called after each event: a few comparisons if no deadline has moved forward.
   */
  #arm(): void {
    if (this.#isOver) return;
    const dueMonoMs = Math.min(
      this.#connectDeadlineMonoMs,
      this.#session.wakeAtMonoMs,
      this.#lastMediaMonoMs + this.#options.timeouts.silenceMs,
      this.#reportAtMonoMs,
      this.#flushAtMonoMs,
    );
    // A timer that fires too early finds nothing due and is set again.
    if (dueMonoMs >= this.#timerDueMonoMs) return;
    this.#timer?.cancel();
    this.#timerDueMonoMs = dueMonoMs;
    this.#timer = this.#clock.after(dueMonoMs - this.#clock.monoMs(), () => this.#wake());
  }

  #wake(): void {
    this.#timerDueMonoMs = NEVER_MONO_MS;
    this.#nowMonoMs = this.#clock.monoMs();
    this.#noticePause();
    const { silenceMs } = this.#options.timeouts;
    if (this.#nowMonoMs >= this.#connectDeadlineMonoMs) this.#connectTimedOut();
    else if (this.#nowMonoMs >= this.#lastMediaMonoMs + silenceMs) {
      this.#fail(new GatewayError(DIRECT_ERRORS.DIRECT_SILENT, { timeoutMs: silenceMs }));
    } else {
      this.#session.wake(this.#nowMonoMs);
      if (this.#nowMonoMs >= this.#reportAtMonoMs) this.#report();
      if (this.#nowMonoMs >= this.#flushAtMonoMs) this.#flush();
    }
    this.#arm();
  }

  /** A camera that has accepted the connection gets more time: for TLS, or for the requests of a tunnel. */
  #connectTimedOut(): void {
    const isAccepted = this.#connection.addresses !== null;
    const timeoutMs = Math.round(this.#connectDeadlineMonoMs - this.#openedMonoMs);
    if (isAccepted && timeoutMs < this.#connectMs) {
      this.#connectDeadlineMonoMs = this.#openedMonoMs + this.#connectMs;
    } else if (isAccepted && this.#options.route.tunnel !== null) {
      this.#fail(new GatewayError(RTSP_ERRORS.RTSP_TIMEOUT, { method: 'GET', timeoutMs }));
    } else this.#fail(new GatewayError(DIRECT_ERRORS.DIRECT_CONNECT_TIMEOUT, { timeoutMs }));
  }

  #report(): void {
    this.#reportAtMonoMs = this.#nowMonoMs + REPORT_INTERVAL_MS;
    this.#readyTracks.forEach((track, trackIndex) => {
      const packet = this.#receiver?.receiverReport(trackIndex, this.#nowMonoMs) ?? null;
      if (packet === null) return;
      if (this.#udp === null) this.#session.sendRtcp(trackIndex, packet);
      else this.#udp.sendRtcp(trackIndex, packet, track.serverPort);
    });
  }

  /**
   * If the process was paused (a long garbage collection, a busy machine), datagrams wait in the kernel. Read them
   * before giving up on a missing packet.
   */
  #noticePause(): void {
    const lateMs = this.#nowMonoMs - this.#flushAtMonoMs;
    if (lateMs < PAUSE_MS) return;
    this.#flushAtMonoMs = this.#nowMonoMs + UDP_FLUSH_INTERVAL_MS;
    this.#receiver?.postpone(lateMs);
  }

  #flush(): void {
    this.#flushAtMonoMs = this.#nowMonoMs + UDP_FLUSH_INTERVAL_MS;
    try {
      this.#receiver?.flush(this.#nowMonoMs);
    } catch (error) {
      this.#fail(toGatewayError(error));
    }
  }

  #redirected(location: string): void {
    if (this.#isOver) return;
    this.#end();
    this.#events.onRedirect(location);
  }

  #fail(error: GatewayError): void {
    if (this.#isOver) return;
    this.#end();
    this.#events.onFailed(this.#withTarget(error));
  }

  #end(): void {
    this.#isOver = true;
    this.#timer?.cancel();
    this.#receiver = null;
  }

  /** The context of the error: which address and port to look at, and the system's error name. */
  #withTarget(error: GatewayError): GatewayError {
    const { host, port } = this.#options.route;
    const errno = errnoOf(error.cause);
    const context = { ...error.context, host, port, ...(errno === null ? {} : { errno }) };
    return new GatewayError(error, context, error.cause);
  }
}

/** A system error code, such as ECONNREFUSED; null if no system call failed, as with a TLS certificate. */
function errnoOf(cause: unknown): string | null {
  if (!(cause instanceof Error)) return null;
  const { code, syscall } = cause as NodeJS.ErrnoException;
  // A name with several addresses fails with all their errors in one.
  const isOfSystem = syscall !== undefined || cause instanceof AggregateError;
  return isOfSystem && code !== undefined ? code : null;
}

/** How the camera's audio is handled, and why a session has none. */
function soundOffer(tracks: readonly ReadyTrack[], skipped: readonly SkippedTrack[]): SoundOffer {
  if (tracks.some(({ selected }) => !isVideo(selected))) return { kind: 'announced' };
  const track = skipped.find(({ kind, reason }) => kind === 'audio' && reason === 'unsupported');
  return track === undefined
    ? { kind: 'none' }
    : { kind: 'unsupported', encoding: track.encodings.join('/') };
}
