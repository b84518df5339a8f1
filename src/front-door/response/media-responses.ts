/**
 * Media in transit to viewers. Every response with media is registered here from its beginning until its loan ends, and
 * belongs to its viewer's session, which cuts it when the access ends. A viewer must not read more slowly than
 * MIN_BYTES_PER_SEC, hold media longer than the live window can spare the memory, or have more in transit than one
 * viewer needs. Otherwise the connection is reset, which also recalls what the kernel has yet to send; over HTTP/2, the
 * response's stream (response-carrier.ts).
 *
 * Why a loan may end with its connection's `close` event: libuv closes the descriptor first, so that no write reaches
 * it. It then cancels pending writes, calls them back, and only afterwards reports the handle as closed, from which
 * Node makes the event (uv_close; uv__stream_destroy in unix/stream.c). On Windows, where the kernel reads from our
 * memory after a write has begun, libuv waits for those writes to end before it reports the close. Responses queued on
 * the connection were never handed to libuv. Over HTTP/2, see connections/unread.ts.
 */

import type { FastifyReply } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { MediaConnection, MediaReader } from '../../sharing/viewer-session.ts';
import type { LentMedia } from '../../stream/media/live-media.ts';
import { carrierOf, type ResponseCarrier, StreamCarrier } from './response-carrier.ts';

/** 64 kbit/s: less than a phone gets after its data plan is used up, far less than any camera's substream. */
export const MIN_BYTES_PER_SEC = 8_192;
/** No one is too slow before this time. */
export const GRACE_MS = 10_000;
/** A viewer with this much on loan gets no more: two of the largest possible segments. */
export const MAX_LENT_BYTES_PER_VIEWER = 64 * 1_048_576;
/** Limit on media responses in transit to one viewer: ten times as many as a browser requests at a time. */
export const MAX_RESPONSES_PER_VIEWER = 64;
const SWEEP_INTERVAL_MS = 1_000;

/** Responses that were cut, by reason. `access`: the viewer may no longer watch. */
export type CutReason = 'access' | 'too-slow' | 'recalled';

/** The media responses of one carrier. Those of a connection are sent in the order of the requests (RFC 9112 §9.3.2). */
class ResponseQueue implements MediaConnection {
  readonly owner: MediaResponses;
  readonly carrier: ResponseCarrier;
  readonly waiting: MediaResponse[] = [];
  /** The last response that was sent: the kernel may still hold some of it. */
  sent: MediaResponse | null = null;
  /** The viewer session of the last response. It changes only behind a proxy. */
  viewer: MediaReader | null = null;

  constructor(owner: MediaResponses, carrier: ResponseCarrier) {
    this.owner = owner;
    this.carrier = carrier;
  }

  cutFor(session: MediaReader): void {
    const isTheirs = (response: MediaResponse | null) => response?.session === session;
    const result = this.waiting.find(isTheirs) ?? (isTheirs(this.sent) ? this.sent : null);
    if (result !== null) this.owner.cut(result, 'access');
  }

  /** Makes the connection serve `session`. */
  handOver(session: MediaReader): void {
    const before = this.viewer;
    this.viewer = session;
    session.connections.add(this);
    if (before !== null) this.leave(before);
  }

  /** Unless it still serves that viewer. */
  leave(session: MediaReader): void {
    if (this.viewer === session || this.sent?.session === session) return;
    if (!this.waiting.some((response) => response.session === session)) session.connections.delete(this);
  }
}

/** A response with media, from its beginning until its loan ends. */
export class MediaResponse {
  readonly session: MediaReader;
  /** null: not from the live window, so its memory is not needed back. */
  readonly media: LentMedia | null;
  /** Handed to the connection so far, or all of it. */
  bytes: number;
  /** Set if it grows: only unsent bytes count as slow. */
  readonly growing: FastifyReply | null;
  /** null for a request that a test injects. */
  readonly queue: ResponseQueue | null;
  /** Number of requests on its connection when it began. */
  readonly requests: number;
  /** When its turn on its connection came; Infinity before. */
  turnMonoMs = Number.POSITIVE_INFINITY;
  state: 'under-way' | 'sent' | 'broken-off' = 'under-way';

