/** ffmpeg as a camera that waits for its client: a test picture and a tone, by RTMP or SRT. */

import { Child } from './child.ts';
import { freePort } from './ports.ts';

const TEST_VIDEO = ['-re', '-f', 'lavfi', '-i', 'testsrc=s=320x180:r=25'];
const TONE = ['-f', 'lavfi', '-i', 'sine=r=48000'];
const H264_AND_AAC = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25', '-bf', '0', '-c:a', 'aac'];

export interface FfmpegServer {
  readonly url: string;
  close(): Promise<void>;
}

/** A server for one client, restarted when the client has disconnected. */
export async function startFfmpegServer(kind: 'rtmp' | 'srt', port?: number): Promise<FfmpegServer> {
  const chosen = port ?? (await freePort());
  const url = kind === 'rtmp' ? `rtmp://127.0.0.1:${chosen}/live/yard` : `srt://127.0.0.1:${chosen}`;
  const output =
    kind === 'rtmp' ? ['-f', 'flv', '-listen', '1', url] : ['-f', 'mpegts', `${url}?mode=listener`];
  const args = ['-loglevel', 'error', '-nostdin', ...TEST_VIDEO, ...TONE, ...H264_AND_AAC, ...output];
  let isOver = false;
  let child: Child;
  const start = (): void => {
    if (isOver) return;
    child = new Child('ffmpeg', args);
    void child.exited.then(start);
  };
  start();
  return {
    url,
    close: async () => {
      isOver = true;
      await child.end('SIGKILL');
    },
  };
}
