/**
 * Live HLS segments and parts under paths that all viewers of a rendition share, for caches in front of the gateway
 * (docs/design/cdn.md). The signature in the path is the permission, as long as it lives. A path has one spelling, and
 * nothing else in a request changes the response, so that no client can fill a cache with copies.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Connection, connectionOf } from '../../connections/connection.ts';
import { GatewayError } from '../../core/errors.ts';
import { Pool } from '../../core/limits/pool.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { subscriberOf } from '../../core/subscriber.ts';
import { type MediaName, parseMediaName } from '../../hls/media-names.ts';
import type { MediaConnection, MediaReader } from '../../sharing/viewer-session.ts';
import type {
  LentMedia,
  LiveBody,
  LiveRendition,
  RenditionName,
  Unready,
} from '../../stream/media/live-media.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';
import { MEDIA, type MediaKind, sendMedia } from '../response/media-response.ts';
import { offlineError, sendFailure, sendRedirect } from '../response/refusal-response.ts';
import { type Deliver, WaitingReply } from '../response/waiting-reply.ts';
import type { FrontDoorParts } from '../session/front-door-parts.ts';
import { sendMissing, sendNotFound } from './rendition-replies.ts';

interface SharedParams {
  readonly camera: Ruuid;
  readonly rendition: string;
  readonly signature: string;
  readonly name: string;
}

type SharedName = Exclude<MediaName, { kind: 'init' }>;

/** The media that a request names, as far as they are known. */
interface SharedMedia {
  readonly rendition: LiveRendition;
  readonly signature: string;
  readonly name: SharedName;
}

/** Those that a Media Playlist names. */
const RENDITIONS: ReadonlySet<string> = new Set<RenditionName>([
  ...(['main', 'sub', 'h264'] as const),
  ...(['main-silent', 'sub-silent', 'h264-silent'] as const),
]);

/**
 * The reader of one connection. A cache requests media for many viewers, so there is no viewer to limit: connections are limited by their
 * address (src/connections).
 */
class SharedReader implements MediaReader {
  readonly cameraUuid: Ruuid;
  readonly connections = new Set<MediaConnection>();
  unsentResponses = 0;
  lentBytes = 0;

  constructor(cameraUuid: Ruuid) {
    this.cameraUuid = cameraUuid;
  }
}

/** A response that is still under way when its path ends is cut, like one whose memory is needed. */
class SharedLoan implements LentMedia {
  readonly #shared: SharedMedia;
  readonly #media: LentMedia;

  constructor(shared: SharedMedia, media: LentMedia) {
    this.#shared = shared;
    this.#media = media;
  }

  get bytes(): Buffer {
    return this.#media.bytes;
  }

  release(): void {
    this.#media.release();
  }

  isRecalled(nowMonoMs: number): boolean {
    return leftMs(this.#shared) === 0 || this.#media.isRecalled(nowMonoMs);
  }
}

export class SharedMediaRoutes {
  readonly #parts: FrontDoorParts;
  readonly #readers = new WeakMap<Connection, SharedReader>();
  readonly #places = new Pool(LIMITS.sharedWaiting);

  constructor(parts: FrontDoorParts) {
    this.#parts = parts;
  }

  register(app: FastifyInstance): void {
    app.get<{ Params: SharedParams }>(
      '/cdn/:camera/:rendition/:signature/:name',
      { config: { access: 'shared-path' } },
      (request, reply) => this.#respond(request, reply),
    );
  }

  #respond(request: FastifyRequest<{ Params: SharedParams }>, reply: FastifyReply): void {
    const { camera: cameraUuid, rendition: renditionName, signature, name: fileName } = request.params;
    const url = request.raw.url ?? '';
    const query = url.indexOf('?');
    const path = query < 0 ? url : url.slice(0, query);
    const name = parseMediaName(fileName);
    const isCanonical = path === `/cdn/${cameraUuid}/${renditionName}/${signature}/${fileName}`;
    const camera = this.#parts.cameras.get(cameraUuid);
    const rendition = RENDITIONS.has(renditionName)
      ? camera?.rendition(renditionName as RenditionName)
      : null;
    const isKnown = isCanonical && name !== null && name.kind !== 'init' && RENDITIONS.has(renditionName);
    if (!isKnown || !rendition) {
      sendMissing(reply, isKnown && camera?.isClustered === true);
      return;
    }
    // Its copy would be another entry of a cache whose key has the query.
    if (query >= 0) {
      sendRedirect(reply, fileName);
      return;
    }
    const media = { rendition, signature, name };
    const body = find(media);
    if (body === 'wait') this.#wait(request, reply, media);
    else if (typeof body === 'string') sendMissing(reply, rendition.isBehind(name.msn));
    else this.#send(reply, media, body);
  }

