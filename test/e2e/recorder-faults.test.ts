/** Video recorders that are slow, wrong, silent, or busy: nothing else suffers, and people see why nothing plays. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Clip } from '../../src/synthetic-camera/clip.ts';
import { FakeRecorder, type RecordedTime, type RecorderHabits } from '../support/fake-recorder.ts';
import { decodedFrameNumbers } from '../support/frame-numbers.ts';
import { type Json, type TestConfig, TestGateway } from '../support/gateway.ts';
import { fetchOk, fetchPlaylist } from '../support/hls.ts';
import { BY_KEY, type TestRange } from '../support/recorded-past.ts';
import { FRAMES_PER_SEC, makeClip } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const PICTURE = { widthPx: 320, heightPx: 180 };
const FRAME_MS = 1_000 / FRAMES_PER_SEC;
const HOUR_MS = 3_600_000;

let clip: Clip;
let gateway: TestGateway;
let config: { nvrs: Json[]; cameras: Json[] } & TestConfig;
const recorders = new Map<string, FakeRecorder>();
/** Some hours ago, on a whole second. */
const startMs = Math.floor((Date.now() - 4 * HOUR_MS) / 1_000) * 1_000;
const SPANS: readonly RecordedTime[] = [
  { fromMs: startMs, toMs: startMs + 30_000 },
  { fromMs: startMs + HOUR_MS, toMs: startMs + HOUR_MS + 60_000 },
];
const FIRST: TestRange = { startSec: startMs / 1_000, durationSec: 30 };
const SECOND: TestRange = { startSec: (startMs + HOUR_MS) / 1_000, durationSec: 60 };

const RECORDERS: readonly (readonly [name: string, kind: string, habits: RecorderHabits])[] = [
  ['Mute', 'hikvision', { isHttpSilent: true }],
  ['Html', 'hikvision', { httpText: '<html><body>Please log in</body></html>' }],
  ['Empty', 'onvif', { playsNothing: true }],
  ['Stubborn', 'onvif', { ignoresStart: true }],
  ['Blunt', 'hikvision', { ignoresStart: true }],
  ['Dead', 'onvif', { isRtspSilent: true }],
  ['Whole', 'onvif', { hasNoEvents: true }],
  ['Plain', 'rtsp', {}],
  ['Narrow', 'onvif', { maxSessions: 1, speed: 1 }],
  ['Fine', 'hikvision', {}],
];

beforeAll(async () => {
  clip = await makeClip(PICTURE.widthPx, PICTURE.heightPx, { audio: false });
  config = { nvrs: [], cameras: [], recording: { minFree: '16MiB' } };
  for (const [name, kind, habits] of RECORDERS) {
    const recorder = await FakeRecorder.start(clip, SPANS, habits);
    recorders.set(name, recorder);
    config.nvrs.push({ name, playback: kind, playbackUrl: recorder.httpUrl });
    const path = kind === 'hikvision' ? '/Streaming/Channels/101' : '/recorded';
    config.cameras.push({ name, nvr: name, rtsp: `${recorder.rtspUrl}${path}` });
  }
  config.cameras.push({
    name: 'Second',
    nvr: 'Narrow',
    rtsp: `${recorders.get('Narrow')!.rtspUrl}/recorded`,
  });
  gateway = await TestGateway.start(config);
});

afterAll(async () => {
  await gateway?.dispose();
  await Promise.all([...recorders.values()].map((recorder) => recorder.close()));
});

async function playlistUri(name: string, { startSec, durationSec }: TestRange): Promise<string> {
  const cameraUuid = await gateway.cameraUuid(name);
  const { wanVodM3u8UriTemplate } = await gateway.call('camera/getMediaUris', { cameraUuid });
  return (wanVodM3u8UriTemplate as string)
    .replace('{START_TIME}', `${startSec}`)
    .replace('{DURATION}', `${durationSec}`);
}

