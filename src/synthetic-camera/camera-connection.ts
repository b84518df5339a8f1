/** One client's RTSP connection: bytes in; responses and media out. */

import type { Socket } from 'node:net';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { RtspRequest } from '../rtsp/message.ts';
import { RtspMessageReader } from '../rtsp/message-reader.ts';
import type { RtpRtcpPair } from '../rtsp/transport.ts';
import { CameraSession, type SessionCamera } from './camera-session.ts';
import { ClientFeed, type FeedOutput } from './client-feed.ts';
import type { Clip } from './clip.ts';
import type { ClipBroadcast } from './clip-broadcast.ts';
import type { ClipSchedule } from './clip-schedule.ts';
import type { CameraCredentials } from './digest-gate.ts';
import { SYNTHETIC_CAMERA_ERRORS } from './errors.ts';
import type { CameraFaults } from './faults.ts';
import type { ConnectionHabits } from './habits.ts';
import type { TrackSender } from './track-sender.ts';
import type { UdpPorts } from './udp-ports.ts';

/** State that all connections of a camera share. */
export interface ConnectionCamera {
  readonly path: string;
  readonly sdp: string;
  readonly clip: Clip;
  readonly transports: readonly ('tcp' | 'udp')[];
  readonly credentials: CameraCredentials | null;
  readonly sessionTimeoutSec: number;
  readonly faults: CameraFaults;
  /** Whether clients begin in the middle of a group of pictures. */
  readonly startsAtOnce: boolean;
  /** The habits of the next connection. */
  takeHabits(): ConnectionHabits;
  readonly schedule: ClipSchedule;
  readonly broadcast: ClipBroadcast;
  readonly udp: UdpPorts | null;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns false if the maximum number of sessions is reached; otherwise counts one more. */
  admit(): boolean;
  /** An admitted session has ended. */
  leave(): void;
}

/** Limit on what a client may leave unread: a few seconds of video, then it is dropped. */
export const MAX_UNSENT_BYTES = 4 * 1024 * 1024;
const VIDEO = 0;
const AUDIO = 1;

export class CameraConnection implements SessionCamera, FeedOutput {
  readonly path: string;
  readonly sdp: string;
  readonly trackCount: number;
  readonly transports: readonly ('tcp' | 'udp')[];
  readonly credentials: CameraCredentials | null;
  readonly sessionTimeoutSec: number;
  readonly serverPorts: RtpRtcpPair | null;
  readonly #camera: ConnectionCamera;
  readonly #socket: Socket;
  readonly #session: CameraSession;
  readonly #reader: RtspMessageReader;
  readonly #clientAddress: string;
  readonly #habits: ConnectionHabits;
  #feed: ClientFeed | null = null;
  #lastHeardMonoMs: number;
  #timeoutTimer: TimerHandle | null = null;
  #closeTimer: TimerHandle | null = null;

  constructor(camera: ConnectionCamera, socket: Socket) {
    this.path = camera.path;
    this.sdp = camera.sdp;
    this.trackCount = camera.clip.audio === null ? 1 : 2;
    this.transports = camera.transports;
    this.credentials = camera.credentials;
    this.sessionTimeoutSec = camera.sessionTimeoutSec;
    this.serverPorts = camera.udp?.ports ?? null;
    this.#camera = camera;
    this.#socket = socket;
    this.#clientAddress = socket.remoteAddress ?? '';
    this.#habits = camera.takeHabits();
    this.#lastHeardMonoMs = camera.clock.monoMs();
    this.#session = new CameraSession(this);
    this.#reader = new RtspMessageReader({
      onRequest: (request) => this.#respond(request),
      onResponse: () => undefined,
      onInterleaved: () => undefined,
    });
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#received(chunk));
    // The close event follows and frees everything.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#session.end());
  }

  /** A client's RTCP over UDP keeps its session alive. */
  heard(address: string): void {
    if (address === this.#clientAddress) this.#lastHeardMonoMs = this.#camera.clock.monoMs();
  }

  destroy(): void {
    this.#reader.stop();
    this.#socket.destroy();
    this.#session.end();
  }

  admit(): boolean {
    if (!this.#camera.admit()) return false;
    this.#watch();
    return true;
  }

  play(senders: readonly (TrackSender | null)[]): readonly number[] {
    const { broadcast, clip, clock, faults, schedule, startsAtOnce } = this.#camera;
    const startPicture = startsAtOnce ? broadcast.nextPicture() : broadcast.nextKeyPicture();
    this.#feed = new ClientFeed({
      startPicture,
      video: senders[VIDEO] ?? null,
      audio: senders[AUDIO] ?? null,
      schedule,
      fps: clip.fps,
      audioRateHz: clip.audio?.sampleRateHz ?? 0,
      faults,
      rewrite: this.#habits.packets ?? null,
      output: this,
    });
    broadcast.add(this.#feed);
    if (faults.closeAfterMs !== undefined)
      this.#closeTimer = clock.after(faults.closeAfterMs, () => this.destroy());
    const audioFrame = faults.staleRtpInfo === true ? 0 : schedule.audioFrameOf(startPicture);
    return [schedule.pictureTicks(startPicture), schedule.audioTicks(audioFrame)];
  }

  pause(): void {
    this.#closeTimer?.cancel();
    if (this.#feed !== null) this.#camera.broadcast.remove(this.#feed);
    this.#feed = null;
  }

  end(): void {
    this.pause();
    this.#timeoutTimer?.cancel();
    this.#camera.leave();
  }

  stream(bytes: Buffer): void {
    if (this.#socket.destroyed) return;
    if (this.#socket.writableLength > MAX_UNSENT_BYTES) {
      const { code } = SYNTHETIC_CAMERA_ERRORS.SYNTHETIC_CAMERA_SLOW_CLIENT;
      this.#camera.log.warn({ code, client: this.#clientAddress }, 'client dropped');
      this.destroy();
      return;
    }
    this.#socket.write(bytes);
  }

  datagram(kind: keyof RtpRtcpPair, bytes: Buffer, ports: RtpRtcpPair): void {
    this.#camera.udp?.send(kind, bytes, this.#clientAddress, ports[kind]);
  }

  #received(chunk: Buffer): void {
    this.#lastHeardMonoMs = this.#camera.clock.monoMs();
    try {
      this.#reader.push(chunk);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      this.#camera.log.warn({ err: error, client: this.#clientAddress }, 'client dropped');
      this.destroy();
    }
  }

  #respond(request: RtspRequest): void {
    const response = this.#session.respond(request);
    this.#camera.log.debug({ method: request.method, uri: request.uri }, 'request answered');
    const written = this.#habits.respond === undefined ? response : this.#habits.respond(request, response);
    if (written !== null) this.stream(written);
  }

  /** RFC 2326 §12.37: a session ends if nothing is heard from it during its timeout. */
  #watch(): void {
    const { clock, log } = this.#camera;
    const timeoutMs = this.sessionTimeoutSec * 1_000;
    const dueInMs = this.#lastHeardMonoMs + timeoutMs - clock.monoMs();
    this.#timeoutTimer = clock.after(dueInMs, () => {
      if (clock.monoMs() < this.#lastHeardMonoMs + timeoutMs) {
        this.#watch();
        return;
      }
      log.debug({ client: this.#clientAddress }, 'session timed out');
      this.destroy();
    });
  }
}
