/**
 * `limited`: what it costs that a caller is limited to sites: the duration of calls with 1,000 cameras and 10,000 shares, as a ratio to the
 * same call of a viewer who is not limited. The rights include every camera, so both get the same response. The calls take turns.
 */

import { type ApiFixture, addApiKey, openApiFixture } from '../../src/api/api-fixture.ts';
import { newRuuid, type Ruuid } from '../../src/core/ruuid.ts';
import { sampleCamera, sampleLocation, sampleShare } from '../../src/store/sample-entities-fixture.ts';
import { type BenchOptions, type BenchResult, median, type Row } from '../report.ts';

const SITES = 50;
const CAMERAS = 1_000;
const SHARES = 10_000;
const AUDIT_ROWS = 20_000;
const ALERTS = 2_000;
const SHORT_ROUNDS = 15;
const LONG_ROUNDS = 60;
const WARM_UP_ROUNDS = 3;
const ROWS_TOGETHER = 1_000;

const CASES: readonly (readonly [figure: string, path: string, body: (camera: Ruuid) => object])[] = [
  ['cameraList', '/api/camera/getMinimalCameraStateList', () => ({})],
  ['oneCamera', '/api/camera/getFullCameraState', (cameraUuid) => ({ cameraUuid })],
  ['locationList', '/api/location/getLocationsV2', () => ({})],
  ['sharePage', '/api/camera/findSharedStreams', () => ({ maxPageSize: 100 })],
  ['shareList', '/api/camera/findAllSharedLiveVideoStreams', () => ({})],
  ['shareCreators', '/api/camera/findSharedStreamCreators', () => ({})],
  ['scheduleList', '/api/schedule/getSchedules', () => ({})],
  ['auditPage', '/api/report/findAuditEvents', () => ({ about: 'VIEWS', maxPageSize: 100 })],
  ['alertPage', '/api/event/getPolicyAlertsV2', () => ({ maxResults: 100 })],
];

export async function run({ isShort }: BenchOptions): Promise<BenchResult> {
  const plenty = { requestsPerOrg: { burst: 1e9, perSec: 1e9 } };
  const fixture = await openApiFixture({ limits: plenty });
  try {
    const { camera, all } = await fill(fixture);
    const orgUuid = fixture.own.organization.uuid;
    const keyOf = async (scope: { locationUuids: Ruuid[]; cameraUuids: Ruuid[] } | null) => ({
      'x-auth-apikey': await addApiKey(fixture.store, orgUuid, { role: 'viewer', scope }),
    });
    const callers = [await keyOf(null), await keyOf({ locationUuids: [all], cameraUuids: [] })] as const;
    const rows: Row[] = [];
    const figures: Record<string, number> = {};
    for (const [figure, path, bodyOf] of CASES) {
      const [whole, limited] = await measure(fixture, path, bodyOf(camera), callers, isShort);
      const ratio = Math.round((100 * limited) / whole) / 100;
      rows.push({ case: path.slice('/api/'.length), 'whole ms': whole, 'limited ms': limited, ratio });
      figures[`${figure}Ratio`] = ratio;
    }
    return { name: 'limited', rows, figures };
  } finally {
    await fixture.close();
  }
}

/** Medians of both callers' calls, in milliseconds. */
async function measure(
  fixture: ApiFixture,
  path: string,
  body: object,
  callers: readonly [Record<string, string>, Record<string, string>],
  isShort: boolean,
): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  const rounds = WARM_UP_ROUNDS + (isShort ? SHORT_ROUNDS : LONG_ROUNDS);
  let sizes: number[] = [];
  for (let round = 0; round < rounds; round++) {
    sizes = [];
    for (const [index, headers] of callers.entries()) {
      const startMs = performance.now();
      const response = await fixture.post(path, body, headers);
      if (round >= WARM_UP_ROUNDS) times[index]!.push(performance.now() - startMs);
      sizes.push(response.body.length);
    }
  }
  if (sizes[0] !== sizes[1]) throw new Error(`${path} returns ${sizes.join(' and ')} characters`);
  const inHundredths = (list: readonly number[]) => Math.round(100 * median(list)) / 100;
  return [inHundredths(times[0]), inHundredths(times[1])];
}

async function fill({ store, own, clock }: ApiFixture): Promise<{ camera: Ruuid; all: Ruuid }> {
  const orgUuid = own.organization.uuid;
  const all = sampleLocation(orgUuid, { name: 'All' });
  await store.locations.save(all);
  // Sites that existed before are part of it, too.
  const first = (await store.locations.find(orgUuid, own.locationUuid))!;
  await store.locations.save({ ...first, parentUuid: all.uuid });
  const sites = Array.from({ length: SITES }, (_, index) =>
    sampleLocation(orgUuid, { name: `Site ${index}`, parentUuid: all.uuid }),
  );
  for (const site of sites) await store.locations.save(site);
  const cameras = Array.from({ length: CAMERAS }, (_, index) =>
    sampleCamera(orgUuid, { name: `Camera ${index}`, locationUuid: sites[index % SITES]!.uuid }),
  );
  await inGroups(cameras, (camera) => store.cameras.save(camera));
  const cameraAt = (index: number): Ruuid => cameras[index % CAMERAS]!.uuid;
  const shares = Array.from({ length: SHARES }, (_, index) =>
    sampleShare(orgUuid, { name: `Share ${index}`, cameraUuid: cameraAt(index), scheduleUuid: null }),
  );
  await inGroups(shares, (share) => store.shares.save(share));
  const nowMs = clock.epochMs();
  for (let from = 0; from < AUDIT_ROWS; from += ROWS_TOGETHER) {
    await store.audit.add(
      Array.from({ length: ROWS_TOGETHER }, (_, index) => ({
        uuid: newRuuid(),
        orgUuid,
        atMs: nowMs - from - index,
        action: 'VIEW_SHARE_STREAM',
        principal: { type: 'UNKNOWN', uuid: null, name: '', sourceIp: null, userAgent: null },
        targetUuid: shares[(from + index) % SHARES]!.uuid,
        targetName: '',
      })),
    );
  }
  for (let from = 0; from < ALERTS; from += ROWS_TOGETHER) {
    await store.events.add(
      Array.from({ length: ROWS_TOGETHER }, (_, index) => ({
        orgUuid,
        kind: 'policyAlert' as const,
        id: newRuuid(),
        deviceUuid: cameraAt(from + index),
        atMs: nowMs - from - index,
        body: { durationSec: 3, policyAlertTriggers: ['MOTION'], textDescription: 'Someone at the gate' },
      })),
    );
  }
  return { camera: cameraAt(7), all: all.uuid };
}

async function inGroups<Item>(items: readonly Item[], save: (item: Item) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < items.length; from += ROWS_TOGETHER) {
    await Promise.all(items.slice(from, from + ROWS_TOGETHER).map(save));
  }
}
