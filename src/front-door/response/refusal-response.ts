/**
 * The one place that turns a refusal or a failure into HTTP. 401 and 403 only ever mean "not allowed", with the reason
 * as JSON. A link that leads nowhere is 404. If the camera is offline, it is 503 with Retry-After
 * (docs/design/access.md).
 */

import type { FastifyReply } from 'fastify';
import { type ErrorKind, GatewayError } from '../../core/errors.ts';
import { FFMPEG_ERRORS } from '../../ffmpeg/errors.ts';
import { API_ERRORS } from '../../http/errors.ts';
import { ISOBMFF_ERRORS } from '../../isobmff/errors.ts';
import { PLAYBACK_ERRORS } from '../../playback/errors.ts';
import { RECORDER_ERRORS } from '../../recorders/errors.ts';
import { RECORDING_ERRORS } from '../../recording/errors.ts';
import type { AccessRefused } from '../../sharing/access-decision.ts';
import type { DeviceOpeningRefused } from '../../sharing/device-gate.ts';
import { SHARING_ERRORS } from '../../sharing/errors.ts';
import type { OpeningRefusalReason, OpeningRefused } from '../../sharing/share-gate.ts';
import { LIVE_ERRORS, STREAM_ERRORS } from '../../stream/media/errors.ts';
import type { LiveState } from '../../stream/media/live-media.ts';
import { FRONT_DOOR_ERRORS } from './errors.ts';
import { headerLines, wholeHead } from './prepared-head.ts';

/** Why a caller with credentials, or without, gets no device. */
export interface DeviceRefusal {
  readonly reason:
    | DeviceOpeningRefused['reason']
    | 'credentials-needed'
    | 'credentials-wrong'
    | 'too-many-credentials';
  /** `too-many-credentials`, `too-many-opens`: when the next one is considered. */
  readonly retryAfterMs: number | null;
}

type Reason = OpeningRefusalReason | DeviceRefusal['reason'] | 'past-not-shared';

/** Body of every response in place of the requested one. */
export interface RefusalBody {
  readonly error: true;
  readonly errorMsg: string;
  /**
   * A refusal reason, or one of `camera-offline`, `sound-only`, `busy`, `restarting`, `not-found`, `bad-request`,
   * `internal`.
   */
  readonly reason: string;
  /** Epoch milliseconds: when a hidden share is shown again. */
  readonly until?: number;
  /** Epoch milliseconds at the gateway, in every refusal of access: the viewer page counts down to `until` by it. */
  readonly serverTimeMs?: number;
  readonly retryAfterSec?: number;
  /** `camera-offline`, epoch milliseconds: when the gateway tries the camera again, which may be later than `retryAfterSec`. */
  readonly retryAtEpochMs?: number;
  readonly passwordRequired?: true;
  /** The label of the sign-in button. */
  readonly signInLabel?: string;
}

export const COMMON_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Retry-After, Content-Range, Date',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const;

const JSON_HEADERS = {
  ...COMMON_HEADERS,
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
} as const;

const SENTENCES: Readonly<Record<Reason, string>> = {
  unknown: 'This link does not lead to a shared stream.',
  revoked: 'This link has been turned off.',
  expired: 'This link has expired.',
  'viewer-ended': 'The organization ended this view.',
  'hidden-by-schedule': 'The stream is not available at this time.',
  'sign-in-needed':
    'Viewers of this stream sign in first. Open its page in a browser: players and embedded pages cannot sign in.',
  'password-needed': 'The stream requires a password.',
  'password-wrong': 'The password is incorrect.',
  'too-many-attempts': 'Too many wrong passwords. Wait as long as Retry-After says.',
  'too-many-opens':
    'This link has been opened too often from this address. Wait as long as Retry-After says.',
  'grant-expired': 'This access has expired. Open the link again.',
  'viewer-limit': 'The maximum number of viewers is already watching.',
  'credential-ended': 'The key or session that gave this access has ended.',
  'device-removed': 'The device no longer exists.',
  'credentials-needed': 'The media of a device require an API key or a federated session.',
  'credentials-wrong': 'The key, its scheme, the session or the organization it names was not accepted.',
  'past-not-shared': 'This link does not show this time.',
  'too-many-credentials': 'Too many wrong credentials. Wait as long as Retry-After says.',
};

/** Texts for devices, where the text for links would be wrong. */
const DEVICE_SENTENCES: Readonly<Partial<Record<Reason, string>>> = {
  unknown: 'There is no device with this UUID.',
  'too-many-opens':
    'This device has been opened too often from this address. Wait as long as Retry-After says.',
};

const STATUS_BY_KIND: Readonly<Record<ErrorKind, number>> = {
  'invalid-input': 400,
  unauthenticated: 401,
  'not-allowed': 403,
  'not-found': 404,
  conflict: 409,
  'rate-limited': 429,
  unavailable: 503,
  'peer-protocol': 503,
  'peer-refused': 503,
  timeout: 503,
  limit: 503,
  internal: 500,
};

