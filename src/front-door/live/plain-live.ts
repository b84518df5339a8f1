/**
 * Most of what viewers request, without Node's HTTP server and without the router: live playlists, parts and segments for known viewers,
 * now or as soon as they exist. All other requests, and failures, are left to the routes: then nothing has happened yet. The access
 * decision is the same (`ViewerSessions.known`).
 */

import type { PlainExchange, PlainResponses } from '../../connections/plain-connection.ts';
import type { PlainRequest } from '../../connections/plain-request.ts';
import { acceptsCoding } from '../../core/accept-encoding.ts';
import type { Clock } from '../../core/clock.ts';
import { type MediaExtension, type MediaName, parseMediaName } from '../../hls/media-names.ts';
import { parsePlaylistQuery } from '../../hls/playlist-query.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import type { ViewerSessions } from '../../sharing/viewer-sessions.ts';
import type {
  LentMedia,
  LiveBody,
  LiveCamera,
  LiveRendition,
  PlaylistText,
  RenditionName,
} from '../../stream/media/live-media.ts';
import { mediaHead, playlistResponse } from '../response/media-response.ts';
import type { MediaResponses } from '../response/media-responses.ts';
import type { ShareTraffic } from '../response/share-traffic.ts';
import { WaitingExchange } from '../response/waiting-exchange.ts';
import type { WaitingRoom } from '../response/waiting-reply.ts';
import { interestOf, playlistQueryOf, renditionNameOf } from './viewer-routes.ts';

export interface PlainLiveParts {
  readonly sessions: Pick<ViewerSessions, 'known' | 'isWatched'>;
  /** null: it is not here, or cannot be played now. */
  readonly playable: (session: ViewerSession, name: RenditionName) => PlayableCamera | null;
  readonly room: WaitingRoom;
  readonly responses: MediaResponses;
  readonly traffic: ShareTraffic;
  readonly clock: Clock;
  /** The keep-alive time in responses. */
  readonly keepAliveMs: number;
}

export type PlayableCamera = Pick<LiveCamera, 'touch' | 'rendition'>;

const FOLDER = '/live/';
const SUB = 'sub/';
const EXTENSIONS: ReadonlyMap<string, MediaExtension> = new Map([
  ['file.m3u8', 'm4v'],
  ['stream.m3u8', 'mp4'],
]);

type LiveMediaName = Exclude<MediaName, { kind: 'init' }>;

/** The target of a request under a grant. */
interface LiveTarget {
  readonly grantText: string;
  readonly profile: 'main' | 'sub';
  /** null: the playlist. */
  readonly media: LiveMediaName | null;
  /** The extension of the playlist's files. */
  readonly extension: MediaExtension;
  readonly query: string;
}

/** A viewer's request of a rendition. */
interface ResolvedRequest {
  readonly session: ViewerSession;
  readonly rendition: LiveRendition;
  readonly profile: 'main' | 'sub';
  readonly exchange: PlainExchange;
  readonly isGzip: boolean;
}

/** A response that many viewers share, with a head of this second. */
interface Shared<Of> {
  readonly of: Of;
  readonly epochSec: number;
  readonly bytes: Buffer;
}

export class PlainLive implements PlainResponses {
  readonly #parts: PlainLiveParts;
  /** The last playlist, uncompressed and compressed. */
  readonly #responses: [Shared<PlaylistText> | null, Shared<PlaylistText> | null] = [null, null];
  /** The head of the last media, by its length. */
  #mediaHead: Shared<number> | null = null;

  constructor(parts: PlainLiveParts) {
    this.#parts = parts;
  }

