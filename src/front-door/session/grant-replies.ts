/** The common part of every response to a viewer with a grant: the access decision, the count of bytes, and the loan. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { GatewayError } from '../../core/errors.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import type { ViewerSessions } from '../../sharing/viewer-sessions.ts';
import type { LentMedia, LiveCamera, LiveRendition, PlaylistText } from '../../stream/media/live-media.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';
import { MEDIA, type MediaKind, PLAYLIST, sendMedia, sendPlaylist } from '../response/media-response.ts';
import { sendFailure, sendRefused } from '../response/refusal-response.ts';
import { type Deliver, WaitingReply } from '../response/waiting-reply.ts';
import type { FrontDoorParts } from './front-door-parts.ts';

export interface GrantParams {
  readonly grant: string;
}

export type GrantReplyParts = Pick<FrontDoorParts, 'room' | 'responses' | 'traffic' | 'clock'> & {
  readonly sessions: Pick<ViewerSessions, 'access' | 'isWatched'>;
};

export class GrantReplies {
  readonly #parts: GrantReplyParts;

  constructor(parts: GrantReplyParts) {
    this.#parts = parts;
  }

  /** null: refused, and the response was sent. */
  sessionOf(request: FastifyRequest<{ Params: GrantParams }>, reply: FastifyReply): ViewerSession | null {
    const access = this.#parts.sessions.access(request.params.grant, request);
    if (access.allowed) return access;
    sendRefused(reply, access, this.#parts.clock.epochMs());
    return null;
  }

  /** Hot. Playlists and manifests alike. */
  sendText(
    reply: FastifyReply,
    session: ViewerSession,
    text: PlaylistText,
    kind: MediaKind = PLAYLIST,
  ): void {
    this.#parts.traffic.playlists += 1;
    this.count(session, sendPlaylist(reply, text, kind));
  }

  /** Sends borrowed media, or the requested part of it, and returns it when that is done. Hot. */
  sendLent(reply: FastifyReply, session: ViewerSession, media: LentMedia, kind: MediaKind = MEDIA): void {
    if (!this.begin(reply, session, media, media.bytes.length)) return;
    this.count(session, sendMedia(reply, media.bytes, reply.request.headers.range, kind));
  }

  /** Whether the media may be sent now. If not, it was returned and the viewer got a response. Hot. */
  begin(reply: FastifyReply, session: ViewerSession, media: LentMedia | null, bytes: number): boolean {
    const result = this.#parts.responses.begin(reply, session, media, bytes);
    if (result === 'begun') return true;
    if (result === 'gone') reply.hijack();
    else sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.TOO_MUCH_UNSENT));
    return false;
  }

  /** The bytes of a response's body. Hot. */
  count(session: ViewerSession, bytes: number): void {
    this.#parts.traffic.count(session, bytes, this.#parts.sessions);
  }

  wait(
    reply: FastifyReply,
    session: ViewerSession,
    source: LiveRendition | LiveCamera,
    deliver: Deliver,
    maxWaitMs: number | null,
  ): WaitingReply {
    const { room } = this.#parts;
    return new WaitingReply({ room, reply, session, source, deliver, maxWaitMs });
  }
}
