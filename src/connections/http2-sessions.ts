/**
 * The HTTP/2 of a listener: takes over connections on which it is spoken, and passes their requests on as those of
 * HTTP/1.1. Bounds what one connection can take (docs/design/tls.md#bounds): nghttp2 and Node have limits of their own; what
 * they leave open is here.
 */

import {
  constants,
  createServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { type Connection, connectionOf, type StreamActivity } from './connection.ts';
import { StreamRequest, StreamResponse } from './http2-response.ts';
import { UnreadWatch } from './unread.ts';

/** The limits of one connection. */
interface SessionLimits {
  /** Concurrent requests. */
  readonly streams: number;
  /** Memory in Node, in MB. */
  readonly memoryMb: number;
  /** Streams that a client can reset in a burst, and per second (CVE-2023-44487). */
  readonly resets: number;
  readonly resetsPerSec: number;
  /** Bytes per second that are not bodies: requests, and frames that only nghttp2 sees. */
  readonly controlBytesPerSec: number;
}

/** A browser with a wall of cameras has some 60 concurrent requests. */
export const CLIENT_LIMITS: SessionLimits = {
  streams: 250,
  memoryMb: 24,
  resets: 500,
  resetsPerSec: 33,
  controlBytesPerSec: 1_048_576,
};
/** A trusted proxy has many clients behind it. */
export const PROXY_LIMITS: SessionLimits = {
  streams: 2_000,
  memoryMb: 256,
  resets: 20_000,
  resetsPerSec: 2_000,
  controlBytesPerSec: 32 * 1_048_576,
};
/** As HTTP/1.1 has it, for all headers of a request. */
const MAX_HEADER_BYTES = 16_384;
const MAX_HEADERS = 100;
/** Frames that break the protocol, before the connection ends. */
const MAX_INVALID_FRAMES = 100;
const MAX_REFUSED_STREAMS = 100;
/**
 * Clients acknowledge received bytes, by a part of their size: frames of 9 to 13 bytes per 16 KB. Sent bytes have frames, and records of
 * TLS, around them: 31 bytes per 16 KB, or per packet.
 */
const CONTROL_SHARE = 1 / 50;
const SWEEP_MS = 1_000;
/** Over which bytes are counted: a page begins with a burst. */
const BUDGET_SWEEPS = 5;
/**
 * A connection without a request by then, as for one of HTTP/1.1 whose headers never end; or whose client has not
 * acknowledged our settings, which bind it only then (RFC 9113 §6.5.3).
 */
const BEGUN_MS = 15_000;
/** The time to read a response, in addition to the time for its size. */
const UNREAD_MS = 30_000;
const UNREAD_BYTES_PER_SEC = 8_192;

export interface Http2Timeouts {
  /** A connection without requests. */
  readonly idleMs: number;
  /** A connection on which nothing happens, whatever is open. 0: none. */
  readonly quietMs: number;
  /** A request with its body. */
  readonly requestMs: number;
}

export interface Http2SessionsOptions {
  readonly clock: Clock;
  readonly timeouts: Http2Timeouts;
  readonly isTrusted: (address: string) => boolean;
  readonly onRequest: (request: StreamRequest, response: StreamResponse) => void;
}

/** One connection. */
class Session implements StreamActivity {
  readonly session: ServerHttp2Session;
  readonly socket: Socket;
  readonly limits: SessionLimits;
  readonly unread: UnreadWatch;
  readonly responses = new Set<StreamResponse>();
  /** When each response had only to be read, and how much of it was left. */
  readonly ended = new Map<StreamResponse, { readonly atMonoMs: number; readonly bytes: number }>();
  readonly beganMonoMs: number;
  hasRequested = false;
  /** When it last had a request. */
  busyMonoMs: number;
  sweeps = 0;
  countedRead: number;
  countedWritten: number;
  /** Bytes of bodies since the last count. */
  bodyBytes = 0;

  constructor(session: ServerHttp2Session, connection: Connection, limits: SessionLimits, nowMonoMs: number) {
    const { socket } = connection;
    this.session = session;
    this.socket = socket;
    this.limits = limits;
    this.unread = new UnreadWatch(session, connection);
    this.beganMonoMs = nowMonoMs;
    this.busyMonoMs = nowMonoMs;
    this.countedRead = socket.bytesRead;
    this.countedWritten = socket.bytesWritten;
  }

  get open(): number {
    return this.responses.size;
  }

  /** GOAWAY with the newest request: a client makes those after it again, over another connection (RFC 9113 §6.8). */
  leave(): void {
    this.session.close();
  }

  isUnread(): boolean {
    return [...this.responses].every((response) => response.writableEnded);
  }
}

const SESSION = Symbol('session');

interface WithSession {
  [SESSION]?: Session;
}

export class Http2Sessions {
  readonly #options: Http2SessionsOptions;
  readonly #sessions = new Set<Session>();
  readonly #ofClients: Http2Server;
  readonly #ofProxies: Http2Server;
  #timer: TimerHandle | null = null;
  #isClosing = false;

  constructor(options: Http2SessionsOptions) {
    this.#options = options;
    this.#ofClients = this.#serverWith(CLIENT_LIMITS);
    this.#ofProxies = this.#serverWith(PROXY_LIMITS);
  }

  /** `socket`: HTTP/2 begins on it, with the client's preface. */
  accept(socket: Socket): void {
    const isProxy = this.#options.isTrusted(socket.remoteAddress ?? '');
    (isProxy ? this.#ofProxies : this.#ofClients).emit('connection', socket);
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** No further requests; each connection ends when its requests have. */
  close(): void {
    this.#isClosing = true;
    for (const { session } of this.#sessions) session.close();
  }

  destroy(): void {
    for (const { socket } of this.#sessions) socket.destroy();
  }

  #serverWith(limits: SessionLimits): Http2Server {
    const server = createServer({
      settings: { maxConcurrentStreams: limits.streams, maxHeaderListSize: MAX_HEADER_BYTES },
      maxHeaderListPairs: MAX_HEADERS,
      maxSessionMemory: limits.memoryMb,
      maxSessionInvalidFrames: MAX_INVALID_FRAMES,
      maxSessionRejectedStreams: MAX_REFUSED_STREAMS,
      streamResetBurst: limits.resets,
      streamResetRate: limits.resetsPerSec,
      Http2ServerRequest: StreamRequest,
      Http2ServerResponse: StreamResponse,
    }) as unknown as Http2Server;
    server.on('session', (session) => this.#begin(session, limits));
    server.on('request', (request, response) =>
      this.#request(request as StreamRequest, response as unknown as StreamResponse),
    );
    return server;
  }

  #begin(session: ServerHttp2Session, limits: SessionLimits): void {
    const connection = connectionOf(session.socket as Socket);
    if (connection === undefined) {
      session.destroy();
      return;
    }
    const { clock, timeouts } = this.#options;
    const one = new Session(session, connection, limits, clock.monoMs());
    (session as WithSession)[SESSION] = one;
    connection.streams = one;
    this.#sessions.add(one);
    connection.socket.once('close', () => this.#sessions.delete(one));
    // nghttp2's text about a client's frames is not ours to log; it ends the session.
    session.on('error', () => connection.socket.destroy());
    if (timeouts.quietMs > 0) session.setTimeout(timeouts.quietMs, () => connection.socket.destroy());
    if (this.#isClosing) session.close();
    this.#timer ??= clock.after(SWEEP_MS, () => this.#sweep());
  }

  #request(request: StreamRequest, response: StreamResponse): void {
    const { stream } = response;
    const { session } = stream;
    const one = (session as WithSession | undefined)?.[SESSION];
    // Reset before it was read: nothing is done for it.
    if (stream.destroyed || stream.closed || one === undefined || one.socket.destroyed) return;
    const { clock, timeouts, onRequest } = this.#options;
    one.hasRequested = true;
    one.busyMonoMs = clock.monoMs();
    one.responses.add(response);
    stream.once('close', () => {
      one.responses.delete(response);
      one.ended.delete(response);
      one.busyMonoMs = clock.monoMs();
    });
    // Node looks these up on the session's socket, and on the stream when the session has ended.
    connectionOf(one.socket)?.adopt(stream);
    (stream as WithSession)[SESSION] = one;
    Object.defineProperty(stream, 'remoteAddress', { value: request.socket.remoteAddress });
    if (!stream.endAfterHeaders) {
      countBody(one, stream);
      const late = clock.after(timeouts.requestMs, () => {
        if (!request.complete) response.destroy();
      });
      stream.once('close', () => late.cancel());
    }
    onRequest(request, response);
  }

  #sweep(): void {
    const nowMonoMs = this.#options.clock.monoMs();
    for (const one of this.#sessions) this.#judge(one, nowMonoMs);
    this.#timer = this.#sessions.size === 0 ? null : this.#options.clock.after(SWEEP_MS, () => this.#sweep());
  }

  #judge(one: Session, nowMonoMs: number): void {
    const hasBegun = one.hasRequested && !one.session.pendingSettingsAck;
    if (!hasBegun && nowMonoMs - one.beganMonoMs > BEGUN_MS) one.socket.destroy();
    else if (isFlooding(one)) one.socket.destroy();
    else if (one.open === 0) {
      const idleMs = nowMonoMs - one.busyMonoMs;
      if (idleMs > this.#options.timeouts.idleMs) one.session.close();
      // It sends frames, but does not take the end.
      if (idleMs > this.#options.timeouts.idleMs + UNREAD_MS) one.socket.destroy();
    } else resetUnread(one, nowMonoMs);
  }
}

/** Frames that lead to nothing: pings, settings, headers that never end, windows of nothing. */
function isFlooding(one: Session): boolean {
  one.sweeps += 1;
  if (one.sweeps % BUDGET_SWEEPS !== 0) return false;
  const { bytesRead, bytesWritten } = one.socket;
  const [read, written] = [bytesRead - one.countedRead, bytesWritten - one.countedWritten];
  one.countedRead = bytesRead;
  one.countedWritten = bytesWritten;
  const { bodyBytes } = one;
  one.bodyBytes = 0;
  const seconds = (BUDGET_SWEEPS * SWEEP_MS) / 1_000;
  const allowed = one.limits.controlBytesPerSec * seconds + (written + bodyBytes) * CONTROL_SHARE;
  return read - bodyBytes > allowed;
}

/**
 * Bodies have limits of their own, and are not judged. What frames them is: the length of a frame, padding, TLS. Node pushes what
 * came, whether or not the request is read.
 */
function countBody(one: Session, stream: ServerHttp2Stream): void {
  // With the headers.
  one.bodyBytes += stream.readableLength;
  const push = stream.push.bind(stream);
  stream.push = (chunk: Buffer | null) => {
    if (chunk !== null) one.bodyBytes += chunk.length;
    return push(chunk);
  };
}

/** Responses that hold memory because their client gives no window for them. */
function resetUnread(one: Session, nowMonoMs: number): void {
  for (const response of one.responses) {
    if (!response.writableEnded) continue;
    const since = one.ended.get(response);
    if (since === undefined) {
      one.ended.set(response, { atMonoMs: nowMonoMs, bytes: response.writableLength });
      continue;
    }
    const allowedMs = UNREAD_MS + (since.bytes * 1_000) / UNREAD_BYTES_PER_SEC;
    if (nowMonoMs - since.atMonoMs <= allowedMs) continue;
    // A client that does not read at all does not learn that the stream was reset, either.
    if (response.stream.closed) one.socket.destroy();
    else {
      response.stream.close(constants.NGHTTP2_CANCEL);
      one.ended.set(response, { atMonoMs: nowMonoMs, bytes: 0 });
    }
  }
}

/**
 * Calls back when nothing reads the written bytes of `response` (unread.ts), once it is over. For one over HTTP/2; null for others, whose
 * connection's `close` event reports it.
 */
export function unreadOf(response: object): UnreadWatch | null {
  const { stream } = response as Partial<StreamResponse>;
  return (stream as WithSession | undefined)?.[SESSION]?.unread ?? null;
}