/** Failures of an overloaded gateway, or of its storage, while the camera may be fine. */
const BUSY_CODES: ReadonlySet<string> = new Set<string>([
  ...Object.keys(RECORDER_ERRORS),
  ...[RECORDING_ERRORS, PLAYBACK_ERRORS, ISOBMFF_ERRORS].flatMap((errors) =>
    Object.values(errors).map(({ code }) => code),
  ),
  LIVE_ERRORS.LIVE_TOO_MANY_WAITERS.code,
  FRONT_DOOR_ERRORS.TOO_MANY_WAITING.code,
  FRONT_DOOR_ERRORS.TOO_MUCH_UNSENT.code,
  FRONT_DOOR_ERRORS.TOO_MANY_FORWARDED.code,
  FRONT_DOOR_ERRORS.TOO_MANY_RTSP_VIEWERS.code,
  FRONT_DOOR_ERRORS.TOO_MANY_SOCKETS.code,
  FRONT_DOOR_ERRORS.NO_WORKER.code,
  FRONT_DOOR_ERRORS.TOO_MANY_STILLS.code,
  FRONT_DOOR_ERRORS.TOO_MANY_PAST_READS.code,
  SHARING_ERRORS.PASSWORD_QUEUE_FULL.code,
  SHARING_ERRORS.VIEWER_SESSIONS_FULL.code,
  API_ERRORS.OVERLOADED.code,
]);

/** The camera is fine, but does not have the requested media. */
const SOUND_ONLY_CODES: ReadonlySet<string> = new Set([
  STREAM_ERRORS.STREAM_SOUND_ONLY.code,
  STREAM_ERRORS.STREAM_NO_PICTURE.code,
  PLAYBACK_ERRORS.PLAYBACK_SOUND_ONLY.code,
  PLAYBACK_ERRORS.RANGE_SOUND_ONLY.code,
]);

/** 403 for every other reason. */
const OPENING_STATUS: Readonly<Partial<Record<Reason, number>>> = {
  unknown: 404,
  'credentials-needed': 401,
  'credentials-wrong': 401,
  'too-many-credentials': 429,
  'sign-in-needed': 401,
  'password-needed': 401,
  'password-wrong': 401,
  'too-many-attempts': 429,
  'too-many-opens': 429,
};

/** A restart of the gateway takes about this long. */
const DEFAULT_RETRY_AFTER_SEC = 2;
const MAX_RETRY_AFTER_SEC = 30;
const VIEWER_LIMIT_RETRY_SEC = 10;
const MS_PER_SEC = 1_000;

/** To a viewer with a grant: 404 if this gateway did not sign it, otherwise 403. */
export function sendRefused(reply: FastifyReply, refusal: AccessRefused, nowEpochMs: number): void {
  const { status, body } = refusedResponse(refusal, nowEpochMs);
  sendBody(reply, status, body);
}

/** A response in place of the requested one. */
export interface RefusalResponse {
  readonly status: number;
  readonly body: RefusalBody;
}

export function refusedResponse(
  { reason, untilEpochMs }: AccessRefused,
  nowEpochMs: number,
): RefusalResponse {
  return {
    status: reason === 'unknown' ? 404 : 403,
    body: refusalBody(reason, untilEpochMs, null, nowEpochMs),
  };
}

/** Head and body, for responses that are sent without Node's. `keepAliveMs`: see wholeHead. */
export function refusalResponse({ status, body }: RefusalResponse, keepAliveMs: number | null): Buffer {
  const json = Buffer.from(JSON.stringify(body));
  const headers = Object.entries({ ...JSON_HEADERS, 'content-length': json.length }).flat();
  if (body.retryAfterSec !== undefined) headers.push('retry-after', body.retryAfterSec);
  return Buffer.concat([Buffer.from(wholeHead(status, headerLines(headers), keepAliveMs), 'latin1'), json]);
}

/**
 * To a client that opens a share: 401 if a password or a sign-in would help, 429 if it tries too often, otherwise as with a grant.
 */
export function sendOpeningRefused(
  reply: FastifyReply,
  refusal: OpeningRefused,
  nowEpochMs: number,
  signInLabel?: string,
): void {
  const { status, body } = openingRefusedResponse(refusal, nowEpochMs);
  if (refusal.reason === 'sign-in-needed') {
    sendBody(reply, status, signInLabel === undefined ? body : { ...body, signInLabel });
  } else sendBody(reply, status, status === 401 ? { ...body, passwordRequired: true } : body);
}

export function openingRefusedResponse(
  { reason, untilEpochMs, retryAfterMs }: OpeningRefused,
  nowEpochMs: number,
): RefusalResponse {
  const retryAfterSec = retryAfterMs === null ? null : Math.ceil(retryAfterMs / MS_PER_SEC);
  return {
    status: OPENING_STATUS[reason] ?? 403,
    body: refusalBody(reason, untilEpochMs, retryAfterSec, nowEpochMs),
  };
}

