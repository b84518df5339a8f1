import { afterEach, beforeEach, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const LIST = '/api/event/getPolicyAlerts';
const TIME_MS = 1_767_225_600_000;

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

it(`${LIST} lists alerts of devices and of doors, newest first, page by page`, async () => {
  const [camera, doorbell] = [fixture.own.camera.uuid, fixture.own.doorbell.uuid];
  const door = newRuuid();
  let afterMs = 0;
  const alert = (fields: object) => ({ uuid: newRuuid(), timestampMs: TIME_MS + afterMs++, ...fields });
  const rows = [
    alert({ deviceUuid: camera, textDescription: 'Motion' }),
    alert({ deviceUuid: doorbell, componentUuid: door, type: 'ACCESS_CONTROLLED_DOOR_POLICY_ALERT' }),
    alert({ deviceUuid: doorbell, componentUuid: newRuuid() }),
    alert({ deviceUuid: camera, componentUuid: door }),
  ];
  const report = await fixture.call('/api/ingest/policyAlerts', { rows });
  expect(report).toMatchObject({ acceptedCount: 4, rejected: [] });
  const [first, second, third, fourth] = rows.map(({ uuid }) => uuid);
  const alerts = async (body: object = {}, headers = {}) =>
    (await fixture.call(LIST, body, headers)).policyAlerts as { uuid: Ruuid; timestampMs: number }[];
  const uuids = async (body: object) => (await alerts(body)).map(({ uuid }) => uuid);

  expect(await alerts()).toMatchObject([...rows].reverse());
  expect(await uuids({ deviceFilter: [camera] })).toEqual([fourth, first]);
  expect(await uuids({ accessControlledDoorFilter: [door] })).toEqual([fourth, second]);
  expect(await uuids({ deviceFilter: [camera], accessControlledDoorFilter: [door] })).toEqual([
    fourth,
    second,
    first,
  ]);
  expect(await uuids({ afterTimestampMs: TIME_MS + 1, beforeTimestampMs: TIME_MS + 3 })).toEqual([
    third,
    second,
  ]);
  const elsewhere = { accessControlledDoorFilter: [door], locationFilter: [fixture.foreign.locationUuid] };
  expect(await uuids(elsewhere)).toEqual([]);

  const [newest] = await alerts({ accessControlledDoorFilter: [door], maxResults: 1 });
  expect(newest?.uuid).toBe(fourth);
  const mark = { lastTimestampMs: newest?.timestampMs, lastUuid: newest?.uuid };
  expect(await uuids({ accessControlledDoorFilter: [door], ...mark })).toEqual([second]);

  expect(await alerts({}, { 'x-auth-apikey': fixture.foreign.apiKey })).toEqual([]);
  for (const [body, sentence] of [
    [{ lastUuid: first }, 'lastTimestampMs and lastUuid must be sent together.'],
    [{ maxResults: 501 }, 'maxResults must be an integer from 1 to 500, got 501.'],
    [{ accessControlledDoorFilter: ['door'] }, /^accessControlledDoorFilter\[0\] must be an RUUID/],
  ] as const) {
    expect(await fixture.call(LIST, body)).toMatchObject({
      error: true,
      errorMsg: expect.stringMatching(sentence),
    });
  }
});

it(`${LIST} refuses to search more alerts than it can, instead of ending the list early`, async () => {
  const orgUuid = fixture.own.organization.uuid;
  const deviceUuid = fixture.own.camera.uuid;
  const door = newRuuid();
  const stored = (index: number, componentUuid?: Ruuid) => ({
    orgUuid,
    kind: 'policyAlert' as const,
    id: newRuuid(),
    deviceUuid,
    atMs: TIME_MS + index,
    body: componentUuid === undefined ? {} : { componentUuid },
  });
  await fixture.store.events.add([stored(0, door)]);
  for (let start = 1; start <= 20_000; start += 1_000) {
    await fixture.store.events.add(Array.from({ length: 1_000 }, (_, index) => stored(start + index)));
  }
  const search = (body: object) => fixture.call(LIST, { accessControlledDoorFilter: [door], ...body });
  expect(await search({})).toMatchObject({
    error: true,
    errorMsg: 'There are more than 20,000 policy alerts to search. Choose a shorter range.',
  });
  expect((await search({ beforeTimestampMs: TIME_MS + 1_000 })).policyAlerts).toHaveLength(1);
});
