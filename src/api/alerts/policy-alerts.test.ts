import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { asJsonSchema } from '../../http/fields/json-schema.ts';
import { ALERT_POLICY_PAUSES, type AlertPolicyPauseBody } from '../../policies/alert-policy-pause.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';
import { POLICY_ALERT_SCHEMA } from './policy-alert-types.ts';

const INGEST = '/api/ingest/policyAlerts';
const GET = '/api/event/getPolicyAlert';
const LIST = '/api/event/getPolicyAlertsV2';
const DETAILS = '/api/event/getPolicyAlertDetails';
const TIME_MS = 1_767_225_600_000;

interface Alert {
  readonly uuid: Ruuid;
  readonly timestampMs: number;
}

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture({ limits: { requestsPerOrg: { burst: 1e6, perSec: 1e6 } } });
});
afterEach(() => fixture.close());

const alert = (fields: object = {}) => ({
  uuid: newRuuid(),
  deviceUuid: fixture.own.camera.uuid,
  timestampMs: TIME_MS,
  ...fields,
});
const report = async (...rows: object[]) =>
  expect(await fixture.call(INGEST, { rows })).toMatchObject({ acceptedCount: rows.length, rejected: [] });

describe(GET, () => {
  it('returns everything that was reported, measurements and nested records', async () => {
    const dwell = {
      deviceUuid: fixture.own.camera.uuid,
      durationSec: 30,
      deviceLabels: ['gate'],
      trackId: 7,
    };
    const face = { faceName: 'Kim', personUuid: newRuuid(), labels: ['staff'] };
    const reported = alert({
      policyUuid: newRuuid(),
      saved: true,
      durationSec: 12,
      policyAlertTriggers: ['MOTION_HUMAN'],
      clipLocationMap: { front: { region: 'eu' } },
      cllmCheckCondition: { operator: 'GT', value: '3' },
      tempC: 21.5,
      tempCThreshold: 20,
      humidityPercentThreshold1616: 65_536,
      probeTempThreshold: -1.5,
      alertingDwellEvents: [dwell],
      alertingEventFaces: [face],
      alertingEventVehicles: [{ licensePlateNumber: 'HH-AB 1' }],
    });
    await report(reported);
    const { policyAlert } = await fixture.call(GET, { policyAlertUuid: reported.uuid });
    expect(policyAlert).toMatchObject({
      ...reported,
      orgUuid: fixture.own.organization.uuid,
      locationUuid: fixture.own.camera.locationUuid,
      archived: false,
      alertingDwellEvents: [dwell],
      alertingEventFaces: [face],
      alertingEventVehicles: [{ licensePlateNumber: 'HH-AB 1' }],
    });
    const described = Object.keys(asJsonSchema(POLICY_ALERT_SCHEMA).properties ?? {});
    expect(described).toEqual(expect.arrayContaining(Object.keys(policyAlert as object)));
    expect(policyAlert).not.toHaveProperty('co2');
    expect(JSON.stringify(policyAlert)).not.toContain('null');
  });

  it('does not find another organization’s', async () => {
    const own = alert();
    await report(own);
    const foreign = { 'x-auth-apikey': fixture.foreign.apiKey };
    const response = await fixture.call(GET, { policyAlertUuid: own.uuid }, foreign);
    expect(response.errorMsg).toBe('There is no policy alert with this UUID.');
    expect((await fixture.call(LIST, {}, foreign)).policyAlerts).toEqual([]);
  });

  it('is not notified of what was refused', async () => {
    const rows = [alert({ locationUuid: fixture.foreign.locationUuid }), alert({ tempC: 'warm' })];
    expect(await fixture.call(INGEST, { rows })).toMatchObject({
      acceptedCount: 0,
      rejected: [
        { index: 0, field: 'locationUuid', reason: 'locationUuid must be a location of the organization.' },
        { index: 1, field: 'tempC', reason: 'tempC must be a number, got string.' },
      ],
    });
  });
});

