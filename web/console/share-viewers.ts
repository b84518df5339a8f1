/** Reads who watches through a link now, and what the link shows at a chosen time. */

import { type Answer, call } from './api.ts';
import { t } from './words.ts';

export type ShareViewer = ShareViewers['viewers'][number];

export type BlockedAddress = ShareViewers['blockedAddresses'][number];

export type ShareViewers = Answer<'camera/getSharedStreamViewers'>;

/** Fails with a CallError. */
export function readViewers(sharedLiveVideoStreamUuid: string, signal: AbortSignal): Promise<ShareViewers> {
  return call('camera/getSharedStreamViewers', { sharedLiveVideoStreamUuid }, signal);
}

export type EndedViewer = Answer<'camera/endSharedStreamViewer'>;

/** `blockMinutes` null: the viewer can open the link again immediately. Fails with a CallError. */
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

export type ShareVisibility = Answer<'camera/getSharedStreamVisibility'>;

/** `atMs` null: now. Fails with a CallError. */
export function readVisibility(
  uuid: string,
  atMs: number | null,
  signal: AbortSignal,
): Promise<ShareVisibility> {
  return call('camera/getSharedStreamVisibility', { uuid, ...(atMs === null ? {} : { atMs }) }, signal);
}

const PROTOCOLS = {
  HLS: 'HLS',
  DASH: 'DASH',
  WEBSOCKET: t('Real-time'),
  RTSP: 'RTSP',
  FILE: t('File'),
} as const;
const STREAMS = { MAIN: t('main stream'), SUB: t('substream'), H264: t('H.264 copy') } as const;

/** How a viewer gets it, as in "HLS, main stream". */
export function variantText({ protocol, stream, isInPast }: ShareViewer): string {
  if (protocol === undefined) return t('No media yet');
  const parts = [PROTOCOLS[protocol], isInPast ? t('the past') : stream === undefined ? '' : STREAMS[stream]];
  return parts.filter(Boolean).join(', ');
}