  /**
   * Waits for the part that the preload hint names, or for media that another node already has. It does not keep the camera open: playlists
   * do.
   */
  #wait(request: FastifyRequest<{ Params: SharedParams }>, reply: FastifyReply, media: SharedMedia): void {
    const { room, cameras, clock } = this.#parts;
    const state = cameras.get(request.params.camera)!.status();
    if (state.state === 'offline') {
      sendFailure(reply, offlineError(state, clock.epochMs()));
      return;
    }
    const { rendition: source, name } = media;
    const place = this.#places.take({ camera: request.params.camera, address: subscriberOf(request.ip) });
    if (!place.isTaken) {
      sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.TOO_MANY_WAITING, { boundOf: place.level }));
      return;
    }
    // Until the response is over.
    if (reply.raw.destroyed) place.giveBack();
    else reply.raw.once('close', place.giveBack);
    const deliver: Deliver = (_waiting, body) => this.#deliver(reply, media, body);
    const waiting = new WaitingReply({ room, reply, session: null, source, deliver, maxWaitMs: null });
    source.awaitPart(name.msn, name.kind === 'part' ? name.part : -1, waiting);
  }

  /** The media that arrive may belong to another timeline than the one that was hinted. */
  #deliver(reply: FastifyReply, media: SharedMedia, body: LiveBody): void {
    if ('text' in body) throw new GatewayError(FRONT_DOOR_ERRORS.MEDIA_NOT_FOUND);
    if (leftMs(media) > 0) this.#send(reply, media, body);
    else {
      body.release();
      sendNotFound(reply);
    }
  }

  #send(reply: FastifyReply, shared: SharedMedia, media: LentMedia): void {
    const { responses, traffic, clock } = this.#parts;
    const bytes = media.bytes.length;
    const loan = new SharedLoan(shared, media);
    const result = responses.begin(reply, this.#readerOf(reply), loan, bytes);
    if (result === 'gone') reply.hijack();
    else if (result === 'too-much') sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.TOO_MUCH_UNSENT));
    else {
      const kind = cacheableFor(leftMs(shared), clock.epochMs());
      traffic.countShared(sendMedia(reply, media.bytes, reply.request.headers.range, kind));
    }
  }

  #readerOf(reply: FastifyReply): MediaReader {
    const { camera } = reply.request.params as SharedParams;
    const connection = connectionOf(reply.request.raw.socket);
    if (connection === undefined) return new SharedReader(camera);
    let reader = this.#readers.get(connection);
    if (reader === undefined) {
      reader = new SharedReader(camera);
      this.#readers.set(connection, reader);
    }
    return reader;
  }
}

function leftMs({ rendition, signature, name }: SharedMedia): number {
  return rendition.sharedForMs(name.msn, signature);
}

function find(media: SharedMedia): LentMedia | Unready {
  if (leftMs(media) === 0) return 'unknown';
  const { rendition, name } = media;
  if (name.kind === 'part') return rendition.part(name.msn, name.part);
  return rendition.segment(name.msn) ?? (rendition.isSegmentComing(name.msn) ? 'wait' : 'unknown');
}

/**
 * Caches must not keep the media beyond the life of its path. Caches that count in whole seconds serve it for up to one second beyond
 * `max-age` (nginx: one stored at 0.02 s of a second with `max-age=2` is served for 2.98 s). `stale-while-revalidate=0`: without it,
 * Varnish serves stale media for another ten seconds. `max-age=0` with `no-store`: Varnish looks only at `max-age`, and keeps media without
 * it for two minutes. Expires serves caches behind a cache that sends no Age.
 */
function cacheableFor(lifeMs: number, nowEpochMs: number): MediaKind {
  const seconds = Math.floor(lifeMs / 1_000) - 1;
  if (seconds <= 0) return { type: MEDIA.type, cacheControl: 'no-store, max-age=0' };
  const expires = new Date(nowEpochMs + seconds * 1_000).toUTCString();
  return {
    type: MEDIA.type,
    cacheControl: `public, max-age=${seconds}, immutable, stale-while-revalidate=0`,
    more: ['cdn-cache-control', `max-age=${seconds}, must-revalidate`, 'expires', expires],
  };
}
