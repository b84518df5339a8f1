/** What the camera signed in the recordings that a clip is copied from (ONVIF Media Signing). */

import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { signedInRecording } from '../playback/camera-signature.ts';
import type { CopySource } from '../playback/movie-protocol.ts';
import type { ClipFileBody } from './clip-records.ts';
import type { ClipMedia } from './clip-sources.ts';

/** Whether or not a camera signed it, there is a clip. Never rejects. */
export async function signatureOfClip(
  source: CopySource,
  {
    clipUuid,
    media,
    log,
    signal,
  }: {
    readonly clipUuid: Ruuid;
    readonly media: ClipMedia;
    readonly log: Log;
    readonly signal: AbortSignal;
  },
): Promise<Pick<ClipFileBody, 'cameraSignature'>> {
  // The frames of a timelapse are encoded again.
  if (!('files' in source)) return {};
  try {
    const cameraSignature = await signedInRecording(media, source.files, { isThorough: false, signal });
    return cameraSignature === null ? {} : { cameraSignature };
  } catch (thrown) {
    if (!signal.aborted)
      log.warn({ clip: clipUuid, err: toGatewayError(thrown) }, 'camera signature not checked');
    return {};
  }
}