  constructor(
    session: MediaReader,
    media: LentMedia | null,
    bytes: number,
    queue: ResponseQueue | null,
    growing: FastifyReply | null,
  ) {
    this.session = session;
    this.media = media;
    this.bytes = bytes;
    this.growing = growing;
    this.queue = queue;
    this.requests = queue?.carrier.requests ?? 0;
  }
}

/** `gone`: the client has left. `too-much`: the viewer must first read the media in transit. In both cases the media was returned. */
export type BeginResult = 'begun' | 'gone' | 'too-much';

/** A response that gets more media as long as it is under way. */
export interface GrowingResponse {
  /** Whether it may borrow further media. False: the viewer has too much in transit, so the response must be broken off. */
  grow(bytes: number): boolean;
}

/** A response that is read while it is sent. */
export interface StreamedResponse {
  /** The viewer has taken the bytes in memory. */
  advance(): void;
}

export class MediaResponses {
  readonly #clock: Clock;
  readonly #log: Log;
  /** Connections and streams that ever carried media, and are not closed. */
  readonly #queues = new Map<ResponseCarrier, ResponseQueue>();
  readonly #cuts: Record<CutReason, number> = { access: 0, 'too-slow': 0, recalled: 0 };
  #underWay = 0;
  #isSweeping = false;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Number of responses in transit. */
  get size(): number {
    return this.#underWay;
  }

  cuts(): Readonly<Record<CutReason, number>> {
    return this.#cuts;
  }

  /** Takes over `media`, which the response is about to send, until the response ends one way or the other. Hot. */
  begin(reply: FastifyReply, session: MediaReader, media: LentMedia | null, bytes: number): BeginResult {
    const response = this.#begin(reply, session, media, bytes, null);
    return typeof response === 'string' ? response : 'begun';
  }

  /** The same without a response of Node's: `sent` follows when the kernel has all of it. Hot. */
  beginOn(
    carrier: ResponseCarrier,
    session: MediaReader,
    media: LentMedia,
  ): MediaResponse | Exclude<BeginResult, 'begun'> {
    return this.#beginOn(carrier, session, media, media.bytes.length, null);
  }

  /**
   * The same for a response that is sent while its media is being made. `media` covers all that it gets; it holds the
   * loans until the response has ended.
   */
  beginGrowing(
    reply: FastifyReply,
    session: MediaReader,
    media: LentMedia,
  ): GrowingResponse | Exclude<BeginResult, 'begun'> {
    const response = this.#begin(reply, session, media, 0, reply);
    if (typeof response === 'string') return response;
    return {
      grow: (bytes) => {
        if (session.lentBytes + bytes > MAX_LENT_BYTES_PER_VIEWER) return false;
        response.bytes += bytes;
        session.lentBytes += bytes;
        return true;
      },
    };
  }

  /**
   * The same for a response that is read while it is sent, and has at most `heldBytes` of it in memory. The viewer is too
   * slow if those take too long, however long the whole takes.
   */
  beginStreamed(
    reply: FastifyReply,
    session: MediaReader,
    heldBytes: number,
  ): StreamedResponse | Exclude<BeginResult, 'begun'> {
    const response = this.#begin(reply, session, null, heldBytes, null);
    if (typeof response === 'string') return response;
    return {
      advance: () => {
        if (Number.isFinite(response.turnMonoMs)) response.turnMonoMs = this.#clock.monoMs();
      },
    };
  }

