/** The current state of a camera's streams, and a way to watch it, as the API returns them. */

import { inThisLanguage } from '../words/choices.ts';
import { type Answer, CallError, call } from './api.ts';

export type StreamState = CameraStreams['main'];

export type CameraStreams = Answer<'camera/getCameraStreamStates'>['cameras'][number];

export type Preview = Answer<'camera/createPreviewGrant'>;

/** Fails with a CallError, also if the camera does not exist. */
export async function readCameraStreams(cameraUuid: string, signal: AbortSignal): Promise<CameraStreams> {
  const { cameras } = await call('camera/getCameraStreamStates', { cameraUuids: [cameraUuid] }, signal);
  const [camera] = cameras;
  if (camera === undefined)
    throw new CallError('The gateway returned no state of this camera.', { status: 0 });
  return camera;
}

/** `grant`: the grant of a preview to continue; null: starts a new preview. */
export async function openPreview(
  cameraUuid: string,
  grant: string | null,
  signal: AbortSignal,
): Promise<Preview> {
  const wanted = { cameraUuid, ...(grant === null ? {} : { grant }) };
  const preview = await call('camera/createPreviewGrant', wanted, signal);
  return { ...preview, pageUrl: inThisLanguage(preview.pageUrl) };
}

/** As in "4.0 Mbit/s" or "640 kbit/s". */
export function bitRateText(bitsPerSec: number): string {
  return bitsPerSec >= 1e6
    ? `${(bitsPerSec / 1e6).toFixed(1)} Mbit/s`
    : `${Math.round(bitsPerSec / 1e3)} kbit/s`;
}
