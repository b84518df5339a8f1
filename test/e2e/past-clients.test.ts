/**
 * What programs of this API family send for the past of a camera, in their order and with their headers: one that puts
 * events of recordings together, one that downloads alerts, an assistant, and a page that saves clips. Each is judged by
 * what it ends up with.
 */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRuuid } from '../../src/core/ruuid.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { type Json, TestGateway } from '../support/gateway.ts';
import { decodeErrors, probePackets, probeStreams } from '../support/media-check.ts';
import { BY_KEY, recordMore } from '../support/recorded-past.ts';
import { FRAMES_PER_SEC, makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json' };
const GOP_SEC = 2;
const RECORDED_SEC = 12;
const ALERT_SEC = 4;
const ORIGIN = 'http://localhost:3000';

let gateway: TestGateway;
let camera: SyntheticCamera;
let cameraUuid: string;
/** Of what is recorded before the tests begin, whole epoch seconds. */
let startSec: number;
let alertUuid: string;

const nowSec = () => Math.floor(Date.now() / 1_000);

beforeAll(async () => {
  camera = await startCamera(0, { clip: await makeClip(320, 180, { gopSec: GOP_SEC }) });
  gateway = await TestGateway.start({
    hls: { idleStop: '2s' },
    cors: [ORIGIN],
    recording: { fileSize: '4MiB', minFree: '16MiB', preRoll: '1s', postRoll: '1s' },
    cameras: [{ name: 'Lobby', rtsp: camera.url, recording: 'always' }],
  });
  cameraUuid = await gateway.cameraUuid('Lobby');
  // By the metrics, which may be asked as often as one likes.
  await recordMore(gateway, RECORDED_SEC / GOP_SEC);
  startSec = await until('the recording', async () => {
    const [window] = (await windows()).VideoCloud;
    return window !== undefined && window.durationSeconds >= RECORDED_SEC ? window.startSeconds : null;
  });
  alertUuid = newRuuid();
  const alert = { uuid: alertUuid, deviceUuid: cameraUuid, timestampMs: (startSec + 3) * 1_000 };
  const further = { durationSec: ALERT_SEC, policyAlertTriggers: ['MOTION_HUMAN', 'MOTION'] };
  const { errorMsg, rejected } = await gateway.call('ingest/policyAlerts', {
    rows: [{ ...alert, ...further }],
  });
  expect({ errorMsg, rejected }).toEqual({ rejected: [] });
});

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
});

/** Everything that was recorded, as an assistant asks for it. */
async function windows(): Promise<{ VideoCloud: { startSeconds: number; durationSeconds: number }[] }> {
  const all = { cameraUuid, startTimeSec: 0, durationSec: nowSec() };
  return (await gateway.call('camera/getPresenceWindows', all)).presenceWindows;
}

