/** GStreamer's RTSP server as a camera: a peer with its own interpretation of every standard. */

import { resolve } from 'node:path';
import { Child } from './child.ts';
import { freePort } from './ports.ts';

type GstVideo =
  | 'h264'
  | 'h264-bframes'
  | 'h264-irregular'
  | 'h264-numbered'
  | 'h264-refresh'
  | 'h264-refresh-stated'
  | 'h264-sent'
  | 'h264-signed'
  | 'h264-signed-changed'
  | 'h264-signed-lossy'
  | 'h264-switching'
  | 'h265'
  | 'h265-signed'
  | 'h265-small'
  | 'mjpeg'
  | 'mjpeg-bars'
  | 'mjpeg-numbered'
  | 'vp8'
  | 'none';
type GstSound = 'aac' | 'g722' | 'g726' | 'l16' | 'mp3' | 'opus' | 'pcma' | 'pcmu' | 'only';

/** Video and sound: the keys of VIDEO and AUDIO in the script. */
export type GstCameraKind = `${GstVideo}-${GstSound}`;

/** Size of pictures that show their own numbers, which begin again at 65,536. 25 pictures a second. */
export const NUMBERED_PICTURE = { widthPx: 320, heightPx: 192 };
export const NUMBERED_FRAMES = 65_536;

export interface GstCamera {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

const SCRIPT = resolve(import.meta.dirname, '../peers/gst-camera.py');

/** `port`: the same as before, to let a camera reconnect. `pem`: a file with certificate and key, for TLS. */
export async function startGstCamera(
  kind: GstCameraKind,
  port?: number,
  pem: string | null = null,
): Promise<GstCamera> {
  const chosen = port ?? (await freePort());
  const child = new Child('/usr/bin/python3', [SCRIPT, String(chosen), kind, ...(pem === null ? [] : [pem])]);
  await child.line(/^ready$/);
  return {
    url: `${pem === null ? 'rtsp' : 'rtsps'}://127.0.0.1:${chosen}/stream`,
    port: chosen,
    stop: () => child.end('SIGKILL'),
  };
}
