/** Helpers for tests of recordings: they wait for recordings, and request them. */

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { API_KEY, TestGateway } from './gateway.ts';
import { until } from './until.ts';

const WAIT_MS = 60_000;

export const BY_KEY = { 'x-auth-scheme': 'api-token', 'x-auth-apikey': API_KEY };

/** Whole seconds. */
export interface TestRange {
  readonly startSec: number;
  readonly durationSec: number;
}

export function rangeOf(fromMs: number, toMs: number): TestRange {
  const startSec = Math.floor(fromMs / 1_000);
  return { startSec, durationSec: Math.floor(toMs / 1_000) - startSec };
}

async function recordedSegments({ apiUrl }: TestGateway): Promise<number> {
  const text = await (await fetch(`${apiUrl}/metrics`)).text();
  const line = text
    .split('\n')
    .find((each) => each.startsWith('sluice_recording_segments_total{') && each.includes('rendition="main"'));
  return Number(line?.split(' ').at(-1) ?? 0);
}

/** Until the gateway has recorded so many segments more than now of the main stream of its first camera. */
export async function recordMore(gateway: TestGateway, segments: number): Promise<void> {
  const enough = (await recordedSegments(gateway)) + segments;
  await until(`${segments} segments`, async () => (await recordedSegments(gateway)) >= enough, WAIT_MS);
}

/** The index alone says when a recording was made. The gateway must not be running. */
export function moveRecordings({ folder }: TestGateway, byMs: number): void {
  const database = new DatabaseSync(join(folder, 'data', 'sluice.db'));
  const rows = database.prepare('select camera_uuid, rendition, number, segments_json from recordings').all();
  const update = database.prepare(
    'update recordings set start_ms = start_ms + ?, end_ms = end_ms + ?, segments_json = ? ' +
      'where camera_uuid = ? and rendition = ? and number = ?',
  );
  for (const row of rows as Record<string, string | number>[]) {
    const index = String(row.segments_json).replaceAll(
      /"ms":(\d+(?:\.\d+)?)/g,
      (_, ms: string) => `"ms":${Number(ms) + byMs}`,
    );
    update.run(byMs, byMs, index, row.camera_uuid!, row.rendition!, row.number!);
  }
  database.close();
}

/** A federated session, as the query of a URL. */
export async function sessionQuery(gateway: TestGateway): Promise<string> {
  const { federatedSessionToken } = await gateway.call('org/generateFederatedSessionToken');
  return `?x-auth-scheme=federated-token&x-auth-ft=${federatedSessionToken}`;
}

/** A gateway that records one camera, and a range of time of which there is a recording. */
export interface RecordedCamera {
  readonly gateway: TestGateway;
  readonly cameraUuid: string;
  readonly range: TestRange;
}

/** Until the camera at `rtsp` is recorded for so many segments. `config`: more of the gateway's. */
export async function recordCamera(
  name: string,
  rtsp: string,
  segments: number,
  config: object = {},
): Promise<RecordedCamera> {
  const gateway = await TestGateway.start({
    ...config,
    recording: { minFree: '16MiB' },
    cameras: [{ name, rtsp, recording: 'always' }],
  });
  try {
    const cameraUuid = await gateway.cameraUuid(name);
    await recordMore(gateway, 2);
    const fromMs = Date.now();
    await recordMore(gateway, segments);
    return { gateway, cameraUuid, range: rangeOf(fromMs, Date.now() - 1_000) };
  } catch (error) {
    await gateway.dispose();
    throw error;
  }
}
