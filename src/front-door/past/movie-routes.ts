/**
 * An MP4 of any time of a camera's past, for viewers with a grant: `/live/<grant>/vod/<startSec>/<durationSec>/clip.mp4`
 * (docs/design/clips.md#mp4-of-a-range). The access is decided as for all of the past (past-request.ts), and again before each block; a
 * change of the decision also cuts the connection (MediaAnswers).
 *
 * Players request a file in pieces, and take them for pieces of the same file (RFC 9110 §14.2) without checking. So a range to which
 * segments may still be added is another resource, which ends where the recording ends now: a request for a piece is redirected to it
 * (§15.4.8), and the response for the whole file names its fixed URL (Content-Location, §8.7).
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GatewayError } from '../../core/errors.ts';
import type { PastPlayback } from '../../playback/past-playback.ts';
import type { PastRange } from '../../playback/past-range.ts';
import type { RangeMovies } from '../../playback/range-movies.ts';
import type { RangeRequest } from '../../playback/range-mp4.ts';
import { BLOCK_BYTES, type ServedFile } from '../../playback/served-file.ts';
import type { ShownTime } from '../../playback/shown-time.ts';
import { type CameraRendition, RECORDED_RENDITION } from '../../recording/recorded-cameras.ts';
import type { RecordedStream } from '../../recording/segment-index.ts';
import type { PastAccess } from '../../sharing/past-access.ts';
import { downloadNameFor } from '../response/download-name.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';
import { fileReplyFor, sendFile } from '../response/file-response.ts';
import { rawQuery } from '../response/raw-query.ts';
import { COMMON_HEADERS, sendFailure } from '../response/refusal-response.ts';
import { requestedHeightPx } from '../response/requested-height.ts';
import { videoQuery } from '../response/requested-video.ts';
import type { FrontDoorParts } from '../session/front-door-parts.ts';
import type { GrantParams } from '../session/grant-replies.ts';
import { ViewerReplies } from '../session/viewer-replies.ts';
import type { EncodedFileOrder, EncodedFiles } from './encoded-files.ts';
import type { PastBudget } from './past-budget.ts';
import {
  type AllowedPast,
  type RangeTexts,
  type ReadyPast,
  respondPast,
  stillShows,
} from './past-request.ts';

export interface MoviePast {
  readonly movies: RangeMovies;
  readonly playback: Pick<PastPlayback, 'cameraOf' | 'timeline' | 'streamWithin'>;
  readonly encoded: EncodedFiles;
  readonly access: PastAccess;
  readonly budget: PastBudget;
}

interface RangeParams extends GrantParams, RangeTexts {}

/** A range that ended this long ago has all of its segments: longer than any segment, and until it is in the catalog. */
const SETTLED_AFTER_MS = 90_000;
/** The next segment may begin a little before the end of this one: clocks are corrected. */
const SEAM_MS = 20;