async function fetchedAs(url: string, headers: Record<string, string>): Promise<Buffer | null> {
  const response = await fetch(url, { headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  return response.status === 200 ? bytes : null;
}

/** The init segment and segments from 1, until one is missing or `most` are there. */
async function segmentsAs(folder: string, headers: Record<string, string>, most: number): Promise<Buffer[]> {
  const media: Buffer[] = [];
  for (let number = 0; number <= most; number++) {
    const bytes = await fetchedAs(`${folder}${number === 0 ? 'seg_init.mp4' : `seg_${number}.m4v`}`, headers);
    if (bytes === null) break;
    media.push(bytes);
  }
  return media;
}

/** Media time from the first to after the last frame; the file begins at 0, late by at most one frame of audio. */
async function durationSec(media: readonly Buffer[]): Promise<number> {
  const packets = await probePackets(media, 'v');
  const times = packets.map(({ pts_time }) => Number(pts_time));
  expect(Math.min(...times)).toBeLessThan(0.03);
  return Math.max(...times) - Math.min(...times) + 1 / FRAMES_PER_SEC;
}

const frameCount = async (media: readonly Buffer[]) => (await probePackets(media, 'v')).length;

describe('a program that puts events together', () => {
  const DURATION_SEC = 8;

  it('finds them, flags sent as text', async () => {
    const requested = { cameraUuid, startTime: startSec, duration: DURATION_SEC };
    const { footageSeekPoints } = await gateway.call('camera/getFootageSeekpointsV2', {
      ...requested,
      includeAnyMotion: 'true',
    });
    const ts = (startSec + 3) * 1_000;
    expect(footageSeekPoints).toMatchObject([
      { ts, a: 'MOTION_HUMAN' },
      { ts, a: 'MOTION' },
    ]);
  });

  it.each(['session cookie and key', 'key of the scheme api'])(
    'gets the manifest of a range, and segments of 2 s next to it, with its %s',
    async (credentials) => {
      const uris = await gateway.call('camera/getMediaUris', { cameraUuid });
      const { federatedSessionToken } = await gateway.call('org/generateFederatedSessionToken', {
        durationSec: 3_600,
      });
      const headers: Record<string, string> =
        credentials === 'key of the scheme api'
          ? { ...BY_KEY, 'x-auth-scheme': 'api' }
          : { ...BY_KEY, cookie: `RSESSIONID=RFT:${federatedSessionToken}` };
      const uri = (uris.wanVodMpdUriTemplate as string)
        .replace('{START_TIME}', String(startSec + 1))
        .replace('{DURATION}', String(DURATION_SEC));
      expect(await fetchedAs(uri, headers)).not.toBeNull();
      const folder = uri.slice(0, uri.lastIndexOf('/') + 1);
      const media = await segmentsAs(folder, headers, DURATION_SEC / 2);
      expect(media).toHaveLength(1 + DURATION_SEC / 2);
      expect(await decodeErrors(media)).toBe('');
      expect(await frameCount(media)).toBe(DURATION_SEC * FRAMES_PER_SEC);
      expect(await durationSec(media)).toBeCloseTo(DURATION_SEC, 2);
    },
  );
});

describe('a script that parses the manifest', () => {
  /** The first `Period/AdaptationSet/SegmentTemplate`: nothing else of the manifest is read. */
  const TEMPLATE = /<Period [^>]*>\s*<AdaptationSet [^>]*>\s*<SegmentTemplate ([^>]*)>/;

  /** The init segment and the first `count` segments, at the names that stand in place of the manifest's. */
  async function joined(uri: string, count: number): Promise<Buffer[]> {
    const { federatedSessionToken } = await gateway.call('org/generateFederatedSessionToken', {
      durationSec: 3_600,
    });
    const cookie = { cookie: `RSESSIONID=RFT:${federatedSessionToken}` };
    const manifest = await fetchedAs(uri, cookie);
    const [, attributes = ''] = TEMPLATE.exec(String(manifest)) ?? [];
    const read = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';
    expect([read('initialization'), read('media')]).toEqual(['seg_init.mp4', 'seg_$Number$.m4v']);
    const names = Array.from({ length: count }, (_, index) =>
      read('media').replace('$Number$', String(Number(read('startNumber')) + index)),
    );
    const media: Buffer[] = [];
    for (const name of [read('initialization'), ...names]) {
      media.push((await fetchedAs(uri.replace(/(?:file|clip)\.mpd$/, name), cookie))!);
    }
    return media;
  }

  it('leaves ffmpeg every stream, with the session in a cookie', async () => {
    const { wanLiveMpdUri } = await gateway.call('camera/getMediaUris', { cameraUuid });
    const { federatedSessionToken } = await gateway.call('org/generateFederatedSessionToken');
    const headers = `Cookie: RSESSIONID=RFT:${federatedSessionToken}\r\n`;
    const options = [
      '-v',
      'error',
      '-headers',
      headers,
      '-show_entries',
      'stream=codec_name',
      '-of',
      'csv=p=0',
    ];
    const { stdout, stderr } = await run('ffprobe', [...options, wanLiveMpdUri], { timeout: 60_000 });
    // ffprobe lists the streams of its programs, and then all streams.
    const codecs = new Set(stdout.split('\n').filter(Boolean));
    expect([[...codecs].toSorted(), stderr]).toEqual([['aac', 'h264'], '']);
  });

  it('joins what is live', async () => {
    const { wanLiveMpdUri } = await gateway.call('camera/getCameraMediaUris', { deviceUuid: cameraUuid });
    const media = await joined(wanLiveMpdUri, 3);
    expect(await decodeErrors(media)).toBe('');
    expect(await frameCount(media)).toBe(3 * GOP_SEC * FRAMES_PER_SEC);
  });

  it('joins a range of the past', async () => {
    const uris = await gateway.call('camera/getCameraMediaUris', { deviceUuid: cameraUuid });
    const uri = (uris.wanVodMpdUriTemplate as string)
      .replace('{START_TIME}', String(startSec + 1))
      .replace('{DURATION}', '6');
    const media = await joined(uri, 3);
    expect(await decodeErrors(media)).toBe('');
    expect(await durationSec(media)).toBeCloseTo(6, 2);
  });

  it('joins an alert', async () => {
    const uri = `${gateway.mediaUrl}/media/metadata/${cameraUuid}/local/${alertUuid}/clip.mpd`;
    const media = await joined(uri, ALERT_SEC / GOP_SEC);
    expect(await decodeErrors(media)).toBe('');
    expect(await frameCount(media)).toBe(ALERT_SEC * FRAMES_PER_SEC);
  });
});

describe('a program that downloads alerts', () => {
  let alert: Json;

  it('lists them, and waits for the image', async () => {
    const requested = {
      afterTimestampMs: (startSec - 60) * 1_000,
      maxResults: 20,
      deviceFilter: [cameraUuid],
    };
    const { policyAlerts } = await gateway.call('event/getPolicyAlertsV2', requested);
    expect(policyAlerts).toMatchObject([{ uuid: alertUuid, deviceUuid: cameraUuid, durationSec: ALERT_SEC }]);
    alert = await until('the image', async () => {
      const details = { policyAlertUuid: alertUuid };
      const { policyAlert } = await gateway.call('event/getPolicyAlertDetails', details);
      return policyAlert.thumbnailLocation === undefined ? null : policyAlert;
    });
    const path = `media/metadata/${alert.thumbnailLocation.region}/${alertUuid}.jpeg`;
    const image = await fetchedAs(`${gateway.mediaUrl}/${path}`, BY_KEY);
    expect([...image!.subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
  });

  it('puts the segments of one into a file that plays', async () => {
    const region = alert.clipLocation?.region ?? 'elsewhere';
    const folder = `${gateway.mediaUrl}/media/metadata/${cameraUuid}/${region}/${alertUuid}/`;
    const media = await segmentsAs(folder, BY_KEY, 100);
    expect(await decodeErrors(media)).toBe('');
    const streams = (await probeStreams(media)).map(({ codec_name }) => codec_name);
    expect(streams).toEqual(['h264', 'aac']);
    const frames = await frameCount(media);
    expect(await durationSec(media)).toBeCloseTo(frames / FRAMES_PER_SEC, 2);
    expect(frames).toBeGreaterThanOrEqual(ALERT_SEC * FRAMES_PER_SEC);
    // At most a group of pictures too many at either end.
    expect(frames).toBeLessThanOrEqual((ALERT_SEC + 4) * FRAMES_PER_SEC);
  });
});

describe('an assistant', () => {
  it('sees an instant of the past, small', async () => {
    const requested = {
      cameraUuid,
      downscaleFactor: 10,
      jpgQuality: 70,
      timestampMs: (startSec + 5) * 1_000,
    };
    const { frameUri } = await gateway.call('video/getExactFrameUri', requested);
    const image = await fetchedAs(frameUri, { ...BY_KEY, 'x-agent': 'chatbot' });
    expect([...image!.subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
  });

  it('makes a clip of a camera, finds it and deletes it', async () => {
    const { clipUuid } = await gateway.call('video/spliceV3', {
      deviceUuids: [cameraUuid],
      startTimeMillis: (startSec + 2) * 1_000,
      durationSec: 3,
      saveToConsole: true,
    });
    await clipOnceComplete(clipUuid);
    const filters = { deviceUuidFilters: null, locationUuidFilters: null, searchFilter: null };
    const times = { timestampMsAfter: (startSec - 60) * 1_000, timestampMsBefore: Date.now() };
    const { savedClips } = await gateway.call('event/getClipsWithProgress', { ...filters, ...times });
    expect(savedClips.find(({ uuid }: Json) => uuid === clipUuid)).toMatchObject({ durationSec: 3 });
    const expiring = await gateway.call('event/getExpiringClipsForOrg', { ...filters, ...times });
    expect(expiring).toEqual({ error: false, savedClips: [] });
    expect(await gateway.call('event/getClipGroupsForOrg')).toEqual({ error: false, clipGroups: [] });
    expect(await gateway.call('event/deleteSavedClip', { savedClipUuid: clipUuid })).toEqual({
      error: false,
    });
  });
});

describe('a page', () => {
  it('reads what is there and what happened, its session in the query', async () => {
    const { federatedSessionToken } = await gateway.call('org/generateFederatedSessionToken', {
      durationSec: 86_400,
      domain: ORIGIN,
    });
    const query = `x-auth-scheme=federated-token&x-auth-ft=${federatedSessionToken}`;
    const ask = async (path: string, body: object): Promise<Json> => {
      const url = `${gateway.apiUrl}/api/camera/${path}?${query}`;
      const headers = { ...JSON_HEADERS, origin: ORIGIN };
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
      const allowed = response.headers.get('access-control-allow-origin');
      expect([response.status, allowed]).toEqual([200, ORIGIN]);
      return (await response.json()) as Json;
    };
    const daySec = 86_400;
    const day = { cameraUuid, startTimeSec: nowSec() - daySec, durationSec: daySec };
    const { presenceWindows } = await ask('getPresenceWindows', day);
    expect(presenceWindows).toMatchObject({ VideoCloud: [{ startSeconds: startSec }], VideoLocal: [] });
    const { startTimeSec: startTime, durationSec: duration } = day;
    const requested = { cameraUuid, startTime, duration, includeAnyMotion: true };
    expect((await ask('getFootageSeekpointsV2', requested)).footageSeekPoints).toHaveLength(2);
  });

  it('saves a clip with its sound, and downloads it by its name alone', async () => {
    const { clipUuid, clipUuidList } = await gateway.call('video/spliceV3', {
      title: 'Front door',
      deviceUuids: [`${cameraUuid}.v0`, `${cameraUuid}.a0`],
      startTimeMillis: startSec * 1_000 + 1_250,
      durationSec: 5,
      audioIncluded: true,
      clipVisibility: 'ORG_WIDE',
      saveToConsole: true,
    });
    expect(clipUuidList).toEqual([clipUuid]);
    const { clipLocation } = await clipOnceComplete(clipUuid);
    const path = `media/metadata/${clipLocation.region}/${clipUuid}.mp4`;
    const file = await fetchedAs(`${gateway.mediaUrl}/${path}`, BY_KEY);
    expect(await decodeErrors([file!])).toBe('');
    expect((await probeStreams([file!])).map(({ codec_name }) => codec_name)).toEqual(['h264', 'aac']);
    expect(await fetchedAs(`${gateway.mediaUrl}/${path}`, {})).toBeNull();
  });
});

/** As programs wait for a clip. */
async function clipOnceComplete(clipUuid: string): Promise<Json> {
  return until('the clip', async () => {
    const { clip } = await gateway.call('event/getClipWithProgress', { clipUuid });
    expect(clip.status).not.toBe('FAILED');
    return clip.status === 'COMPLETE' && clip.percentComplete === 100 ? clip : null;
  });
}
