/** The calls of a share link: opening it and asking for its state. */

import { noteNoResponse, noteResponse } from './gateway-silence.ts';
import { playsH265 } from './h265.ts';

/** Why the gateway does not let someone watch. The closed list of the access decision. */
export type RefusalReason = (typeof REASONS)[number];

const REASONS = [
  'unknown',
  'revoked',
  'expired',
  'hidden-by-schedule',
  'sign-in-needed',
  'password-needed',
  'password-wrong',
  'viewer-limit',
  'viewer-ended',
  'grant-expired',
  'too-many-attempts',
  'too-many-opens',
  'camera-offline',
  'sound-only',
  'restarting',
] as const;

/** `busy`: a response that names no reason from the list and may be different later. */
export interface Refusal {
  readonly reason: RefusalReason | 'busy';
  /** When a schedule shows the stream again, by the gateway's clock; null if it does not say. */
  readonly untilEpochMs: number | null;
  readonly retryAfterSec: number | null;
  /** `camera-offline`: when the gateway tries the camera again, by its clock; absent: it does not say. */
  readonly nextTryEpochMs?: number;
  /** `sign-in-needed`: text of the button; null: the response does not name a provider. */
  readonly signInLabel?: string | null;
}

export interface OpenShare {
  /** '' if it has none. */
  readonly name: string;
  /** Absolute URLs. */
  readonly playlistUrl: string;
  /** The camera has a smaller stream, too. */
  readonly hasSubStream: boolean;
  /** `playlistUrl` names only streams in H.264, because this browser plays no H.265. */
  readonly isCompatible: boolean;
  readonly statusUrl: string;
  readonly posterUrl: string | null;
  /** Where the page says how its playback goes; absent: the gateway does not ask. */
  readonly reportUrl?: string;
  /** The WebSocket for talking to people at the camera; absent: this link's viewers cannot. */
  readonly talkUrl?: string;
  /** Where the past is, without a trailing slash; null: the share does not show it. */
  readonly pastUrl: string | null;
  /** The playlist of a range of the past, for what this browser decodes. */
  readonly pastPlaylist: string;
  /** When the poster was taken, by the gateway's clock; null if there is none. */
  readonly posterEpochMs: number | null;
  /** SHA-256 of the certificate that must vouch for live video, hexadecimal; absent: it is not signed. */
  readonly signedBy?: string;
  /** Origins of pages that may steer this one. */
  readonly steeredFrom: readonly string[];
}

export type OpenResult =
  | { readonly kind: 'open'; readonly share: OpenShare }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'unreachable' };

export type CameraState = 'idle' | 'starting' | 'live' | 'offline';

export type StatusResult =
  | {
      readonly kind: 'camera';
      readonly state: CameraState;
      readonly isSoundOnly: boolean;
      /** The camera has sound, and this viewer may hear it. */
      readonly hasSound: boolean;
      /** As in Refusal. */
      readonly nextTryEpochMs?: number | undefined;
    }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'unreachable' };

const CALL_TIMEOUT_MS = 15_000;
/** The gateway holds a wait for 25 s at most. */
const WAIT_TIMEOUT_MS = 40_000;

/** Pauses between attempts double from the first to the last of these. */
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 15_000;
/** Longest timer of browsers. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Refusals that another password may change. */
export const PASSWORD_REASONS: ReadonlySet<Refusal['reason']> = new Set([
  'password-needed',
  'password-wrong',
  'too-many-attempts',
]);

/** The Date header is truncated to whole seconds. */
const DATE_HEADER_MIDDLE_MS = 500;

/** The page's own path is the share: `/share/<token>`. That of a preview is `/preview`, with its grant as the fragment. */
const shareUrl = openedUrl();

function openedUrl(): URL {
  const path = location.pathname.replace(/\/+$/, '');
  const isPreview = path.endsWith('/preview') && location.hash.length > 1;
  return new URL(isPreview ? `${path}/${location.hash.slice(1)}` : path, location.href);
}

/** Leads to the provider, and from there back to the link. */
export const signInUrl = `${shareUrl.href}/sign-in`;

/** A reading of the gateway's clock that traveled quickly is kept this long, unless a clock was set. */
const CLOCK_READING_MS = 600_000;
const CLOCK_SET_MS = 100;

/** How far the gateway's clock is ahead of the phone's, which may be wrong. */
let clockLeadMs = 0;
/** Duration of the call that read the lead: the reading may be that old. */
let clockTravelMs = Number.POSITIVE_INFINITY;
let clockReadAtMs = 0;

/** The time of day by the gateway's clock. */
export function gatewayEpochMs(): number {
  return Date.now() + clockLeadMs;
}

/** The pause before the next attempt: with a fifth of jitter, and never shorter than the gateway asks. */
export function retryWaitMs(
  failuresInRow: number,
  retryAfterSec: number | null,
  lastMs = LAST_RETRY_MS,
): number {
  const doubledMs = Math.min(lastMs, FIRST_RETRY_MS * 2 ** Math.min(10, failuresInRow));
  return Math.max(doubledMs, (retryAfterSec ?? 0) * 1_000) * (1 + Math.random() * 0.2);
}