/** Memory that a file in transit holds: the block on its way, and the next one. */
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
      (request, reply) => this.respond(request.params.grant, request, reply),
    );
  }

  /** Responds to any holder of the grant. */
  respond(grantText: string, request: FastifyRequest<{ Params: RangeTexts }>, reply: FastifyReply): void {
    const of = { parts: this.#parts, ...this.#past };
    const make = (allowed: AllowedPast) => this.#make(request, allowed);
    void respondPast(of, grantText, request.params, request, reply, make);
  }

  async #make(request: FastifyRequest, allowed: AllowedPast): Promise<ReadyPast> {
    const { session, range, spans } = allowed;
    const { movies, budget } = this.#past;
    const { recordedUuid: cameraUuid, masks } = this.#past.playback.cameraOf(session.cameraUuid);
    const stream = { cameraUuid, rendition: await this.#renditionFor(request, allowed) };
    const requested = { ...range, hasAudio: session.includeAudio };
    if (masks !== null || videoQuery(rawQuery(request)) !== '') {
      const source = await movies.movie(session.orgUuid, stream, requested, spans);
      return this.#encoded(request, allowed, { source, masks, cameraUuid });
    }
    const toMs = await this.#settledEndMs(stream, requested, spans);
    const settledUrl = toMs === range.toMs ? null : urlOf(request, { fromMs: range.fromMs, toMs });
    if (settledUrl !== null && request.headers.range !== undefined) {
      return { send: (reply) => redirect(reply, settledUrl), discard: () => undefined };
    }
    const movie = await movies.movie(session.orgUuid, stream, { ...requested, toMs }, spans);
    const release = budget.take(session, HELD_BYTES);
    return {
      send: (reply) => void this.#send(request, reply, allowed, movie, settledUrl).finally(release),
      discard: release,
    };
  }

  async #renditionFor(
    request: FastifyRequest,
    { session, range, spans }: AllowedPast,
  ): Promise<CameraRendition> {
    const maxHeightPx = requestedHeightPx(rawQuery(request));
    if (maxHeightPx === null) return RECORDED_RENDITION;
    const { playback } = this.#past;
    return playback.streamWithin(await playback.timeline(session.cameraUuid, range), spans, maxHeightPx);
  }

  async #encoded(
    request: FastifyRequest,
    allowed: AllowedPast,
    order: Pick<EncodedFileOrder, 'source' | 'masks' | 'cameraUuid'>,
  ): Promise<ReadyPast> {
    const { session, range } = allowed;
    const { orgUuid, includeAudio: hasAudio } = session;
    const durationMs = range.toMs - range.fromMs;
    const encoded = await this.#past.encoded.begin(session, { ...order, orgUuid, hasAudio, durationMs });
    const downloadName = this.#downloadName(request, allowed);
    const mayContinue = () => stillShows(this.#past.access, allowed);
    const onSent = (bytes: number) => this.#replies.count(session, bytes);
    return {
      send: (reply) => void encoded.send(reply, { downloadName, mayContinue, onSent }),
      discard: () => encoded.discard(),
    };
  }

  #downloadName(request: FastifyRequest, { session, range }: AllowedPast): string | null {
    const { sessions, cameras } = this.#parts;
    // A link shows its own name, and not that of its camera.
    const name = sessions.nameOf(session) ?? cameras.get(session.cameraUuid)?.name ?? '';
    return downloadNameFor(request, { titles: [name], fromMs: range.fromMs, extension: 'mp4' });
  }

  /** The end of the range, or an earlier one: up to there, nothing will be added. */
  async #settledEndMs(
    stream: RecordedStream,
    wanted: RangeRequest,
    spans: readonly ShownTime[],
  ): Promise<number> {
    const { fromMs, toMs } = wanted;
    if (this.#parts.clock.epochMs() - toMs > SETTLED_AFTER_MS) return toMs;
    const reachedMs = await this.#past.movies.reach(stream, wanted, spans);
    const settledMs = Math.floor(reachedMs ?? toMs) - SEAM_MS;
    return reachedMs !== null && settledMs > fromMs ? Math.min(toMs, settledMs) : toMs;
  }

  async #send(
    request: FastifyRequest,
    reply: FastifyReply,
    allowed: AllowedPast,
    movie: ServedFile,
    location: string | null,
  ): Promise<void> {
    const { session } = allowed;
    const file = fileReplyFor(request, movie);
    const heldBytes = Math.min(HELD_BYTES, file.end - file.first);
    const response = this.#parts.responses.beginStreamed(reply, session, heldBytes);
    if (response === 'gone') {
      reply.hijack();
      return;
    }
    if (response === 'too-much') {
      sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.TOO_MUCH_UNSENT));
      return;
    }
    session.noteFetch();
    session.notePast('file');
    const downloadName = this.#downloadName(request, allowed);
    await sendFile(reply, movie, { type: 'video/mp4', downloadName, location }, file, {
      mayContinue: () => stillShows(this.#past.access, allowed),
      onProgress: () => response.advance(),
      onSent: (bytes) => this.#replies.count(session, bytes),
    });
  }
}

/** Relative to the URL of the request, which ends in its range. */
function urlOf(request: FastifyRequest, { fromMs, toMs }: PastRange): string {
  const query = rawQuery(request);
  return `../${(toMs - fromMs) / 1_000}/clip.mp4${query === '' ? '' : `?${query}`}`;
}

function redirect(reply: FastifyReply, location: string): void {
  reply
    .code(307)
    .headers({ ...COMMON_HEADERS, 'cache-control': 'no-store', location })
    .send();
}
