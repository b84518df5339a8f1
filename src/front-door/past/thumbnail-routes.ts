/**
 * Thumbnails of the past, which players show while someone looks for a moment (docs/design/playback.md#thumbnails): an image playlist, and JPEGs
 * of many thumbnails. Next to the playlists of the range.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GatewayError } from '../../core/errors.ts';
import { THUMBNAILS_FOLDER, THUMBNAILS_NAME } from '../../playback/past-names.ts';
import type { PastPlayback } from '../../playback/past-playback.ts';
import {
  MAX_SHEET_BYTES,
  type ThumbnailSheet,
  type ThumbnailSheets,
} from '../../playback/thumbnail-sheets.ts';
import { parseSheetName } from '../../playback/thumbnail-size.ts';
import type { PastAccess } from '../../sharing/past-access.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';
import { type MediaKind, PLAYLIST, sendBytes, sentBytes } from '../response/media-response.ts';
import type { FrontDoorParts } from '../session/front-door-parts.ts';
import type { GrantParams } from '../session/grant-replies.ts';
import { ViewerReplies } from '../session/viewer-replies.ts';
import type { PastBudget } from './past-budget.ts';
import { type AllowedPast, type RangeTexts, type ReadyPast, respondPast } from './past-request.ts';

export interface ThumbnailParts {
  readonly playback: PastPlayback;
  readonly access: PastAccess;
  readonly thumbnails: ThumbnailSheets;
}

interface RangeParams extends GrantParams, RangeTexts {}

interface NameParams extends RangeParams {
  readonly name: string;
}

const FOLDER = '/live/:grant/vod/:start/:duration';
const BY_GRANT = { config: { access: 'grant' } } as const;
/** For each place of the JPEG, 1 if there is a thumbnail. */
const PLACES_HEADER = 'x-thumbnails';

export class ThumbnailRoutes {
  readonly #parts: FrontDoorParts;
  readonly #past: ThumbnailParts;
  readonly #budget: PastBudget;
  readonly #replies: ViewerReplies;

  constructor(parts: FrontDoorParts, past: ThumbnailParts, budget: PastBudget) {
    this.#parts = parts;
    this.#past = past;
    this.#budget = budget;
    this.#replies = new ViewerReplies(parts);
  }

  register(app: FastifyInstance): void {
    app.get<{ Params: RangeParams }>(`${FOLDER}/${THUMBNAILS_NAME}`, BY_GRANT, (request, reply) =>
      this.#respond(request, reply, (allowed) => this.#playlist(allowed)),
    );
    app.get<{ Params: NameParams }>(`${FOLDER}/${THUMBNAILS_FOLDER}/:name`, BY_GRANT, (request, reply) =>
      this.#respond(request, reply, (allowed) => this.#sheet(allowed, request.params.name)),
    );
  }

  #respond(
    request: FastifyRequest<{ Params: RangeParams }>,
    reply: FastifyReply,
    make: (allowed: AllowedPast) => Promise<ReadyPast>,
  ): void {
    const of = { parts: this.#parts, access: this.#past.access, budget: this.#budget };
    void respondPast(of, request.params.grant, request.params, request, reply, make);
  }

  async #playlist({ session, range, spans }: AllowedPast): Promise<ReadyPast> {
    const { playback } = this.#past;
    const timeline = await playback.timeline(session.cameraUuid, range);
    const text = await playback.thumbnailPlaylist(timeline, spans);
    if (text === null) throw notFound();
    return this.#sender(session, Buffer.from(text, 'latin1'), PLAYLIST, () => undefined);
  }

  /** Its bytes count from before they are read until they are sent, as other media. */
  async #sheet({ session, range, spans }: AllowedPast, name: string): Promise<ReadyPast> {
    const fromMs = parseSheetName(name);
    if (fromMs === null) throw notFound();
    const { playback, thumbnails } = this.#past;
    const giveBack = this.#budget.take(session, MAX_SHEET_BYTES);
    try {
      const timeline = await playback.timeline(session.cameraUuid, range);
      const sheet = await thumbnails.sheet(timeline, spans, fromMs);
      if (sheet === null) throw notFound();
      return this.#sender(session, sheet.jpeg, jpegKind(sheet), giveBack);
    } catch (thrown) {
      giveBack();
      throw thrown;
    }
  }

  #sender(session: ViewerSession, body: Buffer, kind: MediaKind, end: () => void): ReadyPast {
    return {
      send: (reply) => {
        if (!this.#replies.begin(reply, session, null, body.length)) {
          end();
          return;
        }
        reply.raw.once('close', end);
        sendBytes(reply, kind, body);
        this.#replies.count(session, sentBytes(reply, body.length));
      },
      discard: end,
    };
  }
}

/** It changes while the range is recorded, and no cache outlives the right to see it. */
function jpegKind({ isThere }: ThumbnailSheet): MediaKind {
  const places = isThere.map(Number).join('');
  return { type: 'image/jpeg', cacheControl: 'no-store', more: [PLACES_HEADER, places] };
}

function notFound(): GatewayError {
  return new GatewayError(FRONT_DOOR_ERRORS.MEDIA_NOT_FOUND);
}
