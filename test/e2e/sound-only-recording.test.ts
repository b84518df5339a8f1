/** A device with sound only is recorded: its past plays, and what needs video says that there is none. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestGateway } from '../support/gateway.ts';
import { type GstCamera, startGstCamera } from '../support/gst-camera.ts';
import { fetchOk, fetchRuns } from '../support/hls.ts';
import { decodeErrors, probedSeconds, probeStreams } from '../support/media-check.ts';
import { BY_KEY, recordCamera, sessionQuery, type TestRange } from '../support/recorded-past.ts';
import { until } from '../support/until.ts';

const WAIT_MS = 100_000;
const SEGMENTS = 5;

let camera: GstCamera;
let gateway: TestGateway;
let cameraUuid: string;
let range: TestRange;

beforeAll(async () => {
  camera = await startGstCamera('none-aac');
  ({ gateway, cameraUuid, range } = await recordCamera('Intercom', camera.url, SEGMENTS));
}, WAIT_MS);

afterAll(async () => {
  await gateway?.dispose();
  await camera?.stop();
});

const past = (name: string): string =>
  `${gateway.mediaUrl}/media/${cameraUuid}/local/vod/${range.startSec}/${range.durationSec}/${name}`;

test('its past is a playlist whose segments ffmpeg decodes', async () => {
  const url = past(`file.m3u8${await sessionQuery(gateway)}`);
  const list = (await fetchOk(url)).toString();
  expect(list).toContain('CODECS="mp4a.40.2"\n');
  const media = new URL(list.split('\n').find((line) => line !== '' && !line.startsWith('#'))!, url).href;
  const [recorded, ...others] = await fetchRuns(media);
  expect(others).toEqual([]);
  expect(await decodeErrors(recorded!.media)).toBe('');
  expect(await probeStreams(recorded!.media)).toMatchObject([{ codec_type: 'audio', codec_name: 'aac' }]);
  const listedSec = recorded!.segments.reduce((sum, { duration }) => sum + duration, 0);
  expect(listedSec).toBeGreaterThanOrEqual(range.durationSec);
});

test('its past is a manifest with an Adaptation Set of audio', async () => {
  const url = past(`file.mpd${await sessionQuery(gateway)}`);
  const manifest = (await fetchOk(url)).toString();
  expect([...manifest.matchAll(/contentType="(\w+)"/g)].map(([, type]) => type)).toEqual(['audio']);
  expect(Math.abs((await probedSeconds(url)) - range.durationSec)).toBeLessThan(1);
});

test('a link without sound is told why its past has nothing', async () => {
  const share = await gateway.share('Intercom', { includeAudio: false, vodEnabled: true });
  const opened = await fetch(`${share.pageUrl}/open`, { method: 'POST' });
  const { pastUrl } = (await opened.json()) as { pastUrl: string };
  for (const name of ['file.m3u8', 'file.mpd']) {
    const path = `${pastUrl}/${range.startSec}/${range.durationSec}/${name}`;
    const response = await fetch(new URL(path, gateway.mediaUrl));
    expect([name, response.status, await response.json()]).toMatchObject([
      name,
      409,
      { reason: 'sound-only' },
    ]);
  }
});

test('an MP4 and a clip of it fail, because they need video', async () => {
  const response = await fetch(past('clip.mp4'), { headers: BY_KEY });
  expect([response.status, await response.json()]).toMatchObject([
    409,
    { reason: 'sound-only', errorMsg: 'Only sound was recorded at this time. A clip needs video.' },
  ]);
  const { clipUuid } = await gateway.call('video/spliceV3', {
    deviceUuids: [cameraUuid],
    startTimeMillis: range.startSec * 1_000,
    durationSec: 4,
    title: 'Door',
  });
  const state = async (): Promise<string> =>
    (await gateway.call('event/getClipWithProgress', { clipUuid })).clip.status;
  await until('the clip fails', async () => (await state()) === 'FAILED', WAIT_MS);
});