  /** Hot. */
  respond({ target, fields }: PlainRequest, exchange: PlainExchange): boolean {
    const requested = readTarget(target);
    if (requested === null || this.#parts.room.isClosed) return false;
    const { profile, media, query } = requested;
    // TLS copies the bytes that it sends: a large body goes out in pieces (paced-body.ts).
    if (media !== null && (fields.hasRange || exchange.isEncrypted)) return false;
    const session = this.#parts.sessions.known(requested.grantText);
    if (session === null) return false;
    const renditionName = renditionNameOf(session, profile);
    const camera = this.#parts.playable(session, renditionName);
    const rendition = camera?.rendition(renditionName) ?? null;
    if (camera === null || rendition === null) return false;
    camera.touch(interestOf(session, profile), session.urgency);
    const isGzip = acceptsCoding(fields.acceptEncoding, 'gzip');
    const wanted: ResolvedRequest = { session, rendition, profile, exchange, isGzip };
    try {
      return media === null ? this.#playlist(wanted, requested.extension, query) : this.#media(wanted, media);
    } catch {
      // Bad directives, or too many waiting requests: the routes respond.
      return false;
    }
  }

  /** Sends the result of a wait. */
  deliver(exchange: PlainExchange, session: ViewerSession, body: LiveBody, isGzip: boolean): boolean {
    if ('text' in body) {
      this.#sendPlaylist(exchange, session, body, isGzip);
      return true;
    }
    return this.#sendMedia(exchange, session, body);
  }

  #playlist(wanted: ResolvedRequest, extension: MediaExtension, query: string): boolean {
    const { session, rendition, profile, exchange } = wanted;
    const requested = playlistQueryOf(session, profile, extension, parsePlaylistQuery(query));
    const body = rendition.playlist(requested);
    if (body === 'wait') rendition.awaitPlaylist(requested, this.#wait(wanted));
    else if (typeof body === 'string') return false;
    else this.#sendPlaylist(exchange, session, body, wanted.isGzip);
    return true;
  }

  #media(wanted: ResolvedRequest, name: LiveMediaName): boolean {
    const { session, rendition, profile, exchange } = wanted;
    const body = name.kind === 'part' ? rendition.part(name.msn, name.part) : rendition.segment(name.msn);
    if (body === null || (typeof body === 'string' && body !== 'wait')) return false;
    session.noteFetch();
    session.noteLive('hls', profile);
    if (typeof body !== 'string') return this.#sendMedia(exchange, session, body);
    if (name.kind === 'part') rendition.awaitPart(name.msn, name.part, this.#wait(wanted));
    return true;
  }

  /** Fails as WaitingRoom.enter. */
  #wait({ session, rendition, exchange, isGzip }: ResolvedRequest): WaitingExchange {
    const { room, keepAliveMs } = this.#parts;
    return new WaitingExchange({
      room,
      session,
      source: rendition,
      exchange,
      isGzip,
      keepAliveMs,
      live: this,
    });
  }

  #sendPlaylist(
    exchange: PlainExchange,
    session: ViewerSession,
    playlist: PlaylistText,
    isGzip: boolean,
  ): void {
    const { traffic, sessions } = this.#parts;
    traffic.playlists += 1;
    traffic.count(session, (isGzip ? playlist.gzipped() : playlist.text).length, sessions);
    const bytes = exchange.isLast
      ? playlistResponse(playlist, isGzip, null)
      : this.#response(playlist, isGzip);
    exchange.send(bytes, null, null);
  }

  #response(playlist: PlaylistText, isGzip: boolean): Buffer {
    const slot = isGzip ? 1 : 0;
    const epochSec = this.#epochSec();
    const before = this.#responses[slot];
    if (before !== null && before.of === playlist && before.epochSec === epochSec) return before.bytes;
    const bytes = playlistResponse(playlist, isGzip, this.#parts.keepAliveMs);
    this.#responses[slot] = { of: playlist, epochSec, bytes };
    return bytes;
  }

  /** False: the viewer has too much in transit. In any case, the media has an owner then, or was returned. */
  #sendMedia(exchange: PlainExchange, session: ViewerSession, media: LentMedia): boolean {
    const { responses, traffic, sessions } = this.#parts;
    const { bytes } = media;
    const response = responses.beginOn(exchange.connection, session, media);
    if (response === 'gone') return true;
    if (response === 'too-much') return false;
    traffic.count(session, bytes.length, sessions);
    const head = exchange.isLast ? mediaHead(bytes.length, null) : this.#headOf(bytes.length);
    exchange.send(head, bytes, () => responses.sent(response));
    return true;
  }

  #headOf(lengthBytes: number): Buffer {
    const epochSec = this.#epochSec();
    const before = this.#mediaHead;
    if (before !== null && before.of === lengthBytes && before.epochSec === epochSec) return before.bytes;
    const bytes = mediaHead(lengthBytes, this.#parts.keepAliveMs);
    this.#mediaHead = { of: lengthBytes, epochSec, bytes };
    return bytes;
  }

  #epochSec(): number {
    return Math.floor(this.#parts.clock.epochMs() / 1_000);
  }
}

/** null: not a live playlist, segment or part. Requests for other media keep nothing open. Hot. */
function readTarget(target: string): LiveTarget | null {
  if (!target.startsWith(FOLDER)) return null;
  const grantEnd = target.indexOf('/', FOLDER.length);
  if (grantEnd < 0) return null;
  const isSub = target.startsWith(SUB, grantEnd + 1);
  const nameStart = grantEnd + 1 + (isSub ? SUB.length : 0);
  const question = target.indexOf('?', nameStart);
  const name = target.slice(nameStart, question < 0 ? undefined : question);
  const extension = EXTENSIONS.get(name);
  const media = extension === undefined ? liveMediaName(name) : null;
  if (extension === undefined && media === null) return null;
  return {
    grantText: target.slice(FOLDER.length, grantEnd),
    profile: isSub ? 'sub' : 'main',
    media,
    extension: extension ?? 'm4v',
    query: question < 0 ? '' : target.slice(question + 1),
  };
}

function liveMediaName(text: string): LiveMediaName | null {
  const name = parseMediaName(text);
  return name === null || name.kind === 'init' ? null : name;
}
