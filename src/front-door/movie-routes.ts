/**
 * An MP4 of any time of a camera's past, for viewers with a grant: `/live/<grant>/vod/<startSec>/<durationSec>/clip.mp4`
 * (docs/design/clips.md#mp4-of-a-range). The access is decided as for all of the past (past-request.ts), and again before
 * each block; a change of the decision also cuts the connection (MediaAnswers).
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GatewayError } from '../core/errors.ts';
import type { RangeMovies } from '../playback/range-movies.ts';
import { BLOCK_BYTES, type ServedFile } from '../playback/served-file.ts';
import { RECORDED_RENDITION } from '../recording/recorded-cameras.ts';
import type { PastAccess } from '../sharing/past-access.ts';
import { FRONT_DOOR_ERRORS } from './errors.ts';
import { fileReplyFor, sendFile } from './file-answer.ts';
import type { FrontDoorParts } from './front-door-parts.ts';
import type { GrantParams } from './grant-replies.ts';
import type { PastBudget } from './past-budget.ts';
import { type AllowedPast, answerPast, type RangeTexts, type ReadyPast, stillShows } from './past-request.ts';
import { rawQuery } from './raw-query.ts';
import { sendFailure } from './refusal-answer.ts';
import { ViewerReplies } from './viewer-replies.ts';

export interface MoviePast {
  readonly movies: RangeMovies;
  readonly access: PastAccess;
  readonly budget: PastBudget;
}

interface RangeParams extends GrantParams, RangeTexts {}

/** Of a file that is being sent: a block on its way, and the next one. */
export const HELD_BYTES = 2 * BLOCK_BYTES;

export class MovieRoutes {
  readonly #parts: FrontDoorParts;
  readonly #past: MoviePast;
  readonly #replies: ViewerReplies;

  constructor(parts: FrontDoorParts, past: MoviePast) {
    this.#parts = parts;
    this.#past = past;
    this.#replies = new ViewerReplies(parts);
  }

  register(app: FastifyInstance): void {
    const config = { access: 'grant' } as const;
    app.get<{ Params: RangeParams }>(
      '/live/:grant/vod/:start/:duration/clip.mp4',
      { config },
      (request, reply) => this.answer(request.params.grant, request, reply),
    );
  }

  /** For whoever has the grant. */
  answer(grantText: string, request: FastifyRequest<{ Params: RangeTexts }>, reply: FastifyReply): void {
    const of = { parts: this.#parts, ...this.#past };
    const make = (allowed: AllowedPast) => this.#make(request, allowed);
    void answerPast(of, grantText, request.params, request, reply, make);
  }

  async #make(request: FastifyRequest, allowed: AllowedPast): Promise<ReadyPast> {
    const { session, range, spans } = allowed;
    const { movies, budget } = this.#past;
    const stream = { cameraUuid: session.cameraUuid, rendition: RECORDED_RENDITION };
    const wish = { ...range, hasAudio: session.includeAudio };
    const movie = await movies.movie(session.orgUuid, stream, wish, spans);
    const release = budget.take(session, HELD_BYTES);
    return {
      send: (reply) => void this.#send(request, reply, allowed, movie).finally(release),
      discard: release,
    };
  }

  async #send(
    request: FastifyRequest,
    reply: FastifyReply,
    allowed: AllowedPast,
    movie: ServedFile,
  ): Promise<void> {
    const { session } = allowed;
    const file = fileReplyFor(request, movie);
    const heldBytes = Math.min(HELD_BYTES, file.end - file.first);
    const answer = this.#parts.answers.beginStreamed(reply, session, heldBytes);
    if (answer === 'gone') {
      reply.hijack();
      return;
    }
    if (answer === 'too-much') {
      sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.TOO_MUCH_UNSENT));
      return;
    }
    session.noteFetch();
    session.notePast('file');
    const isDownload = new URLSearchParams(rawQuery(request)).has('download');
    const downloadName = isDownload ? `${timeName(allowed.range.fromMs)}.mp4` : null;
    await sendFile(reply, movie, { type: 'video/mp4', downloadName }, file, {
      mayContinue: () => stillShows(this.#past.access, allowed),
      onProgress: () => answer.advance(),
      onSent: (bytes) => this.#replies.count(session, bytes),
    });
  }
}

/** `20260704T120000.000Z`: file systems take no colons. */
function timeName(epochMs: number): string {
  return new Date(epochMs).toISOString().replaceAll(/[-:]/g, '');
}
