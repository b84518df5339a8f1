/**
 * The most frequent request of all, without the router: the main playlist of a viewer who is known, as it is now. Everything else
 * about a request, and every request that cannot be answered at once with a playlist, is left to the routes: then nothing has
 * happened yet. The access decision is the same (`ViewerSessions.known`).
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { parsePlaylistQuery } from '../hls/playlist-query.ts';
import type { ViewerSession } from '../sharing/viewer-session.ts';
import type { LiveCamera, PlaylistText } from '../stream/live-media.ts';
import type { FrontDoorParts } from './front-door-parts.ts';
import { writePlaylist } from './media-answer.ts';
import { interestOf, playlistQueryOf, renditionNameOf } from './viewer-routes.ts';

const FOLDER = '/live/';
const NAME = '/file.m3u8';
const PROFILE = 'main';

/** A playlist that can be sent now. */
interface Ready {
  readonly session: ViewerSession;
  readonly camera: LiveCamera;
  readonly text: PlaylistText;
}

export class ReadyPlaylists {
  readonly #parts: Pick<FrontDoorParts, 'sessions' | 'cameras' | 'traffic' | 'room'>;

  constructor(parts: Pick<FrontDoorParts, 'sessions' | 'cameras' | 'traffic' | 'room'>) {
    this.#parts = parts;
  }

  /** False: it is not such a request, or not ready. Hot. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const ready = isPlain(request) ? this.#find(request.url ?? '') : null;
    if (ready === null) return false;
    const { session, camera, text } = ready;
    const { traffic, sessions } = this.#parts;
    camera.touch(interestOf(session, PROFILE), session.urgency);
    traffic.playlists += 1;
    traffic.count(session, writePlaylist(request, response, text), sessions);
    return true;
  }

  #find(url: string): Ready | null {
    if (!url.startsWith(FOLDER)) return null;
    const grantEnd = url.indexOf('/', FOLDER.length);
    if (grantEnd < 0 || !url.startsWith(NAME, grantEnd)) return null;
    const nameEnd = grantEnd + NAME.length;
    if (nameEnd < url.length && url[nameEnd] !== '?') return null;
    const { sessions, cameras, room } = this.#parts;
    const session = sessions.known(url.slice(FOLDER.length, grantEnd));
    // With shared paths, a request for a playlist is noted as one for media.
    if (session === null || session.sharesPaths || room.isClosed) return null;
    const camera = cameras.get(session.cameraUuid);
    if (camera === undefined || !canPlay(camera, session)) return null;
    const text = textOf(camera, session, url.slice(nameEnd + 1));
    return text === null ? null : { session, camera, text };
  }
}

function textOf(camera: LiveCamera, session: ViewerSession, query: string): PlaylistText | null {
  const rendition = camera.rendition(renditionNameOf(session, PROFILE));
  if (rendition === null) return null;
  try {
    const text = rendition.playlist(playlistQueryOf(session, PROFILE, 'm4v', parsePlaylistQuery(query)));
    return typeof text === 'string' ? null : text;
  } catch {
    // The route fails in the same way, and says so.
    return null;
  }
}

/** HTTP/1.1, and without a body, for which the routes have limits. */
function isPlain({ method, httpVersionMajor, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    httpVersionMajor === 1 &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined
  );
}

function canPlay(camera: LiveCamera, { audience }: ViewerSession): boolean {
  return camera.status().state !== 'offline' && (audience === 'sound' || camera.hasPicture() !== false);
}
