/** Responses that carry a stored file, such as a clip's, to a viewer with a session: within the budget, and on loan. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { GatewayError } from '../../core/errors.ts';
import { PieceList, Pieces } from '../../playback/pieces.ts';
import type { PastMedia } from '../../playback/recorded-media.ts';
import { PiecedFile, type ServedFile } from '../../playback/served-file.ts';
import type { SharedStoredFile } from '../../sharing/shared-group.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import { HELD_BYTES } from '../past/movie-routes.ts';
import type { PastBudget } from '../past/past-budget.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';
import { type FileKind, type FileReply, fileReplyFor, sendFile } from '../response/file-response.ts';
import { sendFailure } from '../response/refusal-response.ts';
import type { FrontDoorParts } from '../session/front-door-parts.ts';
import type { ViewerReplies } from '../session/viewer-replies.ts';

export interface StoredFileParts {
  readonly responses: FrontDoorParts['responses'];
  readonly replies: ViewerReplies;
  readonly media: Pick<PastMedia, 'lend'>;
  readonly budget: PastBudget;
}

export interface StoredFileRequest extends FileKind {
  readonly stored: SharedStoredFile;
  /** Epoch milliseconds. */
  readonly writtenAtMs: number;
  /** Called before each block, in addition to the check of the session. */
  readonly mayContinue: () => boolean;
}

const NO_HEAD = Buffer.alloc(0);

/** Resolves when there is nothing left to send. Fails TOO_MANY_PAST_READS, before anything was sent. */
export async function sendStoredFile(
  parts: StoredFileParts,
  session: ViewerSession,
  request: FastifyRequest,
  reply: FastifyReply,
  { stored, writtenAtMs, mayContinue, ...kind }: StoredFileRequest,
): Promise<void> {
  const served = servedFileOf(stored, writtenAtMs, parts.media);
  await sendServedFile(parts, session, reply, {
    served,
    file: fileReplyFor(request, served),
    mayContinue,
    kind,
  });
}

/** A stored file as it is read. `writtenAtMs`: epoch milliseconds. */
export function servedFileOf(
  stored: SharedStoredFile,
  writtenAtMs: number,
  media: Pick<PastMedia, 'lend'>,
): PiecedFile {
  const list = new PieceList();
  list.add({ name: stored.name, offset: 0, byteLength: stored.byteLength });
  return new PiecedFile({
    digest: stored.sha256Hex,
    modifiedEpochMs: writtenAtMs,
    head: NO_HEAD,
    media,
    pieces: new Pieces(list.packed()),
  });
}

export interface ServedFileRequest {
  readonly served: ServedFile;
  readonly file: FileReply;
  readonly mayContinue: () => boolean;
  readonly kind: FileKind;
}

/** The same for any file that is read as it is sent. */
export async function sendServedFile(
  { responses, replies, budget }: Omit<StoredFileParts, 'media'>,
  session: ViewerSession,
  reply: FastifyReply,
  { served, file, mayContinue, kind }: ServedFileRequest,
): Promise<void> {
  const release = budget.take(session, HELD_BYTES);
  try {
    const response = responses.beginStreamed(reply, session, Math.min(HELD_BYTES, file.end - file.first));
    if (response === 'gone') {
      reply.hijack();
      return;
    }
    if (response === 'too-much') {
      sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.TOO_MUCH_UNSENT));
      return;
    }
    session.notePast('file');
    await sendFile(reply, served, kind, file, {
      mayContinue,
      onProgress: () => response.advance(),
      onSent: (bytes) => replies.count(session, bytes),
    });
  } finally {
    release();
  }
}