/** The status, and what people read. */
async function refusal(name: string, range: TestRange): Promise<[number, string]> {
  const response = await fetch(await playlistUri(name, range), { headers: BY_KEY });
  const text = await response.text();
  return [response.status, response.ok ? text : (JSON.parse(text) as { errorMsg: string }).errorMsg];
}

async function folderOf(name: string, range: TestRange): Promise<string> {
  const uri = await playlistUri(name, range);
  const response = await fetch(uri, { headers: BY_KEY });
  const text = await response.text();
  const variant = text.split('\n').find((line) => line !== '' && !line.startsWith('#'));
  if (!response.ok || variant === undefined) throw new Error(`${response.status}: ${text}`);
  return new URL('.', new URL(variant, uri)).href;
}

async function footageOf(name: string): Promise<Json> {
  const cameraUuids = [await gateway.cameraUuid(name)];
  const range = { fromMs: startMs - 60_000, toMs: startMs + 2 * HOUR_MS };
  const { cameras } = await gateway.call('camera/getRecorderFootage', { cameraUuids, ...range });
  return cameras[0];
}

describe('a recorder whose list', () => {
  it.each([
    ['Mute', 'never comes', 'RECORDER_UNREACHABLE'],
    ['Html', 'is a page for people', 'RECORDER_BAD_RESPONSE'],
  ])('(%s) %s is a reason that people see', async (name, _what, code) => {
    expect(await footageOf(name)).toMatchObject({ state: 'failed', spans: [], problem: { code } });
    const [status, message] = await refusal(name, FIRST);
    expect(status).toBeGreaterThanOrEqual(500);
    expect(message).toMatch(/video recorder/);
  });

  it('(Whole) has no gaps is shown from its first to its last recording', async () => {
    expect((await footageOf('Whole')).spans).toEqual([{ fromMs: SPANS[0]!.fromMs, toMs: SPANS[1]!.toMs }]);
  });

  it('(Plain) must be found out by trying has what is there', async () => {
    const { spans } = await footageOf('Plain');
    expect(spans.length).toBeGreaterThanOrEqual(1);
    const { fromMs } = spans[0];
    expect([-1, 0, 1]).toContain(Math.round((fromMs - startMs) / 60_000));
  });
});

describe('a recorder that plays', () => {
  it.each([
    ['Empty', 'nothing', FIRST],
    ['Stubborn', 'another time, and says so', SECOND],
  ] as const)('(%s) %s is a reason that people see', async (name, _what, range) => {
    const [status, message] = await refusal(name, range);
    expect(status).toBeGreaterThanOrEqual(500);
    expect(message).toMatch(/video recorder|camera/);
    const { state, problem } = await until('the failure', async () => {
      const footage = await footageOf(name);
      return footage.state === 'failed' ? footage : null;
    });
    expect(state).toBe('failed');
    expect(problem.message).not.toBe('');
  });

  it('(Dead) silence makes no one wait for long', async () => {
    expect(await refusal('Dead', FIRST)).toEqual([503, expect.stringContaining('did not respond in time')]);
  });

  it('(Blunt) the same for every time is found out by the picture', async () => {
    await fetchOk(`${await folderOf('Blunt', FIRST)}file.m3u8`);
    const [status, message] = await refusal('Blunt', SECOND);
    expect([status, message]).toEqual([503, 'The video recorder plays another time than the requested one.']);
  });
});

describe('a recorder that plays one recording at a time', () => {
  it('lets the next viewer wait, says so, and never gets a second session', async () => {
    const first = await folderOf('Narrow', SECOND);
    const recorder = recorders.get('Narrow')!;
    let isWatching = true;
    const watching = (async () => {
      while (isWatching) await fetchPlaylist(`${first}file.m3u8`);
    })();
    const response = await fetch(await playlistUri('Second', SECOND), { headers: BY_KEY });
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(((await response.json()) as Json).errorMsg).toContain('as many recordings as it can');
    expect(await footageOf('Second')).toMatchObject({ state: 'waiting', waiting: 1 });
    isWatching = false;
    await watching;
    await until('the turn of the second', async () => {
      const again = await fetch(await playlistUri('Second', SECOND), { headers: BY_KEY });
      await again.arrayBuffer();
      return again.ok;
    });
    expect(recorder.mostSessions).toBe(1);
  });
});

