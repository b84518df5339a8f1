/**
 * Responses that carry a still image. They contain its time and whether the camera is live, so that clients do not mistake the last image
 * of an offline camera for a current one.
 */

import type { OutgoingHttpHeader } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { endWith } from '../../connections/paced-body.ts';
import type { LiveState } from '../../stream/media/live-media.ts';
import type { Still } from '../../thumbnails/stills.ts';
import { COMMON_HEADERS } from '../response/refusal-response.ts';

/** A live camera's newest key frame is younger: groups of pictures last at most 20 s (`maxSegmentMs`). */
export const MAX_LIVE_STILL_AGE_MS = 25_000;
/** `live`; `last`: the last image of a camera that is not streaming; `past`: that of a requested moment. */
export const PICTURE_STATE_HEADER = 'x-picture-state';
/** When it was taken, in epoch milliseconds; Last-Modified has whole seconds. */
export const PICTURE_TIME_HEADER = 'x-picture-time-ms';

const EXPOSED = `${COMMON_HEADERS['access-control-expose-headers']}, Age, ETag, Last-Modified, X-Picture-State, X-Picture-Time-Ms`;
const MS_PER_SEC = 1_000;

export type PictureState = 'live' | 'last' | 'past';

export function pictureStateOf(still: Still, state: LiveState['state'], nowEpochMs: number): PictureState {
  return state === 'live' && nowEpochMs - still.takenAtEpochMs <= MAX_LIVE_STILL_AGE_MS ? 'live' : 'last';
}

/** Whether the client has this image already (RFC 9110 §13.1.2, §13.1.3, §13.2.2). */
export function hasStill(request: FastifyRequest, still: Still): boolean {
  const { 'if-none-match': noneMatch, 'if-modified-since': since } = request.headers;
  if (noneMatch !== undefined) {
    const tag = entityTag(still);
    return noneMatch.split(',').some((item) => {
      const given = item.trim();
      return given === '*' || given === tag || given === `W/${tag}`;
    });
  }
  if (since === undefined) return false;
  const sinceEpochMs = Date.parse(since);
  return Math.floor(still.takenAtEpochMs / MS_PER_SEC) * MS_PER_SEC <= sinceEpochMs;
}

/** 304 with the headers of the image. */
export function sendNotModified(
  reply: FastifyReply,
  still: Still,
  state: PictureState,
  nowEpochMs: number,
): void {
  reply.hijack();
  reply.raw.writeHead(304, stillHeaders(still, state, nowEpochMs));
  reply.raw.end();
}

/** `still.bytes` are not changed and may be sent to others at the same time. */
export function sendStill(reply: FastifyReply, still: Still, state: PictureState, nowEpochMs: number): void {
  const list = stillHeaders(still, state, nowEpochMs);
  list.push('content-type', `image/${still.format}`, 'content-length', still.bytes.length);
  reply.hijack();
  reply.raw.writeHead(200, list);
  endWith(reply.raw, still.bytes);
}

/** `no-cache`: a client shows it again only after it has checked whether there is a newer one, and may still see it. */
function stillHeaders(still: Still, state: PictureState, nowEpochMs: number): OutgoingHttpHeader[] {
  const ageSec = Math.max(0, Math.floor((nowEpochMs - still.takenAtEpochMs) / MS_PER_SEC));
  return [
    'cache-control',
    'private, no-cache',
    'vary',
    'accept',
    'etag',
    entityTag(still),
    'last-modified',
    new Date(still.takenAtEpochMs).toUTCString(),
    'age',
    ageSec,
    PICTURE_STATE_HEADER,
    state,
    PICTURE_TIME_HEADER,
    still.takenAtEpochMs,
    'access-control-allow-origin',
    '*',
    'access-control-expose-headers',
    EXPOSED,
    'x-content-type-options',
    'nosniff',
    'referrer-policy',
    'no-referrer',
  ];
}

function entityTag(still: Still): string {
  return `"${still.digest}"`;
}
