/**
 * The calls of a share link: opening it and asking for its state. Runs before the rest of the page is parsed, so
 * that the gateway wakes the camera and issues the grant while the player is still loading.
 */

/** Why the gateway does not let someone watch. The closed list of the access decision. */
export type RefusalReason = (typeof REASONS)[number];

const REASONS = [
  'unknown',
  'revoked',
  'expired',
  'hidden-by-schedule',
  'password-needed',
  'password-wrong',
  'viewer-limit',
  'grant-expired',
  'too-many-attempts',
  'too-many-opens',
  'camera-offline',
  'restarting',
] as const;

/** `busy`: a response that names no reason from the list and may be different later. */
export interface Refusal {
  readonly reason: RefusalReason | 'busy';
  /** When a schedule shows the stream again, by the gateway's clock; null if it does not say. */
  readonly untilEpochMs: number | null;
  readonly retryAfterSec: number | null;
}

export interface OpenShare {
  readonly name: string;
  /** Absolute URLs. */
  readonly playlistUrl: string;
  readonly statusUrl: string;
  readonly posterUrl: string | null;
  /** When the poster was taken, by the gateway's clock; null if there is none. */
  readonly posterEpochMs: number | null;
}

export type OpenResult =
  | { readonly kind: 'open'; readonly share: OpenShare }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'unreachable' };

export type CameraState = 'idle' | 'starting' | 'live' | 'offline';

export type StatusResult =
  | { readonly kind: 'camera'; readonly state: CameraState }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'unreachable' };

const CALL_TIMEOUT_MS = 15_000;

/** The Date header is truncated to whole seconds. */
const DATE_HEADER_MIDDLE_MS = 500;

/** The page's own path is the share: `/share/<token>`. */
const shareUrl = new URL(location.pathname.replace(/\/+$/, ''), location.href);

/** How far the gateway's clock is ahead of the phone's, which may be wrong. */
let clockLeadMs = 0;

/** The time of day by the gateway's clock. */
export function gatewayEpochMs(): number {
  return Date.now() + clockLeadMs;
}

/** Opens the share. Never rejects. `password`: null if none was typed. */
export async function openShare(password: string | null): Promise<OpenResult> {
  const answer = await call(`${shareUrl.href}/open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(password === null ? {} : { password }),
  });
  if (answer === null) return { kind: 'unreachable' };
  const { name, playlistUrl, posterUrl, posterAtMs } = answer.body;
  if (answer.status !== 200 || typeof playlistUrl !== 'string') return refused(answer);
  const playlist = new URL(playlistUrl, shareUrl);
  return {
    kind: 'open',
    share: {
      name: typeof name === 'string' && name !== '' ? name : 'Live video',
      playlistUrl: playlist.href,
      statusUrl: new URL('status', playlist).href,
      posterUrl: typeof posterUrl === 'string' ? new URL(posterUrl, shareUrl).href : null,
      posterEpochMs: typeof posterAtMs === 'number' ? posterAtMs : null,
    },
  };
}

/** Asks for the camera's state, and whether the grant is still valid. Never rejects. */
export async function readStatus(statusUrl: string): Promise<StatusResult> {
  const answer = await call(statusUrl, {});
  if (answer === null) return { kind: 'unreachable' };
  const { camera } = answer.body;
  const state = isRecord(camera) ? camera.state : null;
  if (answer.status === 200 && isCameraState(state)) return { kind: 'camera', state };
  return refused(answer);
}

/** The refusal in a response other than 200: its JSON body if there is one, otherwise what its status means. */
export function parseRefusal(status: number, bodyText: string, retryAfter: string | null): Refusal {
  const body = parseBody(bodyText);
  const { reason, until, retryAfterSec } = body;
  const headerSec = retryAfter === null || retryAfter === '' ? Number.NaN : Number(retryAfter);
  return {
    reason: REASONS.find((known) => known === reason) ?? reasonOfStatus(status),
    untilEpochMs: typeof until === 'number' ? until : null,
    retryAfterSec:
      typeof retryAfterSec === 'number' ? retryAfterSec : Number.isFinite(headerSec) ? headerSec : null,
  };
}

interface Answer {
  readonly status: number;
  readonly bodyText: string;
  readonly body: Record<string, unknown>;
  readonly retryAfter: string | null;
}

/** null: no response came, whether the network or the gateway failed. */
async function call(url: string, init: RequestInit): Promise<Answer | null> {
  try {
    const response = await fetch(url, {
      ...init,
      cache: 'no-store',
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    });
    const bodyText = await response.text();
    const body = parseBody(bodyText);
    noteClock(body.serverTimeMs, response.headers.get('date'));
    return { status: response.status, bodyText, body, retryAfter: response.headers.get('retry-after') };
  } catch {
    // fetch rejects with a TypeError or a timeout in every case where no response arrives; all mean the same here
    return null;
  }
}

function refused(answer: Answer): { readonly kind: 'refused'; readonly refusal: Refusal } {
  return { kind: 'refused', refusal: parseRefusal(answer.status, answer.bodyText, answer.retryAfter) };
}

function noteClock(serverTimeMs: unknown, date: string | null): void {
  const epochMs =
    typeof serverTimeMs === 'number' ? serverTimeMs : Date.parse(date ?? '') + DATE_HEADER_MIDDLE_MS;
  if (Number.isFinite(epochMs)) clockLeadMs = epochMs - Date.now();
}

function reasonOfStatus(status: number): Refusal['reason'] {
  return status === 401 || status === 403 || status === 404 || status === 410 ? 'unknown' : 'busy';
}

/** Anything but a JSON object (a proxy's error page) counts as empty. */
function parseBody(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text);
    return isRecord(body) ? body : {};
  } catch {
    // not JSON: the status alone decides
    return {};
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isCameraState(value: unknown): value is CameraState {
  return value === 'idle' || value === 'starting' || value === 'live' || value === 'offline';
}

/** The first open call, in flight since this module ran. */
export const firstOpen: Promise<OpenResult> = openShare(null);