describe('what a recorder has', () => {
  it('is cut into a clip, frame by frame', async () => {
    const deviceUuid = await gateway.cameraUuid('Fine');
    const fromMs = startMs + 5_000;
    const { clipUuid } = await gateway.call('video/spliceV3', {
      deviceUuids: [deviceUuid],
      startTimeMillis: fromMs,
      durationSec: 6,
      title: 'Clip',
    });
    const { clipLocation } = await until('the clip', async () => {
      const { clip: made } = await gateway.call('event/getClipWithProgress', { clipUuid });
      expect(made.status).not.toBe('FAILED');
      return made.status === 'COMPLETE' ? made : null;
    });
    const url = `${gateway.mediaUrl}/media/metadata/${clipLocation.region}/${clipUuid}.mp4`;
    const file = Buffer.from(await (await fetch(url, { headers: BY_KEY })).arrayBuffer());
    const numbers = await decodedFrameNumbers([file], PICTURE);
    const recorder = recorders.get('Fine')!;
    const expected = Array.from({ length: 6 * FRAMES_PER_SEC }, (_, i) =>
      recorder.numberAt(fromMs + i * FRAME_MS),
    );
    expect(numbers.filter((number) => expected.includes(number!))).toEqual(expected);
    expect(numbers.length - expected.length).toBeLessThanOrEqual(FRAMES_PER_SEC);
  });

  it('is not in a link, even if the link shows the past of that time', async () => {
    await fetchOk(`${await folderOf('Fine', FIRST)}file.m3u8`);
    const share = await gateway.share('Fine', { vodEnabled: true, vodPastSecs: 24 * 3_600 });
    const opened = await fetch(`${share.pageUrl}/open`, { method: 'POST' });
    const { playlistUrl } = (await opened.json()) as { playlistUrl: string };
    const folder = new URL('.', new URL(playlistUrl, gateway.mediaUrl)).href;
    const path = `${folder}vod/${FIRST.startSec}/${FIRST.durationSec}`;
    expect((await fetch(`${path}/file.m3u8`)).status).toBe(404);
    expect(await (await fetch(`${path}/windows.json`)).json()).toMatchObject({ windows: [] });
  });

  it('is in the windows of a device without being pulled', async () => {
    const recorder = recorders.get('Fine')!;
    const folder = await folderOf('Fine', FIRST);
    const before = recorder.requested.length;
    const grant = folder.replace(/vod\/.*$/, 'vod');
    const { windows } = JSON.parse(
      (await fetchOk(`${grant}/${SECOND.startSec}/${SECOND.durationSec}/windows.json`)).toString(),
    ) as { windows: { fromMs: number; toMs: number }[] };
    expect(windows).toEqual([{ fromMs: SPANS[1]!.fromMs, toMs: SPANS[1]!.toMs }]);
    expect(recorder.requested).toHaveLength(before);
  });

  it('is gone when the NVR is no longer shown', async () => {
    const folder = await folderOf('Fine', FIRST);
    const { segments } = await fetchPlaylist(`${folder}file.m3u8`);
    await fetchOk(`${folder}${segments[0]!.uri}`);
    const nvrs = config.nvrs.map(({ playback, ...nvr }) =>
      nvr.name === 'Fine' ? nvr : { ...nvr, playback },
    );
    await gateway.configure({ ...config, nvrs });
    gateway.child.process.kill('SIGHUP');
    await until(
      'the end of the copies',
      async () => (await fetch(`${folder}${segments[0]!.uri}`)).status === 404,
    );
    expect(await footageOf('Fine')).toMatchObject({ state: 'none', spans: [] });
  });
});
