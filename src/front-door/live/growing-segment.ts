/**
 * A segment that is sent while it is being made: each of its parts as soon as there is one, in chunks. What breaks off
 * before the last part ends with its connection, so that no player or cache takes it for the segment.
 */

import type { FastifyReply } from 'fastify';
import { GatewayError } from '../../core/errors.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import type { LentMedia, LiveRendition } from '../../stream/media/live-media.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';
import { beginChunked, type MediaKind } from '../response/media-response.ts';
import type { GrowingResponse, MediaResponses } from '../response/media-responses.ts';
import { sendFailure } from '../response/refusal-response.ts';
import type { Deliver } from '../response/waiting-reply.ts';
import type { ViewerReplies } from '../session/viewer-replies.ts';

const NO_BYTES = Buffer.alloc(0);

export interface GrowingSegmentOptions {
  readonly replies: ViewerReplies;
  readonly responses: MediaResponses;
  readonly reply: FastifyReply;
  readonly session: ViewerSession;
  readonly rendition: LiveRendition;
  readonly msn: number;
  readonly kind: MediaKind;
}

/** Holds the loans of all parts until the response has ended. */
export class GrowingSegment implements LentMedia {
  readonly bytes = NO_BYTES;
  readonly #options: GrowingSegmentOptions;
  #lent: LentMedia[] = [];
  #next = 0;
  #response: GrowingResponse | null = null;
  #isReleased = false;
  readonly #deliver: Deliver = (_waiting, body) => {
    if (!('text' in body) && this.#write(body)) this.send();
  };

  constructor(options: GrowingSegmentOptions) {
    this.#options = options;
  }

  /** Sends the existing parts, and continues automatically with each new part. */
  send(): void {
    const { rendition, msn } = this.#options;
    for (;;) {
      const part = rendition.part(msn, this.#next);
      if (part === 'wait') {
        this.#wait();
        return;
      }
      if (typeof part === 'string') {
        this.#finish();
        return;
      }
      if (!this.#write(part)) return;
    }
  }

  /** Fails TOO_MANY_WAITING or SHUTTING_DOWN as long as nothing was sent. */
  #wait(): void {
    const { replies, reply, session, rendition, msn } = this.#options;
    try {
      rendition.awaitPart(msn, this.#next, replies.wait(reply, session, rendition, this.#deliver, null));
    } catch (thrown) {
      if (!reply.raw.headersSent) throw thrown;
      reply.raw.destroy();
    }
  }

  release(): void {
    this.#isReleased = true;
    for (const part of this.#lent) part.release();
    this.#lent = [];
  }

  isRecalled(nowMonoMs: number): boolean {
    return this.#lent.some((part) => part.isRecalled(nowMonoMs));
  }

  /** Takes over the part. False: the response is over. */
  #write(part: LentMedia): boolean {
    const { reply, replies, session } = this.#options;
    if (this.#response === null && !this.#begin()) {
      part.release();
      return false;
    }
    if (this.#isReleased || reply.raw.destroyed) {
      part.release();
      return false;
    }
    this.#lent.push(part);
    this.#next++;
    const { bytes } = part;
    if (!this.#response!.grow(bytes.length)) {
      reply.raw.destroy();
      return false;
    }
    reply.raw.write(bytes);
    replies.count(session, bytes.length);
    return true;
  }

  /** False: it cannot be sent, and the response is over. */
  #begin(): boolean {
    const { responses, reply, session, kind } = this.#options;
    const response = responses.beginGrowing(reply, session, this);
    if (typeof response === 'string') {
      if (response === 'gone') reply.hijack();
      else sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.TOO_MUCH_UNSENT));
      return false;
    }
    this.#response = response;
    beginChunked(reply, kind);
    if (reply.request.method !== 'HEAD') return true;
    reply.raw.end();
    return false;
  }

  /** There is no further part: the segment is complete, or it has left the window. */
  #finish(): void {
    const { reply, rendition, msn } = this.#options;
    if (this.#next === 0) {
      sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.MEDIA_NOT_FOUND));
      return;
    }
    const last = rendition.part(msn, this.#next - 1);
    if (typeof last === 'string') reply.raw.destroy();
    else {
      last.release();
      reply.raw.end();
    }
  }
}
