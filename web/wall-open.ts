/** The calls of a shared video wall: opening its link, and reading again what it shows. */

import {
  call,
  isRecord,
  type OpenShare,
  type PageResponse,
  parseRefusal,
  type Refusal,
  refused,
  streamsOf,
} from './open.ts';
import { type FreePlace, isLayoutKind, type WallLayoutKind } from './wall-layout.ts';
import { t } from './words/plain-words.ts';

/** A camera of the wall, as it is now. */
export interface WallCamera {
  /** The same for as long as the link works. */
  readonly id: string;
  readonly name: string;
  /** null: it may not be watched now. */
  readonly share: OpenShare | null;
  readonly refusal: Refusal | null;
  /** Message about the refusal from the person who shared the wall; '' if none. */
  readonly message: string;
}

/** As the person who shared the wall laid it out. */
export interface WallLayout {
  readonly kind: WallLayoutKind;
  /** Seconds until the next page is shown; 0: pages change only by hand. */
  readonly tourSec: number;
  /** Of the kind `FREE`. */
  readonly cells: readonly FreePlace[];
}

export interface OpenWall {
  readonly name: string;
  readonly layout: WallLayout;
  /** Where to ask again. */
  readonly camerasUrl: string;
  /** When the link must be opened again, by the gateway's clock. */
  readonly endsAtEpochMs: number;
  /** In the order of the tiles. */
  readonly cameras: readonly WallCamera[];
}

export type WallResult =
  | { readonly kind: 'open'; readonly wall: OpenWall }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'unreachable' };

/** The page's own path is the link: `/wall/<token>`. */
export const wallUrl = new URL(location.pathname.replace(/\/+$/, ''), location.href);

/** Never rejects. `password`: null if none was typed. */
export async function openWall(password: string | null): Promise<WallResult> {
  const response = await call(`${wallUrl.href}/open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(password === null ? {} : { password }),
  });
  return wallResult(response);
}

/** Never rejects. */
export async function lookAtWall(camerasUrl: string): Promise<WallResult> {
  return wallResult(await call(camerasUrl, {}));
}

async function wallResult(response: PageResponse | null): Promise<WallResult> {
  if (response === null) return { kind: 'unreachable' };
  const { name, layout, camerasUrl, cameras, grantsExpireAtSec } = response.body;
  if (response.status !== 200 || typeof camerasUrl !== 'string' || !Array.isArray(cameras)) {
    return refused(response);
  }
  return {
    kind: 'open',
    wall: {
      name: typeof name === 'string' && name !== '' ? name : t('Video wall'),
      layout: layoutOf(isRecord(layout) ? layout : {}),
      camerasUrl: new URL(camerasUrl, wallUrl).href,
      endsAtEpochMs: Number(grantsExpireAtSec) * 1_000,
      cameras: await Promise.all(cameras.filter(isRecord).map(wallCamera)),
    },
  };
}

/** A gateway of another version may say nothing about it. */
function layoutOf({ kind, tourSec, cells }: Record<string, unknown>): WallLayout {
  return {
    kind: isLayoutKind(kind) ? kind : 'AUTOMATIC',
    tourSec: Number(tourSec ?? 0),
    cells: Array.isArray(cells) ? (cells as readonly FreePlace[]) : [],
  };
}

async function wallCamera(given: Record<string, unknown>): Promise<WallCamera> {
  const { id, name, posterUrl, pastUrl, message } = given;
  const shown = typeof name === 'string' && name !== '' ? name : t('Camera');
  const common = { id: String(id), name: shown, message: typeof message === 'string' ? message : '' };
  const streams = await streamsOf(given, wallUrl);
  if (streams === null) {
    return { ...common, share: null, refusal: parseRefusal(403, JSON.stringify(given), null) };
  }
  const share: OpenShare = {
    name: shown,
    ...streams,
    posterUrl: typeof posterUrl === 'string' ? new URL(posterUrl, wallUrl).href : null,
    posterEpochMs: null,
    steeredFrom: [],
    pastUrl: typeof pastUrl === 'string' ? new URL(pastUrl, wallUrl).href : null,
  };
  return { ...common, share, refusal: null };
}