describe(DETAILS, () => {
  it('returns what the footage shows, and which faces and vehicles are known', async () => {
    const box = {
      activity: 'MOTION_HUMAN',
      left: 1,
      top: 2,
      right: 3,
      bottom: 4,
      keypointsV2: { nose: { x: 1, y: 2 } },
    };
    const point = { id: 7, activity: 'POS', relativeSecond: 1.5, posOrderIdInfo: { guid: 'order-1' } };
    const reported = alert({
      clientType: 'KIOSK',
      thirdPartyDeviceName: 'Gate',
      alertingEventFaces: [{ faceName: 'Kim' }, { faceId: 'face-2' }],
      alertingEventVehicles: [{ licensePlateNumber: 'HH-AB 1' }],
      boundingBoxes: [box],
      boundingBoxesMap: { [fixture.own.camera.uuid]: [box] },
      seekPoints: [point],
      seekPointsMap: { [fixture.own.camera.uuid]: [point] },
    });
    await report(reported);
    const { policyAlert } = await fixture.call(DETAILS, { policyAlertUuid: reported.uuid });
    expect(policyAlert).toMatchObject({
      uuid: reported.uuid,
      clientType: 'KIOSK',
      thirdPartyDeviceName: 'Gate',
      recognizedEventFaces: [{ faceName: 'Kim' }],
      unrecognizedEventFaces: [{ faceId: 'face-2' }],
      recognizedEventVehicles: [],
      unrecognizedEventVehicles: [{ licensePlateNumber: 'HH-AB 1' }],
      boundingBoxes: [box],
      boundingBoxesMap: { [fixture.own.camera.uuid]: [box] },
      seekPoints: [point],
      seekPointsMap: { [fixture.own.camera.uuid]: [point] },
      componentCompositeSeekPointsMap: {},
    });
    const plain = (await fixture.call(GET, { policyAlertUuid: reported.uuid })).policyAlert as object;
    expect(plain).not.toHaveProperty('boundingBoxes');
  });

  it('does not find another organization’s', async () => {
    const own = alert();
    await report(own);
    const foreign = { 'x-auth-apikey': fixture.foreign.apiKey };
    expect((await fixture.call(DETAILS, { policyAlertUuid: own.uuid }, foreign)).errorMsg).toBe(
      'There is no policy alert with this UUID.',
    );
  });
});

describe('a pause', () => {
  const pause = (fields: Partial<AlertPolicyPauseBody>) =>
    fixture.store.resources.of(ALERT_POLICY_PAUSES).save({
      uuid: newRuuid(),
      orgUuid: fixture.own.organization.uuid,
      name: '',
      parentUuid: null,
      secret: null,
      createdAtMs: TIME_MS,
      updatedAtMs: TIME_MS,
      body: {
        componentCompositeUuids: [],
        deviceUuids: [],
        locationUuids: [],
        fromMs: TIME_MS,
        toMs: TIME_MS + 10,
        ...fields,
      },
    });

  it('blocks all alerts of its devices, components and locations until it ends', async () => {
    const [sensor, door] = [newRuuid(), newRuuid()];
    await pause({ deviceUuids: [sensor] });
    await pause({ componentCompositeUuids: [door] });
    await pause({ locationUuids: [fixture.own.locationUuid] });
    const rows = [
      alert({ deviceUuid: sensor }),
      alert({ deviceUuid: newRuuid(), componentUuid: door }),
      alert(),
      alert({ deviceUuid: sensor, timestampMs: TIME_MS + 10 }),
      alert({ deviceUuid: newRuuid() }),
    ];
    const response = await fixture.call(INGEST, { rows });
    expect(response.acceptedCount).toBe(2);
    expect((response.rejected as { index: number }[]).map(({ index }) => index)).toEqual([0, 1, 2]);
  });
});

describe(LIST, () => {
  it('filters by time, device and location, newest first', async () => {
    const sensor = newRuuid();
    const [first, second, third] = [
      alert({ timestampMs: TIME_MS }),
      alert({ timestampMs: TIME_MS + 1, deviceUuid: sensor }),
      alert({ timestampMs: TIME_MS + 2 }),
    ] as const;
    await report(first, second, third);
    const list = async (body: object) =>
      ((await fixture.call(LIST, body)).policyAlerts as Alert[]).map(({ uuid }) => uuid);
    expect(await list({})).toEqual([third.uuid, second.uuid, first.uuid]);
    expect(await list({ afterTimestampMs: TIME_MS + 1, beforeTimestampMs: TIME_MS + 2 })).toEqual([
      second.uuid,
    ]);
    expect(await list({ deviceFilter: [sensor] })).toEqual([second.uuid]);
    expect(await list({ locationFilter: [fixture.own.camera.locationUuid] })).toEqual([
      third.uuid,
      first.uuid,
    ]);
  });

  it('returns each alert once, page by page, while others arrive', async () => {
    const rows = Array.from({ length: 23 }, (_, index) => alert({ timestampMs: TIME_MS + (index >> 2) }));
    await report(...rows);
    const seen: Ruuid[] = [];
    let place: object = {};
    for (;;) {
      const response = await fixture.call(LIST, { maxResults: 4, ...place });
      const page = response.policyAlerts as Alert[];
      seen.push(...page.map(({ uuid }) => uuid));
      if (page.length < 4) break;
      const oldest = response.oldestPolicyAlert as Alert;
      expect(oldest.uuid).toBe(page.at(-1)?.uuid);
      place = { lastTimestampMs: oldest.timestampMs, lastUuid: oldest.uuid };
      await report(alert({ timestampMs: TIME_MS + 1_000 }));
    }
    expect(seen.toSorted()).toEqual(rows.map(({ uuid }) => uuid).sort());
  });

  it('refuses half a page key', async () => {
    expect((await fixture.call(LIST, { lastTimestampMs: 1 })).errorMsg).toBe(
      'lastTimestampMs and lastUuid must be sent together.',
    );
  });
});
