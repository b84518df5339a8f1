/** GStreamer's RTSP server as a camera: a peer with its own interpretation of every standard. */

import { resolve } from 'node:path';
import { Child } from './child.ts';
import { freePort } from './ports.ts';

export type GstCameraKind =
  | 'h264-aac'
  | 'h264-bframes-aac'
  | 'h264-only'
  | 'h264-opus'
  | 'h264-pcmu'
  | 'h265-pcmu'
  | 'mjpeg-pcmu';

export interface GstCamera {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

const SCRIPT = resolve(import.meta.dirname, '../peers/gst-camera.py');

/** `port`: the same as before, to let a camera come back. */
export async function startGstCamera(kind: GstCameraKind, port?: number): Promise<GstCamera> {
  const chosen = port ?? (await freePort());
  const child = new Child('/usr/bin/python3', [SCRIPT, String(chosen), kind]);
  await child.line(/^ready$/);
  return {
    url: `rtsp://127.0.0.1:${chosen}/stream`,
    port: chosen,
    stop: () => child.end('SIGKILL'),
  };
}
