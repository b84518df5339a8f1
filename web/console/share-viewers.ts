/** Who watches by a link now, and what the link shows at a chosen time. */

import { call } from './api.ts';
import type { VisibilityChange } from './share-item.ts';

export interface ShareViewer {
  readonly viewerId: string;
  readonly sinceMs: number;
  readonly lastRequestMs: number;
  /** Empty if unknown, like the next. */
  readonly address: string;
  readonly userAgent: string;
  readonly protocol?: 'HLS' | 'DASH' | 'WEBSOCKET' | 'FILE';
  readonly stream?: 'MAIN' | 'SUB' | 'H264';
  readonly isInPast: boolean;
  readonly sentBytes: number;
}

export interface BlockedAddress {
  readonly address: string;
  readonly untilMs: number;
}

export interface ShareViewers {
  readonly viewers: readonly ShareViewer[];
  readonly totalCount: number;
  readonly blockedAddresses: readonly BlockedAddress[];
  readonly lastViewedAtMs?: number;
}

/** Fails with a CallError. */
export function readViewers(sharedLiveVideoStreamUuid: string, signal: AbortSignal): Promise<ShareViewers> {
  return call('camera/getSharedStreamViewers', { sharedLiveVideoStreamUuid }, signal);
}

export interface EndedViewer {
  readonly endedCount: number;
  readonly blockedAddress?: BlockedAddress;
  readonly warningMsg?: string;
}

/** `blockMinutes` null: the viewer can open the link again at once. Fails with a CallError. */
export function endViewer(
  sharedLiveVideoStreamUuid: string,
  viewerId: string,
  blockMinutes: number | null,
): Promise<EndedViewer> {
  const block = blockMinutes === null ? {} : { blockMinutes };
  return call('camera/endSharedStreamViewer', { sharedLiveVideoStreamUuid, viewerId, ...block });
}

/** Fails with a CallError. */
export async function unblock(sharedLiveVideoStreamUuid: string, address: string): Promise<void> {
  await call('camera/unblockSharedStreamAddress', { sharedLiveVideoStreamUuid, address });
}

export interface ShownAt {
  readonly isVisible: boolean;
  readonly sentence: string;
  readonly nextChange?: VisibilityChange;
}

export interface ShareVisibility extends ShownAt {
  readonly atMs: number;
  readonly timeZone: string;
  readonly passwordProtected: boolean;
  readonly cameras: readonly (ShownAt & { readonly cameraUuid: string; readonly cameraName: string })[];
}

/** `atMs` null: now. Fails with a CallError. */
export function readVisibility(
  uuid: string,
  atMs: number | null,
  signal: AbortSignal,
): Promise<ShareVisibility> {
  return call('camera/getSharedStreamVisibility', { uuid, ...(atMs === null ? {} : { atMs }) }, signal);
}

const PROTOCOLS = { HLS: 'HLS', DASH: 'DASH', WEBSOCKET: 'Real-time', FILE: 'File' } as const;
const STREAMS = { MAIN: 'main stream', SUB: 'substream', H264: 'H.264 copy' } as const;

/** How a viewer gets it, as in "HLS, main stream". */
export function variantText({ protocol, stream, isInPast }: ShareViewer): string {
  if (protocol === undefined) return 'No media yet';
  const parts = [PROTOCOLS[protocol], isInPast ? 'the past' : stream === undefined ? '' : STREAMS[stream]];
  return parts.filter(Boolean).join(', ');
}
