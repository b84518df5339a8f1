/**
 * A gateway records a camera around the clock, one around an event and one for a share with VOD, over a restart of the camera, a kill of the gateway and a normal restart. What it recorded
 * is read back from its storage and its store: every frame shows the number that its wall time says.
 */

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSecrets } from '../../src/app/config/secrets.ts';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { newRuuid, type Ruuid } from '../../src/core/ruuid.ts';
import { FileStorage } from '../../src/recording/file-storage.ts';
import { RecordingCatalog } from '../../src/recording/recording-catalog.ts';
import { endEpochMs, type RecordedSegment } from '../../src/recording/segment-index.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Clip } from '../../src/synthetic-camera/clip.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { decodedFrameNumbers, expectNumbersInTime } from '../support/frame-numbers.ts';
import { TestGateway } from '../support/gateway.ts';
import { fetchOk } from '../support/hls.ts';
import { decodeErrors, probePackets } from '../support/media-check.ts';
import { FRAMES_PER_SEC, makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const FRAME_MS = 1_000 / FRAMES_PER_SEC;
const PICTURE = { widthPx: 320, heightPx: 180 };

/** `startEpochMs`: when the camera's frame 0 was due. */
interface CameraLife {
  readonly startEpochMs: number;
  endedMs: number;
}

/** Segments that continue each other, with their bytes. */
interface RecordedRun {
  readonly segments: RecordedSegment[];
  readonly media: Buffer[];
}

let gateway: TestGateway;
let camera: SyntheticCamera;
let clip: Clip;
let killedAtMs = 0;
/** That the gateway had counted by then. */
let segmentsBeforeKill = 0;
const lives: CameraLife[] = [];
let runs: RecordedRun[] = [];
/** What was recorded around the event at `eventAtMs`, and for the share. */
let eventAtMs = 0;
let eventRuns: RecordedRun[] = [];
let sharedRuns: RecordedRun[] = [];
let stateOnceRevoked: unknown;

async function startLife(port: number): Promise<void> {
  camera = await startCamera(port, { clip });
  lives.push({ startEpochMs: camera.startEpochMs, endedMs: Number.POSITIVE_INFINITY });
}

async function metric(name: string, of = 'Lobby'): Promise<number> {
  const text = (await fetchOk(`${gateway.apiUrl}/metrics`)).toString();
  const line = text.split('\n').find((each) => each.startsWith(`${name}{`) && each.includes(`name="${of}"`));
  return Number(line?.split(' ').at(-1) ?? Number.NaN);
}

async function recordingOf(cameraUuid: string) {
  const { fullCameraState } = await gateway.call('camera/getFullCameraState', { cameraUuid });
  const { recording, recordingReasons } = fullCameraState.onCameraState.v0;
  return { recording, recordingReasons };
}

const segmentsReach = (count: number) =>
  until(`${count} segments`, async () => (await metric('sluice_recording_segments_total')) >= count);

beforeAll(async () => {
  clip = await makeClip(PICTURE.widthPx, PICTURE.heightPx);
  await startLife(0);
  const { port } = camera;
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', window: '10s', idleStop: '2s' },
    sources: { backoffMin: '200ms', backoffMax: '1s' },
    recording: { fileSize: '4MiB', minFree: '16MiB', preRoll: '2s', postRoll: '3s' },
    cameras: [
      { name: 'Lobby', rtsp: camera.url, recording: 'always' },
      { name: 'Yard', rtsp: camera.url },
      { name: 'Gate', rtsp: camera.url },
    ],
  });
  const yardUuid = await gateway.cameraUuid('Yard');
  const gateUuid = await gateway.cameraUuid('Gate');
  const cameraUuid = (await gateway.cameraUuid('Lobby')) as Ruuid;
  await segmentsReach(6);
  const share = await gateway.share('Gate', { vodEnabled: true });
  await gateway.call('camera/updateConfig', { config: { deviceUuid: yardUuid, recording: 'events' } });
  // Both were opened together: by now, the pre-roll is held.
  const shared = async () => metric('sluice_recording_segments_total', 'Gate');
  await until('recording for the share', async () => (await shared()) >= 5);
  expect(await recordingOf(yardUuid)).toEqual({ recording: 'standby', recordingReasons: ['events'] });
  eventAtMs = Date.now();
  const alert = { uuid: newRuuid(), deviceUuid: yardUuid, timestampMs: eventAtMs };
  await gateway.call('ingest/policyAlerts', { rows: [alert] });
  await until('the post-roll', async () => (await recordingOf(yardUuid)).recording === 'recording');
  await until('its end', async () => (await recordingOf(yardUuid)).recording === 'standby');
  expect(await recordingOf(gateUuid)).toMatchObject({ recording: 'recording', recordingReasons: ['shares'] });
  await gateway.revoke(share);
  await until('no share', async () => (await recordingOf(gateUuid)).recording === 'off');
  stateOnceRevoked = await recordingOf(gateUuid);
  await gateway.call('camera/updateConfig', { config: { deviceUuid: yardUuid, recording: 'off' } });
  lives[0]!.endedMs = Date.now();
  await camera.close();
  await startLife(port);
  const before = await metric('sluice_recording_segments_total');
  await segmentsReach(before + 6);
  segmentsBeforeKill = await metric('sluice_recording_segments_total', 'Lobby');
  killedAtMs = Date.now();
  await gateway.restart('SIGKILL');
  await segmentsReach(5);
  await gateway.restart();
  await segmentsReach(5);
  await gateway.end();
  await camera.close();
  runs = await readBack(cameraUuid);
  eventRuns = await readBack(yardUuid as Ruuid);
  sharedRuns = await readBack(gateUuid as Ruuid);
});

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
});