/**
 * What a page says while it waits `waitMs`: it looks again that soon, but an offline camera cannot be back before the gateway tries it.
 */
export function shownWaitMs(
  { nextTryEpochMs }: { readonly nextTryEpochMs?: number | undefined },
  waitMs: number,
): number {
  return nextTryEpochMs === undefined ? waitMs : Math.max(waitMs, nextTryEpochMs - gatewayEpochMs());
}

/**
 * Waits at a link of this page that is closed for now. `changed`: opening it gives something else. The gateway holds the request until
 * then, or until it has waited long enough. Never rejects. `url`: of the link, by default the page's share.
 */
export async function waitAtLink(url = shareUrl): Promise<'changed' | Refusal | null> {
  const response = await call(`${url.href}/wait`, {}, WAIT_TIMEOUT_MS);
  if (response === null) return null;
  return response.status === 204 ? 'changed' : refused(response).refusal;
}

/** Opens the share. Never rejects. `password`: null if none was typed. `url`: of the link, by default the page's share. */
export async function openShare(password: string | null, url = shareUrl): Promise<OpenResult> {
  const response = await call(`${url.href}/open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(password === null ? {} : { password }),
  });
  if (response === null) return { kind: 'unreachable' };
  const { name, posterUrl, posterAtMs, pastUrl, steeredFrom, reportUrl, signedBy, talkUrl } = response.body;
  const streams = await streamsOf(response.body, url);
  if (response.status !== 200 || streams === null) return refused(response);
  return {
    kind: 'open',
    share: {
      name: typeof name === 'string' ? name : '',
      ...streams,
      posterUrl: typeof posterUrl === 'string' ? new URL(posterUrl, url).href : null,
      pastUrl: typeof pastUrl === 'string' ? new URL(pastUrl, url).href : null,
      ...(typeof reportUrl === 'string' ? { reportUrl: new URL(reportUrl, url).href } : {}),
      ...(typeof talkUrl === 'string' ? { talkUrl: new URL(talkUrl, url).href } : {}),
      ...(typeof signedBy === 'string' ? { signedBy } : {}),
      posterEpochMs: typeof posterAtMs === 'number' ? posterAtMs : null,
      steeredFrom: Array.isArray(steeredFrom) ? steeredFrom.filter((each) => typeof each === 'string') : [],
    },
  };
}

/**
 * Chooses the stream to play from a response. If the browser plays no H.265, it is the H.264 stream that the
 * gateway has or makes. null: the response names none.
 */
export async function streamsOf(
  { playlistUrl, compatibleUrl }: Record<string, unknown>,
  base: URL,
): Promise<Pick<
  OpenShare,
  'playlistUrl' | 'hasSubStream' | 'isCompatible' | 'pastPlaylist' | 'statusUrl'
> | null> {
  if (typeof playlistUrl !== 'string') return null;
  const usual = new URL(playlistUrl, base);
  const isH265Played = await playsH265();
  const hasSubStream = usual.pathname.endsWith('/index.m3u8');
  const needsOther = typeof compatibleUrl === 'string' && !isH265Played;
  return {
    playlistUrl: needsOther ? new URL(compatibleUrl, base).href : usual.href,
    isCompatible: needsOther,
    // Whatever the camera sends now: it may have been recorded as H.265.
    pastPlaylist: pastPlaylistOf(hasSubStream, isH265Played),
    hasSubStream,
    statusUrl: new URL('status', usual).href,
  };
}

/** The streams of a range, or the one that there is. */
function pastPlaylistOf(hasSubStream: boolean, isH265Played: boolean): string {
  if (hasSubStream) return isH265Played ? 'index.m3u8' : 'index.m3u8?video=h264';
  return isH265Played ? 'file.m3u8' : 'h264/file.m3u8';
}

/** Asks for the camera's state, and whether the grant is still valid. Never rejects. */
export async function readStatus(statusUrl: string): Promise<StatusResult> {
  const response = await call(statusUrl, {});
  if (response === null) return { kind: 'unreachable' };
  const { camera } = response.body;
  const state = isRecord(camera) ? camera.state : null;
  const isSoundOnly = isRecord(camera) && camera.soundOnly === true;
  const hasSound = isRecord(camera) && camera.sound === true;
  const retryAt = isRecord(camera) ? camera.retryAtEpochMs : null;
  const nextTryEpochMs = typeof retryAt === 'number' ? retryAt : undefined;
  if (response.status === 200 && isCameraState(state)) {
    return { kind: 'camera', state, isSoundOnly, hasSound, nextTryEpochMs };
  }
  return refused(response);
}

/** Half-open, epoch milliseconds by the gateway's clock. */
export interface PastWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/** When there is something to see, in order of recording; null: no answer, or nothing is shown. Never rejects. */
export async function readPastWindows(
  pastUrl: string,
  startSec: number,
  durationSec: number,
): Promise<PastWindow[] | null> {
  const response = await call(`${pastUrl}/${startSec}/${durationSec}/windows.json`, {});
  const windows: unknown = response?.status === 200 ? response.body.windows : null;
  return Array.isArray(windows) ? windows.filter(isWindow) : null;
}

/** `[hour since the epoch, hours without a break]`, ascending. */
export type PastHours = readonly (readonly [number, number])[];

/** In which hours there is something to see; null: no answer, or nothing is shown. Never rejects. */
export async function readPastHours(pastUrl: string): Promise<PastHours | null> {
  const response = await call(`${pastUrl}/hours.json`, {});
  const hours: unknown = response?.status === 200 ? response.body.hours : null;
  return Array.isArray(hours) ? hours.filter(isHourRun) : null;
}

function isHourRun(value: unknown): value is readonly [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every(Number.isFinite);
}

function isWindow(value: unknown): value is PastWindow {
  return isRecord(value) && typeof value.fromMs === 'number' && typeof value.toMs === 'number';
}

/** The refusal in a response other than 200: its JSON body if there is one, otherwise what its status means. */
export function parseRefusal(status: number, bodyText: string, retryAfter: string | null): Refusal {
  const body = parseBody(bodyText);
  const { reason, until, retryAfterSec, retryAtEpochMs, signInLabel } = body;
  const headerSec = retryAfter === null || retryAfter === '' ? Number.NaN : Number(retryAfter);
  return {
    reason: REASONS.find((known) => known === reason) ?? reasonOfStatus(status),
    untilEpochMs: typeof until === 'number' ? until : null,
    retryAfterSec:
      typeof retryAfterSec === 'number' ? retryAfterSec : Number.isFinite(headerSec) ? headerSec : null,
    ...(typeof retryAtEpochMs === 'number' ? { nextTryEpochMs: retryAtEpochMs } : {}),
    ...(typeof signInLabel === 'string' ? { signInLabel } : {}),
  };
}

export interface PageResponse {
  readonly status: number;
  readonly bodyText: string;
  readonly body: Record<string, unknown>;
  readonly retryAfter: string | null;
}

/** null: no response came, whether the network or the gateway failed. Never rejects. */
export async function call(
  url: string,
  init: RequestInit,
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<PageResponse | null> {
  const startMs = performance.now();
  try {
    const response = await fetch(url, {
      ...init,
      cache: 'no-store',
      signal: AbortSignal.timeout(timeoutMs),
    });
    noteResponse();
    const travelMs = performance.now() - startMs;
    const receivedEpochMs = Date.now();
    const bodyText = await response.text();
    const body = parseBody(bodyText);
    if (typeof body.serverTimeMs === 'number') {
      noteClock(body.serverTimeMs - (receivedEpochMs - travelMs / 2), travelMs);
    } else if (clockTravelMs === Number.POSITIVE_INFINITY) {
      const epochMs = Date.parse(response.headers.get('date') ?? '') + DATE_HEADER_MIDDLE_MS;
      if (Number.isFinite(epochMs)) clockLeadMs = epochMs - receivedEpochMs;
    }
    return { status: response.status, bodyText, body, retryAfter: response.headers.get('retry-after') };
  } catch {
    // fetch rejects with a TypeError or a timeout in every case where no response arrives; all mean the same here
    noteNoResponse(startMs);
    return null;
  }
}

export function refused(response: PageResponse): { readonly kind: 'refused'; readonly refusal: Refusal } {
  return { kind: 'refused', refusal: parseRefusal(response.status, response.bodyText, response.retryAfter) };
}

/** The quickest call is the best reading of the gateway's clock, because the clock was read in the middle of the call. */
function noteClock(leadMs: number, travelMs: number): void {
  const nowMs = performance.now();
  const isQuickest = travelMs <= clockTravelMs || nowMs - clockReadAtMs > CLOCK_READING_MS;
  const wasSet = Math.abs(leadMs - clockLeadMs) > travelMs + clockTravelMs + CLOCK_SET_MS;
  if (!isQuickest && !wasSet) return;
  clockLeadMs = leadMs;
  clockTravelMs = travelMs;
  clockReadAtMs = nowMs;
}

function reasonOfStatus(status: number): Refusal['reason'] {
  return status === 401 || status === 403 || status === 404 || status === 410 ? 'unknown' : 'busy';
}

/**
 * Anything but a JSON object (a proxy's error page) counts as empty. Without the marks that change the direction of text: a name could
 * read as another one.
 */
function parseBody(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text.replaceAll(/\p{Bidi_Control}/gu, ''));
    return isRecord(body) ? body : {};
  } catch {
    // not JSON: the status alone decides
    return {};
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isCameraState(value: unknown): value is CameraState {
  return value === 'idle' || value === 'starting' || value === 'live' || value === 'offline';
}