  #begin(
    reply: FastifyReply,
    session: MediaReader,
    media: LentMedia | null,
    bytes: number,
    growing: FastifyReply | null,
  ): MediaResponse | Exclude<BeginResult, 'begun'> {
    const response = this.#beginOn(carrierOf(reply), session, media, bytes, growing);
    // Not the callback of `end`: that one is also called for responses that broke off.
    if (typeof response !== 'string') reply.raw.on('finish', () => this.sent(response));
    return response;
  }

  #beginOn(
    carrier: ResponseCarrier | undefined,
    session: MediaReader,
    media: LentMedia | null,
    bytes: number,
    growing: FastifyReply | null,
  ): MediaResponse | Exclude<BeginResult, 'begun'> {
    if (carrier?.isClosed) {
      media?.release();
      return 'gone';
    }
    const isTooMuch = session.lentBytes > 0 && session.lentBytes + bytes > MAX_LENT_BYTES_PER_VIEWER;
    if (isTooMuch || session.unsentResponses >= MAX_RESPONSES_PER_VIEWER) {
      media?.release();
      return 'too-much';
    }
    const queue = carrier === undefined ? null : this.#queueOf(carrier);
    const response = new MediaResponse(session, media, bytes, queue, growing);
    if (queue === null || queue.waiting.length === 0) response.turnMonoMs = this.#clock.monoMs();
    queue?.waiting.push(response);
    if (queue !== null && queue.viewer !== session) queue.handOver(session);
    this.#underWay++;
    session.unsentResponses++;
    session.lentBytes += bytes;
    if (!this.#isSweeping) this.#sweepLater();
    return response;
  }

  /** The kernel has all of it. It can be recalled as long as nothing else happens on the connection. */
  sent(response: MediaResponse): void {
    if (response.state !== 'under-way') return;
    const { queue } = response;
    // Node reports this of every stream that is over.
    if (queue?.carrier instanceof StreamCarrier && !queue.carrier.isWhole) return;
    this.#end(response, 'sent');
    if (queue === null) return;
    // A response that had to wait for its video began later than those requested after it.
    if (queue.waiting[0] === response) queue.waiting.shift();
    else queue.waiting.splice(queue.waiting.indexOf(response), 1);
    const next = queue.waiting[0];
    if (next !== undefined) next.turnMonoMs = Math.min(next.turnMonoMs, this.#clock.monoMs());
    const before = queue.sent;
    queue.sent = response;
    if (before !== null && before.session !== response.session) queue.leave(before.session);
  }

  /**
   * Ends the response's connection or stream. A sent response is left alone if its client has requested something since: then it has the
   * response, and the connection serves others, such as a proxy's next viewer.
   */
  cut(response: MediaResponse, reason: CutReason): void {
    const { queue } = response;
    if (queue === null || queue.carrier.isClosed) return;
    const { carrier } = queue;
    if (carrier.isEnded || (response.state === 'sent' && carrier.requests !== response.requests)) return;
    if (!carrier.cut(this.#clock.monoMs())) return;
    this.#cuts[reason]++;
    this.#log.debug({ reason, camera: response.session.cameraUuid }, 'media response cut off');
  }

  #end(response: MediaResponse, state: 'sent' | 'broken-off'): void {
    response.state = state;
    this.#underWay--;
    response.session.unsentResponses--;
    response.session.lentBytes -= response.bytes;
    response.media?.release();
  }

  #queueOf(carrier: ResponseCarrier): ResponseQueue {
    let queue = this.#queues.get(carrier);
    if (queue === undefined) {
      const made = new ResponseQueue(this, carrier);
      carrier.onceClosed(() => this.#onClose(made));
      this.#queues.set(carrier, made);
      queue = made;
    }
    return queue;
  }

  /** See the start of this file: nothing reads the memory of these responses anymore. */
  #onClose(queue: ResponseQueue): void {
    this.#queues.delete(queue.carrier);
    queue.viewer?.connections.delete(queue);
    queue.sent?.session.connections.delete(queue);
    for (const response of queue.waiting) {
      this.#end(response, 'broken-off');
      response.session.connections.delete(queue);
    }
    queue.waiting.length = 0;
  }

  #sweepLater(): void {
    this.#isSweeping = true;
    this.#clock.after(SWEEP_INTERVAL_MS, () => {
      this.#isSweeping = false;
      this.#sweep();
      if (this.#underWay > 0) this.#sweepLater();
    });
  }

  #sweep(): void {
    const nowMonoMs = this.#clock.monoMs();
    for (const { waiting } of this.#queues.values()) {
      for (const response of waiting) {
        // Waiting for the camera, not for the viewer.
        const isRead = response === waiting[0] && response.growing?.raw.writableLength === 0;
        if (isRead) response.turnMonoMs = nowMonoMs;
        const allowedMs = GRACE_MS + (response.bytes * 1_000) / MIN_BYTES_PER_SEC;
        if (nowMonoMs - response.turnMonoMs > allowedMs) this.cut(response, 'too-slow');
        else if (response.media?.isRecalled(nowMonoMs)) this.cut(response, 'recalled');
      }
    }
  }
}