async function readBack(cameraUuid: Ruuid): Promise<RecordedRun[]> {
  const data = join(gateway.folder, 'data');
  const { fieldKey } = loadSecrets(data, {});
  const store = await openStore({
    kind: 'sqlite',
    path: join(data, 'sluice.db'),
    fieldKey,
    clock: systemClock,
  });
  const { recordings } = store;
  const catalog = new RecordingCatalog({
    recordings,
    clock: systemClock,
    log: silentLog,
    openFile: () => null,
  });
  const storage = new FileStorage(join(data, 'recordings'));
  const found: RecordedRun[] = [];
  try {
    const stream = { cameraUuid, rendition: 'main' as const };
    for (const { name, segments } of await catalog.segments(stream, 0, Date.now() + 60_000)) {
      const reader = await storage.open(name);
      for (const segment of segments) {
        if (segment.isDiscontinuity || found.length === 0) {
          const init = await reader.read(segment.init.offset, segment.init.byteLength);
          found.push({ segments: [], media: [init] });
        }
        found.at(-1)!.segments.push(segment);
        found.at(-1)!.media.push(await reader.read(segment.offset, segment.byteLength));
      }
      await reader.close();
    }
  } finally {
    await store.close();
  }
  return found;
}

describe('recording', () => {
  it('has a run for each time that the camera or the gateway began', () => {
    // A busy machine can lose the camera once more.
    expect(runs.length).toBeGreaterThanOrEqual(4);
    const long = runs.filter(({ segments }) => segments.length >= 4);
    expect(long.length).toBeGreaterThanOrEqual(4);
  });

  it('shows in every frame the number that its wall time says', async () => {
    let frames = 0;
    for (const { segments, media } of runs) {
      const [init, ...pieces] = media;
      const startMs = segments[0]!.epochMs;
      const life = lives.find(({ endedMs }) => startMs < endedMs)!;
      const times: number[] = [];
      for (const { epochMs, durationTicks, timescaleHz } of segments) {
        const count = Math.round((durationTicks / timescaleHz) * FRAMES_PER_SEC);
        for (let i = 0; i < count; i++) times.push(epochMs + i * FRAME_MS);
      }
      const numbers = await decodedFrameNumbers([init!, ...pieces], PICTURE);
      expect(numbers).toHaveLength(times.length);
      expectNumbersInTime(
        numbers.map((number, i) => ({ number, wallMs: times[i]! })),
        { startEpochMs: life.startEpochMs, clipFrames: clip.pictures.length, fps: FRAMES_PER_SEC },
      );
      frames += numbers.length;
    }
    expect(frames).toBeGreaterThan(20 * FRAMES_PER_SEC);
  });

  it('has gaps where nothing was recorded, and none elsewhere', () => {
    for (const { segments } of runs) {
      for (const [i, segment] of segments.slice(1).entries()) {
        expect(Math.abs(segment.epochMs - endEpochMs(segments[i]!))).toBeLessThan(5);
      }
    }
    for (const [i, { segments }] of runs.slice(1).entries()) {
      expect(segments[0]!.epochMs).toBeGreaterThan(endEpochMs(runs[i]!.segments.at(-1)!) - FRAME_MS);
    }
  });

  it('lost no segment that it had counted when the gateway was killed', () => {
    const before = runs.flatMap(({ segments }) => segments).filter(({ epochMs }) => epochMs < killedAtMs);
    expect(before.length).toBeGreaterThanOrEqual(segmentsBeforeKill);
  });

  it('has the time around an event, and no more', () => {
    expect(eventRuns).toHaveLength(1);
    const [{ segments }] = eventRuns as [RecordedRun];
    const [fromMs, toMs] = [segments[0]!.epochMs, endEpochMs(segments.at(-1)!)];
    // Whole segments of a second, and the time from the camera to the gateway.
    expect([fromMs <= eventAtMs - 2_000, toMs >= eventAtMs + 3_000]).toEqual([true, true]);
    const needless = segments.filter(
      (segment) => endEpochMs(segment) < eventAtMs - 2_000 || segment.epochMs > eventAtMs + 3_000,
    );
    expect(needless.length).toBeLessThanOrEqual(2);
  });

  it('has what a share with VOD showed while it existed', () => {
    expect(stateOnceRevoked).toEqual({ recording: 'off', recordingReasons: undefined });
    const segments = sharedRuns.flatMap((run) => run.segments);
    expect(segments.length).toBeGreaterThanOrEqual(6);
    const { endedMs } = lives[0]!;
    expect(segments.filter((segment) => segment.epochMs > endedMs)).toEqual([]);
  });

  it('decodes without an error, with its sound in time at both ends', async () => {
    for (const { media } of [...runs, ...eventRuns]) {
      expect(await decodeErrors(media)).toBe('');
      const [video, audio] = await Promise.all([probePackets(media, 'v'), probePackets(media, 'a')]);
      const startsApartSec = Number(audio[0]!.pts_time) - Number(video[0]!.pts_time);
      const end = (packets: typeof video) =>
        Number(packets.at(-1)!.pts_time) + Number(packets.at(-1)!.duration_time);
      expect(Math.abs(startsApartSec)).toBeLessThan(0.05);
      expect(Math.abs(end(audio) - end(video))).toBeLessThan(0.05);
    }
  });
});
