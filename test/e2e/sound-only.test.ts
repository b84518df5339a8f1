/** Devices that describe sound and no video: microphones, intercoms, cameras whose video is turned off. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestGateway, type TestShare } from '../support/gateway.ts';
import { type GstCamera, startGstCamera } from '../support/gst-camera.ts';
import { fetchOk, fetchPlaylist, openShare } from '../support/hls.ts';
import { decodeErrors, probePackets, probeStreams } from '../support/media-check.ts';
import { workersOf } from '../support/processes.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const TIMEOUT_MS = 60_000;
const KINDS = ['none-aac', 'none-pcmu', 'none-opus'] as const;

const CODECS = { 'none-aac': 'mp4a.40.2', 'none-pcmu': 'fLaC', 'none-opus': 'Opus' } as const;
const FRAME_SEC = { 'none-aac': 1_024 / 48_000, 'none-pcmu': 0.04, 'none-opus': 0.02 } as const;
const DECODED = { 'none-aac': 'aac', 'none-pcmu': 'flac', 'none-opus': 'opus' } as const;

let cameras: GstCamera[] = [];
let changing: GstCamera;
let gateway: TestGateway;

beforeAll(async () => {
  cameras = await Promise.all(KINDS.map((kind) => startGstCamera(kind)));
  changing = await startGstCamera('none-aac');
  gateway = await TestGateway.start({
    hls: { idleStop: '5m' },
    sources: { backoffMin: '200ms', backoffMax: '1s', silenceTimeout: '10s' },
    cameras: [
      ...KINDS.map((kind, index) => ({ name: kind, rtsp: cameras[index]!.url })),
      { name: 'Silenced', rtsp: cameras[0]!.url, audio: 'off' },
      { name: 'Over UDP', rtsp: cameras[1]!.url, transport: 'udp' },
      { name: 'Changing', rtsp: changing.url },
      { name: 'Unheard', rtsp: cameras[0]!.url },
    ],
  });
});

afterAll(async () => {
  await gateway?.dispose();
  await Promise.all([...cameras, changing].map((camera) => camera?.stop()));
});

async function grantOf(share: TestShare): Promise<string> {
  const opened = await fetch(`${share.pageUrl}/open`, { method: 'POST' });
  const { playlistUrl } = (await opened.json()) as { playlistUrl: string };
  return new URL('.', new URL(playlistUrl, gateway.mediaUrl)).href;
}

describe.each(KINDS)('%s', (kind) => {
  it('is a variant with its sound alone, whose segments ffmpeg decodes without a hole', async () => {
    const share = await gateway.share(kind);
    const list = (await fetchOk(share.m3u8Url)).toString();
    const variant = /#EXT-X-STREAM-INF:(.*)/.exec(list)![1]!;
    expect(variant).toMatch(new RegExp(`^BANDWIDTH=\\d+,AVERAGE-BANDWIDTH=\\d+,CODECS="${CODECS[kind]}"$`));
    const url = (await openShare(share.m3u8Url)).replace('stream.m3u8', 'file.m3u8');
    const playlist = await until('four segments', async () => {
      const newest = await fetchPlaylist(url);
      return newest.segments.filter(({ uri }) => uri !== '').length > 4 ? newest : null;
    });
    const bytes = [await fetchOk(new URL(playlist.segments[0]!.map.uri, url).href)];
    for (const { uri } of playlist.segments.slice(0, 4)) bytes.push(await fetchOk(new URL(uri, url).href));
    expect(await decodeErrors(bytes)).toBe('');
    expect(await probeStreams(bytes)).toMatchObject([{ codec_type: 'audio', codec_name: DECODED[kind] }]);
    const times = (await probePackets(bytes, 'a')).map(({ pts_time }) => Number(pts_time));
    for (const [index, sec] of times.entries()) {
      if (index > 0) expect(sec - times[index - 1]!).toBeCloseTo(FRAME_SEC[kind], 3);
    }
    const playedSec = playlist.segments.slice(0, 4).reduce((sum, { duration }) => sum + duration, 0);
    expect(times.length * FRAME_SEC[kind]).toBeCloseTo(playedSec, 2);
    for (const part of playlist.segments.flatMap(({ parts = [] }) => parts)) {
      expect(part.independent).toBe(true);
      expect(part.duration).toBeLessThanOrEqual(playlist.partTargetDuration);
    }
    for (const { duration } of playlist.segments.slice(1, 4)) {
      expect(Math.abs(duration - 2)).toBeLessThan(0.2);
    }
    expect(workersOf(gateway.child.process.pid!)).toEqual([]);
  });

  it('is a manifest with one Adaptation Set, which ffprobe reads', async () => {
    const url = `${await grantOf(await gateway.share(kind))}file.mpd`;
    const manifest = (await fetchOk(url)).toString();
    expect([...manifest.matchAll(/contentType="(\w+)"/g)].map(([, type]) => type)).toEqual(['audio']);
    const args = ['-v', 'error', '-show_streams', '-of', 'json', url];
    const { streams } = JSON.parse((await run('ffprobe', args, { timeout: TIMEOUT_MS })).stdout);
    expect(streams).toMatchObject([{ codec_type: 'audio', codec_name: DECODED[kind] }]);
  });

  it('has no picture, and says so', async () => {
    const grant = await grantOf(await gateway.share(kind));
    await fetchOk(`${grant}file.m3u8`);
    const response = await fetch(`${grant}snapshot.jpeg`);
    expect([response.status, await response.json()]).toMatchObject([409, { reason: 'sound-only' }]);
  });

  it('is live for API callers, with sound and without video', async () => {
    const { cameraUuid } = await gateway.share(kind);
    const { fullCameraState } = await gateway.call('camera/getFullCameraState', { cameraUuid });
    expect(fullCameraState.onCameraState.v0).toMatchObject({
      streamState: 'live',
      sound: 'live',
      soundOnly: true,
    });
    const image = await gateway.call('video/getExactFrameData', { cameraUuid, timestampMs: Date.now() });
    expect(image).toMatchObject({ error: true, errorMsg: expect.stringMatching(/sends only sound/) });
  });
});

describe('a device with sound only', () => {
  it('plays over UDP', async () => {
    const share = await gateway.share('Over UDP');
    // A pair of ports that the camera's server finds taken costs an attempt.
    const list = await until('the camera', async () => {
      const response = await fetch(share.m3u8Url);
      return response.ok ? response.text() : null;
    });
    expect(list).toContain('CODECS="fLaC"');
    const { segments } = await fetchPlaylist(await openShare(share.m3u8Url));
    expect(segments.length).toBeGreaterThan(0);
  });

  it('shows its picture once it sends one', async () => {
    const share = await gateway.share('Changing');
    const url = (await openShare(share.m3u8Url)).replace('stream.m3u8', 'file.m3u8');
    expect((await fetchPlaylist(url)).segments.length).toBeGreaterThan(0);
    await changing.stop();
    changing = await startGstCamera('h264-aac', changing.port);
    const joined = await until('video', async () => {
      const response = await fetch(url);
      if (!response.ok) return null;
      const { segments } = await fetchPlaylist(url);
      return segments.find(({ discontinuity }) => discontinuity === true) ?? null;
    });
    const init = await fetchOk(new URL(joined.map.uri, url).href);
    expect([init.includes('avcC'), init.includes('mp4a')]).toEqual([true, true]);
    expect((await fetchOk(share.m3u8Url)).toString()).toMatch(
      /CODECS="avc1[^"]*,mp4a.40.2",RESOLUTION=640x360/,
    );
    expect((await fetch(`${await grantOf(share)}snapshot.jpeg`)).status).toBe(200);
  });

  it('whose sound is turned off is offline, for a reason that says so', async () => {
    const share = await gateway.share('Silenced');
    expect((await fetch(share.m3u8Url)).status).toBe(503);
    const { fullCameraState } = await gateway.call('camera/getFullCameraState', {
      cameraUuid: share.cameraUuid,
    });
    expect(fullCameraState.connectionDetail).toMatchObject({
      state: 'offline',
      reason: 'unsupported',
      code: 'RTSP_SOUND_UNWANTED',
      message: expect.stringMatching(/audio: off/),
    });
  });

  it('is 409 with the reason for a link without sound, and live for API callers', async () => {
    const share = await gateway.share('Unheard', { includeAudio: false });
    const grant = await grantOf(share);
    for (const url of [share.m3u8Url, `${grant}file.m3u8`, `${grant}file.mpd`, `${grant}status`]) {
      const response = await fetch(url);
      expect([response.status, await response.json()]).toMatchObject([
        409,
        { reason: 'sound-only', errorMsg: expect.stringMatching(/sends only sound/) },
      ]);
    }
    const { fullCameraState } = await gateway.call('camera/getFullCameraState', {
      cameraUuid: share.cameraUuid,
    });
    expect(fullCameraState).toMatchObject({
      connectionDetail: { state: 'live' },
      onCameraState: { v0: { streamState: 'live', soundOnly: true } },
    });
  });
});
