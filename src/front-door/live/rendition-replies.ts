/** Playlists, init segments, segments and parts of one live rendition, now or as soon as they exist. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { GatewayError } from '../../core/errors.ts';
import type { MediaName } from '../../hls/media-names.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import { STREAM_ERRORS } from '../../stream/media/errors.ts';
import type { LiveRendition, PlaylistQuery } from '../../stream/media/live-media.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';
import { sendMedia } from '../response/media-response.ts';
import { sendFailure } from '../response/refusal-response.ts';
import type { Deliver } from '../response/waiting-reply.ts';
import type { GrantReplies } from '../session/grant-replies.ts';

export class RenditionReplies {
  readonly #replies: GrantReplies;
  readonly #deliver: Deliver = ({ reply, session }, body) => {
    if ('text' in body) this.#replies.sendText(reply, session!, body);
    else this.#replies.sendLent(reply, session!, body);
  };

  constructor(replies: GrantReplies) {
    this.#replies = replies;
  }

  /** Hot. */
  playlist(
    reply: FastifyReply,
    session: ViewerSession,
    rendition: LiveRendition,
    query: PlaylistQuery,
  ): void {
    const body = rendition.playlist(query);
    if (body === 'wait') {
      const waiting = this.#replies.wait(reply, session, rendition, this.#deliver, null);
      rendition.awaitPlaylist(query, waiting);
    } else if (body === 'rejected') {
      if (rendition.isBehind(query.msn)) sendMissing(reply, true);
      else sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.PLAYLIST_AHEAD_OF_LIVE));
    } else if (body === 'unknown') sendNotFound(reply);
    else this.#replies.sendText(reply, session, body);
  }

  /** `mayWait`: called before a wait for a part; if it returns false, the response was sent. Hot. */
  media(
    request: FastifyRequest,
    reply: FastifyReply,
    session: ViewerSession,
    rendition: LiveRendition,
    name: MediaName,
    mayWait: () => boolean,
  ): void {
    if (name.kind === 'part') this.#part(reply, session, rendition, name, mayWait);
    else if (name.kind === 'segment') this.#segment(reply, session, rendition, name.msn, mayWait);
    else {
      const init = rendition.init(name.name);
      // Any later segment may have it.
      if (init === null) sendMissing(reply, rendition.isBehind(Number.POSITIVE_INFINITY));
      else if (this.#replies.begin(reply, session, null, init.length)) {
        this.#replies.count(session, sendMedia(reply, init, request.headers.range));
      }
    }
  }

  #part(
    reply: FastifyReply,
    session: ViewerSession,
    rendition: LiveRendition,
    { msn, part }: Extract<MediaName, { kind: 'part' }>,
    mayWait: () => boolean,
  ): void {
    const body = rendition.part(msn, part);
    if (typeof body !== 'string') this.#replies.sendLent(reply, session, body);
    else if (body !== 'wait') sendMissing(reply, rendition.isBehind(msn));
    else if (mayWait()) this.#wait(reply, session, rendition, msn, part);
  }

  #segment(
    reply: FastifyReply,
    session: ViewerSession,
    rendition: LiveRendition,
    msn: number,
    mayWait: () => boolean,
  ): void {
    const segment = rendition.segment(msn);
    if (segment !== null) this.#replies.sendLent(reply, session, segment);
    else if (!rendition.isSegmentComing(msn)) sendMissing(reply, rendition.isBehind(msn));
    else if (mayWait()) this.#wait(reply, session, rendition, msn, -1);
  }

  #wait(
    reply: FastifyReply,
    session: ViewerSession,
    rendition: LiveRendition,
    msn: number,
    part: number,
  ): void {
    const waiting = this.#replies.wait(reply, session, rendition, this.#deliver, null);
    rendition.awaitPart(msn, part, waiting);
  }
}

/** `isElsewhere`: another node of the cluster may have it. A load balancer tries that one next. */
export function sendMissing(reply: FastifyReply, isElsewhere: boolean): void {
  if (isElsewhere) sendFailure(reply, new GatewayError(STREAM_ERRORS.STREAM_BEHIND, { retryAfterSec: 1 }));
  else sendNotFound(reply);
}

export function sendNotFound(reply: FastifyReply): void {
  sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.MEDIA_NOT_FOUND));
}
