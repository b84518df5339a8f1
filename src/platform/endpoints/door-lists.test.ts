import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Answer, type ApiFixture, openApiFixture } from '../../api/api-fixture.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';

const DOORS = '/api/component/findAccessControlledDoors';
const EVENTS = '/api/component/findComponentEventsByAccessControlledDoor';
const TIME_MS = 1_767_225_600_000;

let fixture: ApiFixture;
let foreignKey: Record<string, string>;
beforeEach(async () => {
  fixture = await openApiFixture();
  foreignKey = { 'x-auth-apikey': fixture.foreign.apiKey };
});
afterEach(() => fixture.close());

async function reportDoors(...names: readonly string[]): Promise<Ruuid[]> {
  const rows = names.map((name) => ({ uuid: newRuuid(), ownerDeviceUuid: fixture.own.nvrUuid, name }));
  expect(await fixture.call('/api/ingest/doors', { rows })).toMatchObject({ acceptedCount: names.length });
  return rows.map(({ uuid }) => uuid);
}

const uuidsIn = (response: Answer, list: string) =>
  (response[list] as { uuid: Ruuid }[]).map(({ uuid }) => uuid);

it(`${DOORS} lists every reported door once, page by page`, async () => {
  const reported = await reportDoors('North', 'South', 'East');
  const first = await fixture.call(DOORS, { maxPageSize: 2 });
  expect(first.accessControlledDoors).toHaveLength(2);
  const second = await fixture.call(DOORS, { maxPageSize: 2, lastEvaluatedKey: first.lastEvaluatedKey });
  const seen = [first, second].flatMap((response) => uuidsIn(response, 'accessControlledDoors'));
  expect(seen.toSorted()).toEqual(reported.toSorted());
  expect(second.lastEvaluatedKey ?? null).toBeNull();
  const all = (await fixture.call(DOORS)).accessControlledDoors;
  expect(all).toContainEqual(
    expect.objectContaining({ uuid: reported[0], name: 'North', ownerDeviceUuid: fixture.own.nvrUuid }),
  );
  expect((await fixture.call(DOORS, {}, foreignKey)).accessControlledDoors).toEqual([]);
  for (const [body, sentence] of [
    [{ maxPageSize: 0 }, 'maxPageSize must be an integer from 1 to 1000, got 0.'],
    [{ lastEvaluatedKey: 'x' }, 'lastEvaluatedKey must be a key that this endpoint returned.'],
  ] as const) {
    expect(await fixture.call(DOORS, body)).toMatchObject({ error: true, errorMsg: sentence });
  }
});

it(`${EVENTS} lists the newest events of a door, and says when there are older ones`, async () => {
  const [door, other] = await reportDoors('North', 'South');
  const event = (accessControlledDoorUuid: Ruuid | undefined, afterMs: number, type: string) => ({
    uuid: newRuuid(),
    accessControlledDoorUuid,
    type,
    timestampMs: TIME_MS + afterMs,
  });
  const rows = [
    event(door, 1, 'DoorStateChangeEvent'),
    event(door, 2, 'ButtonEvent'),
    event(door, 3, 'DoorStateChangeEvent'),
    event(other, 4, 'DoorStateChangeEvent'),
  ];
  expect(await fixture.call('/api/ingest/componentEvents', { rows })).toMatchObject({ acceptedCount: 4 });
  const find = (body: object = {}, headers = {}) =>
    fixture.call(EVENTS, { accessControlledDoorUuid: door, ...body }, headers);
  const found = async (body: object) => uuidsIn(await find(body), 'componentEvents');
  const [oldest, button, newest] = rows.map(({ uuid }) => uuid);
  expect(await found({})).toEqual([newest, button, oldest]);
  expect(await found({ typeFilter: ['DoorStateChangeEvent'] })).toEqual([newest, oldest]);
  expect(await found({ createdAfterMs: TIME_MS + 2, createdBeforeMs: TIME_MS + 3 })).toEqual([button]);
  const cut = await find({ limit: 1 });
  expect(uuidsIn(cut, 'componentEvents')).toEqual([newest]);
  expect(cut.warningMsg).toMatch(/older events/);
  expect((await find({ limit: 3 })).warningMsg ?? null).toBeNull();
  for (const [body, headers, sentence] of [
    [{}, foreignKey, 'There is no door with this UUID.'],
    [{ accessControlledDoorUuid: newRuuid() }, {}, 'There is no door with this UUID.'],
    [{ limit: 1_001 }, {}, 'limit must be an integer from 1 to 1000, got 1001.'],
    [{ typeFilter: ['Knock'] }, {}, /^typeFilter\[0\] must be one of/],
  ] as const) {
    expect(await find(body, headers)).toMatchObject({
      error: true,
      errorMsg: expect.stringMatching(sentence),
    });
  }
});
