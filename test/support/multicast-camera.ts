/** Multicast that ffmpeg sends, announced by a scripted camera that refuses everything else. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CameraScript, decentScript, FakeCamera } from '../../src/sources/direct/fake-camera.ts';
import { Child } from './child.ts';
import { freePort } from './ports.ts';
import { until } from './until.ts';

const GROUP = '239.255.77.9';

export interface MulticastCamera {
  readonly url: string;
  close(): Promise<void>;
}

/** H.264 of 320 × 180 at 25 frames per second, a key frame every second. `port`: of RTSP; 0: any. */
export async function startMulticastCamera(port = 0): Promise<MulticastCamera> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-multicast-'));
  const sdpFile = join(folder, 'group.sdp');
  const groupPort = (await freePort()) & ~1;
  const sender = new Child('ffmpeg', [
    ...['-hide_banner', '-nostdin', '-re', '-f', 'lavfi', '-i', 'testsrc=size=320x180:rate=25'],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-g', '25', '-pix_fmt', 'yuv420p'],
    ...['-flags', '+global_header', '-sdp_file', sdpFile, '-f', 'rtp'],
    `rtp://${GROUP}:${groupPort}?ttl=1&localaddr=127.0.0.1&pkt_size=1200`,
  ]);
  const sdp = await until('the description', async () => {
    const text = await readFile(sdpFile, 'utf8').catch(() => '');
    return text.includes('sprop-parameter-sets') ? text : null;
  });
  const camera = await FakeCamera.listen(announcing(sdp, groupPort), null, port);
  return {
    url: camera.url(),
    close: async () => {
      await camera.close();
      await sender.end('SIGKILL');
      await rm(folder, { recursive: true });
    },
  };
}

/** Offers the group and nothing else. */
function announcing(sdp: string, port: number): CameraScript {
  const rest = decentScript(0, `${sdp.trim()}\r\na=control:trackID=1\r\n`);
  return (request, connection) => {
    if (request.method !== 'SETUP') rest(request, connection);
    else if (!/;multicast/.test(request.headers.get('Transport') ?? '')) connection.reply(request, 461);
    else {
      const transport = `RTP/AVP;multicast;destination=${GROUP};port=${port}-${port + 1};ttl=1`;
      connection.reply(request, 200, [
        ['Session', '1'],
        ['Transport', transport],
      ]);
    }
  };
}
