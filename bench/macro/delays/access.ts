/**
 * How soon a view ends: from the response of the call that ends it, or from the second at which the share expires or is
 * hidden, to the refusal of the request with which a viewer waits for the next part. The reference is the time from part to
 * part for another viewer of the same camera at the same time.
 */

import { PictureClient } from '../../../src/front-door/pictures/picture-client-fixture.ts';
import { TestGateway, type TestShare } from '../../../test/support/gateway.ts';
import { openShare } from '../../../test/support/hls.ts';
import { startCamera } from '../../../test/support/synthetic.ts';
import { until } from '../../../test/support/until.ts';
import { median } from '../../report.ts';
import type { MeasuredDelays } from '../delays.ts';
import { PartViewer } from './part-viewer.ts';

/** Ends the view of a share, and resolves with the instant from which it counts, by `performance.now()`. */
type End = (gateway: TestGateway, share: TestShare) => Promise<number>;

const nowSec = (): number => Math.ceil(Date.now() / 1_000);
/** `performance.now()` at a second of the wall clock. */
const monoMsAt = (epochSec: number): number => epochSec * 1_000 - Date.now() + performance.now();

async function called(gateway: TestGateway, path: string, body: object): Promise<number> {
  const response = await gateway.call(path, body);
  if (response.error) throw new Error(`${path}: ${response.errorMsg}`);
  return performance.now();
}

const ENDS: Readonly<Record<string, End>> = {
  Revoked: (gateway, { cameraUuid, uuid }) =>
    called(gateway, 'camera/deleteSharedLiveVideoStream', { cameraUuid, uuid }),
  Expired: async (gateway, { uuid }) => {
    const atSec = nowSec() + 1;
    const expiration = { expirationTimeSecs: atSec, expirationTimeSecsUpdated: true };
    await called(gateway, 'camera/updateSharedLiveVideoStream', { uuid, ...expiration });
    return monoMsAt(atSec);
  },
  Hidden: async (gateway, { uuid }) => {
    const atSec = nowSec() + 2;
    const schedule = { name: 'Shift', intervalList: [{ b: atSec - 60, e: atSec }] };
    const { scheduleUuid } = await gateway.call('schedule/createAbsoluteSchedule', { schedule });
    const use = { scheduleUuid, scheduleUuidUpdated: true };
    await called(gateway, 'camera/updateSharedLiveVideoStream', { uuid, ...use });
    return monoMsAt(atSec);
  },
  Ended: async (gateway, { uuid }) => {
    const link = { sharedLiveVideoStreamUuid: uuid };
    const { viewers } = await gateway.call('camera/getSharedStreamViewers', link);
    return called(gateway, 'camera/endSharedStreamViewer', { ...link, viewerId: viewers[0].viewerId });
  },
};

export async function measureAccess(rounds: number): Promise<MeasuredDelays> {
  const camera = await startCamera();
  const gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
    cameras: [{ name: 'Dock', rtsp: camera.url }],
  });
  try {
    const undisturbed = new PartViewer(await playlistOf(await gateway.share('Dock')));
    const measured = new Map<string, number[]>();
    for (let round = 0; round < rounds; round++) {
      for (const [name, end] of Object.entries(ENDS)) {
        measured.set(name, [...(measured.get(name) ?? []), await hlsEndMs(gateway, end)]);
      }
      measured.set('RevokedInRealTime', [
        ...(measured.get('RevokedInRealTime') ?? []),
        await realTimeEndMs(gateway),
      ]);
    }
    undisturbed.stop();
    const partMs = median(undisturbed.intervalsMs);
    return {
      rows: [...measured].map(([name, values]) => ({
        case: `cut off: ${name}`,
        'median ms': median(values),
        'worst ms': Math.max(...values),
        'part ms': partMs,
      })),
      figures: Object.fromEntries(
        [...measured].map(([name, values]) => [`cutOff${name}VsPart`, Math.max(...values) / partMs]),
      ),
    };
  } finally {
    await gateway.dispose();
    await camera.close();
  }
}

async function playlistOf({ m3u8Url }: TestShare): Promise<string> {
  return (await openShare(m3u8Url)).replace('stream.m3u8', 'file.m3u8');
}

async function hlsEndMs(gateway: TestGateway, end: End): Promise<number> {
  const share = await gateway.share('Dock');
  const viewer = new PartViewer(await playlistOf(share));
  await until('parts', () => viewer.partsAtMonoMs.length > 1);
  const sinceMonoMs = await end(gateway, share);
  return Math.max(0, (await viewer.refused).atMonoMs - sinceMonoMs);
}

async function realTimeEndMs(gateway: TestGateway): Promise<number> {
  const share = await gateway.share('Dock');
  const client = await PictureClient.open(new URL('ws', await openShare(share.m3u8Url)).href);
  await until('frames', () => client.frames.length > 0);
  const ended = client.ended.then(() => performance.now());
  const sinceMonoMs = await ENDS.Revoked!(gateway, share);
  return Math.max(0, (await ended) - sinceMonoMs);
}