/** Refuses a caller that requests a device: 401 if other credentials would help, 429 if it tries too often. */
export function sendDeviceRefused(
  reply: FastifyReply,
  { reason, retryAfterMs }: DeviceRefusal,
  nowEpochMs: number,
): void {
  const retryAfterSec = retryAfterMs === null ? null : Math.ceil(retryAfterMs / MS_PER_SEC);
  const body = refusalBody(reason, null, retryAfterSec, nowEpochMs);
  const errorMsg = DEVICE_SENTENCES[reason] ?? body.errorMsg;
  sendBody(reply, OPENING_STATUS[reason] ?? 403, { ...body, errorMsg });
}

/** To a viewer of a share that does not show its past, or not this time of it. */
export function sendPastRefused(reply: FastifyReply, nowEpochMs: number): void {
  const { status, body } = pastRefusedResponse(nowEpochMs);
  sendBody(reply, status, body);
}

export function pastRefusedResponse(nowEpochMs: number): RefusalResponse {
  return { status: 403, body: refusalBody('past-not-shared', null, null, nowEpochMs) };
}

/** The reason that viewers are given for a failure. */
export function failureReasonOf(failure: GatewayError): string {
  const error = asViewersSee(failure);
  return failureReason(STATUS_BY_KIND[error.kind], error);
}

/** If only a worker is missing, the camera is fine. */
function asViewersSee(failure: GatewayError): GatewayError {
  const isWaiting = failure.context.cause === FFMPEG_ERRORS.FFMPEG_POOL_FULL.code;
  return isWaiting ? new GatewayError(FRONT_DOOR_ERRORS.NO_WORKER, failure.context, failure) : failure;
}

export function sendFailure(reply: FastifyReply, failure: GatewayError): void {
  const { status, body } = failureResponse(failure);
  sendBody(reply, status, body);
}

export function failureResponse(failure: GatewayError): RefusalResponse {
  const error = asViewersSee(failure);
  const status = STATUS_BY_KIND[error.kind];
  const body = { error: true, errorMsg: error.message, reason: failureReason(status, error) } as const;
  const requested = error.context.retryAfterSec;
  const retryAfterSec = Math.min(
    MAX_RETRY_AFTER_SEC,
    Math.max(1, typeof requested === 'number' ? requested : DEFAULT_RETRY_AFTER_SEC),
  );
  if (status !== 503) return { status, body };
  const { retryAtEpochMs } = error.context;
  const isPlanned = body.reason === 'camera-offline' && typeof retryAtEpochMs === 'number';
  return { status, body: { ...body, retryAfterSec, ...(isPlanned ? { retryAtEpochMs } : {}) } };
}

/** How an offline camera appears to a viewer: Retry-After is the time of the next attempt. */
export function offlineError(
  state: Extract<LiveState, { state: 'offline' }>,
  nowEpochMs: number,
): GatewayError {
  const retryAfterSec = Math.ceil((state.retryAtEpochMs - nowEpochMs) / MS_PER_SEC);
  const { retryAtEpochMs } = state;
  const context = { retryAfterSec, retryAtEpochMs, cause: state.error.code };
  return new GatewayError(STREAM_ERRORS.STREAM_OFFLINE, context);
}

function refusalBody(
  reason: Reason,
  untilEpochMs: number | null,
  retryAfterSec: number | null,
  nowEpochMs: number,
): RefusalBody {
  const retrySec = reason === 'viewer-limit' ? VIEWER_LIMIT_RETRY_SEC : retryAfterSec;
  return {
    error: true,
    errorMsg: SENTENCES[reason],
    reason,
    serverTimeMs: nowEpochMs,
    ...(untilEpochMs === null ? {} : { until: untilEpochMs }),
    ...(retrySec === null ? {} : { retryAfterSec: retrySec }),
  };
}

function failureReason(status: number, error: GatewayError): string {
  switch (status) {
    case 503:
      if (error.code === FRONT_DOOR_ERRORS.SHUTTING_DOWN.code) return 'restarting';
      return BUSY_CODES.has(error.code) ? 'busy' : 'camera-offline';
    case 404:
      return 'not-found';
    case 409:
      return SOUND_ONLY_CODES.has(error.code) ? 'sound-only' : 'bad-request';
    case 500:
      return 'internal';
    default:
      return 'bad-request';
  }
}

function sendBody(reply: FastifyReply, status: number, body: RefusalBody): void {
  reply.code(status).headers(JSON_HEADERS);
  if (body.retryAfterSec !== undefined) reply.header('retry-after', body.retryAfterSec);
  reply.send(body);
}

/** Redirects to an address relative to the requested one. It holds a grant, so it must not be cached. */
export function sendRedirect(reply: FastifyReply, location: string): void {
  reply
    .code(302)
    .headers({ ...COMMON_HEADERS, 'cache-control': 'no-store', location })
    .send();
}

/** Every other JSON response. */
export function sendJson(reply: FastifyReply, status: number, body: object): void {
  reply.code(status).headers(JSON_HEADERS).send(body);
}
