/** What the streams of a camera do now, and a way to watch it, as the API has them. */

import { call } from './api.ts';

export interface StreamState {
  readonly state: 'not-checked' | 'connecting' | 'live' | 'reachable' | 'offline';
  readonly sinceMs?: number;
  readonly errorCode?: string;
  readonly errorSentence?: string;
  readonly errorAdvice?: string;
  readonly nextRetryMs?: number;
  /** Streams that get a worker earlier. */
  readonly waitingBehind?: number;
  readonly codecs?: readonly string[];
  readonly width?: number;
  readonly height?: number;
  readonly frameRate?: number;
  readonly bitsPerSec?: number;
  readonly keyFrameDistanceSec?: number;
  readonly droppedFrames?: number;
  readonly clockDriftPpm?: number;
  readonly worker?: boolean;
}

export interface CameraStreams {
  readonly cameraUuid: string;
  readonly name: string;
  readonly viewers: number;
  readonly main: StreamState;
  readonly sub?: StreamState;
}

export interface Preview {
  readonly grant: string;
  readonly pageUrl: string;
  readonly playlistUrl: string;
  readonly endsAtMs: number;
}

/** Fails with a CallError, also if there is no such camera. */
export async function readCameraStreams(cameraUuid: string, signal: AbortSignal): Promise<CameraStreams> {
  const { cameras } = await call<{ cameras: readonly [CameraStreams] }>(
    'camera/getCameraStreamStates',
    { cameraUuids: [cameraUuid] },
    signal,
  );
  return cameras[0];
}

/** `grant`: of a preview that goes on; null: a new one. */
export function openPreview(cameraUuid: string, grant: string | null, signal: AbortSignal): Promise<Preview> {
  return call<Preview>(
    'camera/createPreviewGrant',
    { cameraUuid, ...(grant === null ? {} : { grant }) },
    signal,
  );
}

/** As in "4.0 Mbit/s" or "640 kbit/s". */
export function bitRateText(bitsPerSec: number): string {
  return bitsPerSec >= 1e6
    ? `${(bitsPerSec / 1e6).toFixed(1)} Mbit/s`
    : `${Math.round(bitsPerSec / 1e3)} kbit/s`;
}
