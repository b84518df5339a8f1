/** Where a page finds the streams of a camera that any browser plays. */

import type { LiveCamera } from '../../stream/media/live-media.ts';

/**
 * Serves pages whose browser does not play H.265; empty if the camera's main stream is H.264. The codec of a camera that was never open is
 * unknown.
 */
export function compatibleUrl(camera: LiveCamera, folder: string): { readonly compatibleUrl?: string } {
  return camera.hasCompatibleStream() === false ? {} : { compatibleUrl: `${folder}/index.m3u8?video=h264` };
}
