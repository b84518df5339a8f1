/**
 * `drift`: whether audio stays in sync with the picture while a camera's sound card runs fast or slow, in real time and for
 * ten minutes. Synthetic cameras with G.711 beep at every full second of the clock that is burned into their picture, and
 * their sound cards are off by 300 ppm: 180 ms in ten minutes if the gateway did not correct it. A whole gateway carries
 * them; ffmpeg decodes what viewers get. The reference is a camera without drift.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { withPcmuSound } from '../../src/synthetic-camera/pcmu-sound-fixture.ts';
import { startSyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { TestGateway } from '../../test/support/gateway.ts';
import { fetchOk, fetchPlaylist, openShare } from '../../test/support/hls.ts';
import { soundBehindPictureMs } from '../../test/support/sound-sync.ts';
import { makeClip } from '../../test/support/synthetic.ts';
import { until } from '../../test/support/until.ts';
import type { BenchOptions, BenchResult } from '../report.ts';

interface Driver {
  readonly name: string;
  readonly driftPpm: number;
  /** The gateway's setting. */
  readonly audio: 'auto' | 'aac';
}

const DRIVERS: readonly Driver[] = [
  { name: 'no drift, FLAC', driftPpm: 0, audio: 'auto' },
  { name: '300 ppm fast, FLAC', driftPpm: 300, audio: 'auto' },
  { name: '300 ppm slow, FLAC', driftPpm: -300, audio: 'auto' },
  { name: '300 ppm fast, AAC', driftPpm: 300, audio: 'aac' },
  { name: '300 ppm slow, AAC', driftPpm: -300, audio: 'aac' },
];
const SEGMENTS = 5;

export async function run({ isShort }: BenchOptions): Promise<BenchResult> {
  const seconds = isShort ? 60 : 600;
  const clip = await makeClip(320, 180);
  const cameras = await Promise.all(
    DRIVERS.map(({ driftPpm }) =>
      startSyntheticCamera({
        listen: { host: '127.0.0.1', port: 0 },
        clip: withPcmuSound(clip, driftPpm),
        clock: systemClock,
        log: silentLog,
      }),
    ),
  );
  const gateway = await TestGateway.start({
    cameras: DRIVERS.map(({ name, audio }, index) => ({ name, rtsp: cameras[index]!.url, audio })),
  });
  try {
    const urls = await Promise.all(
      DRIVERS.map(async ({ name }) => openShare((await gateway.share(name)).m3u8Url)),
    );
    const rows = DRIVERS.map(({ name }) => ({
      case: name,
      beeps: 0,
      'first ms': 0,
      'last ms': 0,
      'worst ms': 0,
    }));
    const endMs = performance.now() + seconds * 1_000;
    // Each round downloads the media made in it, which also keeps the cameras open.
    while (performance.now() < endMs) {
      for (const [index, url] of urls.entries()) {
        const behindMs = await newestBehindMs(url);
        const row = rows[index]!;
        if (row.beeps === 0) row['first ms'] = behindMs[0]!;
        row.beeps += behindMs.length;
        row['last ms'] = behindMs.at(-1)!;
        row['worst ms'] = Math.max(row['worst ms'], ...behindMs.map(Math.abs));
      }
      await delay(2_000);
    }
    const worstMs = (of: Driver['audio']) =>
      Math.max(...rows.filter((_, index) => DRIVERS[index]!.audio === of).map((row) => row['worst ms']));
    return {
      name: 'drift',
      rows,
      figures: { seconds, flacOffMs: worstMs('auto'), aacOffMs: worstMs('aac') },
    };
  } finally {
    await gateway.dispose();
    await Promise.all(cameras.map((camera) => camera.close()));
  }
}

/** How far each beep of the newest segments is behind its picture. */
async function newestBehindMs(url: string): Promise<number[]> {
  const behindMs = await until('segments with beeps', async () => {
    const { segments } = await fetchPlaylist(url);
    const whole = segments
      .filter(({ uri, duration }) => duration > 0 && uri.startsWith('seg_'))
      .slice(-SEGMENTS);
    if (whole.length < SEGMENTS) return null;
    const media = [await fetchOk(new URL(whole[0]!.map.uri, url).href)];
    for (const { uri } of whole) media.push(await fetchOk(new URL(uri, url).href));
    const found = await soundBehindPictureMs(Buffer.concat(media));
    return found.length >= 2 ? found : null;
  });
  return behindMs;
}
