import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from '../../api/api-fixture.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { resourceKind } from '../../store/resource.ts';

const INGEST = '/api/ingest/componentEvents';
const FIND = '/api/component/findPaginatedComponentEventsByAccessControlledDoor';
const TIME_MS = 1_767_225_600_000;

interface ComponentEvent {
  readonly uuid: Ruuid;
}

let fixture: ApiFixture;
let door: Ruuid;
beforeEach(async () => {
  fixture = await openApiFixture({ limits: { requestsPerOrg: { burst: 1e6, perSec: 1e6 } } });
  door = newRuuid();
  await fixture.store.resources.of(resourceKind<object>('door')).save({
    uuid: door,
    orgUuid: fixture.own.organization.uuid,
    name: 'Front door',
    parentUuid: null,
    body: {},
    secret: null,
    createdAtMs: TIME_MS,
    updatedAtMs: TIME_MS,
  });
});
afterEach(() => fixture.close());

const event = (fields: object = {}) => ({
  uuid: newRuuid(),
  accessControlledDoorUuid: door,
  type: 'DoorStateChangeEvent',
  timestampMs: TIME_MS,
  ...fields,
});
const report = async (...rows: object[]) =>
  expect(await fixture.call(INGEST, { rows })).toMatchObject({ acceptedCount: rows.length, rejected: [] });
const find = (body: object = {}) => fixture.call(FIND, { accessControlledDoorUuid: door, ...body });
const uuids = (response: object) =>
  (response as { componentEvents: ComponentEvent[] }).componentEvents.map(({ uuid }) => uuid);

describe(FIND, () => {
  it('returns every field', async () => {
    const reader = newRuuid();
    const full = event({ componentUuid: reader, correlationId: 'c', createdAtMs: TIME_MS + 5 });
    await report(full);
    expect(await find()).toEqual({
      error: false,
      componentEvents: [
        {
          uuid: full.uuid,
          orgUuid: fixture.own.organization.uuid,
          type: 'DoorStateChangeEvent',
          componentUuid: reader,
          correlationId: 'c',
          timestampMs: TIME_MS,
          createdAtMs: TIME_MS + 5,
        },
      ],
    });
  });

  it('filters by time, type and user, in either direction', async () => {
    const user = newRuuid();
    const [first, second, third] = [
      event({ timestampMs: TIME_MS }),
      event({ timestampMs: TIME_MS + 1, type: 'CredentialReceivedEvent', userUuid: user }),
      event({ timestampMs: TIME_MS + 2 }),
    ] as const;
    await report(first, second, third);
    expect(uuids(await find())).toEqual([first.uuid, second.uuid, third.uuid]);
    expect(uuids(await find({ reverseSearch: true }))).toEqual([third.uuid, second.uuid, first.uuid]);
    expect(uuids(await find({ typeFilter: ['CredentialReceivedEvent'] }))).toEqual([second.uuid]);
    expect(uuids(await find({ userFilter: [user] }))).toEqual([second.uuid]);
    expect(uuids(await find({ createdAfterMs: TIME_MS + 1, createdBeforeMs: TIME_MS + 2 }))).toEqual([
      second.uuid,
    ]);
  });

  it.each([false, true])(
    'returns each event once while others arrive, newest first: %s',
    async (reverseSearch) => {
      const rows = Array.from({ length: 20 }, (_, index) =>
        event({ timestampMs: TIME_MS + (index >> 2), type: index % 2 ? 'ButtonEvent' : 'DoorbellEvent' }),
      );
      await report(...rows);
      const seen: Ruuid[] = [];
      let lastEvaluatedKey: unknown;
      do {
        const filter = { reverseSearch, typeFilter: ['ButtonEvent'] };
        const response = await find({ ...filter, maxPageSize: 3, lastEvaluatedKey });
        seen.push(...uuids(response));
        lastEvaluatedKey = response.lastEvaluatedKey;
        await report(event({ timestampMs: reverseSearch ? TIME_MS + 99 : TIME_MS - 1, type: 'ButtonEvent' }));
      } while (lastEvaluatedKey !== undefined);
      const wanted = rows.filter(({ type }) => type === 'ButtonEvent').map(({ uuid }) => uuid);
      expect(seen.toSorted()).toEqual(wanted.sort());
    },
  );

  it('refuses an unknown door, another organization, and an invalid key', async () => {
    const unknown = 'There is no door with this UUID.';
    expect((await find({ accessControlledDoorUuid: newRuuid() })).errorMsg).toBe(unknown);
    const foreign = { 'x-auth-apikey': fixture.foreign.apiKey };
    expect((await fixture.call(FIND, { accessControlledDoorUuid: door }, foreign)).errorMsg).toBe(unknown);
    expect((await find({ lastEvaluatedKey: 'abc' })).errorMsg).toBe(
      'lastEvaluatedKey must be a key that this endpoint returned.',
    );
    expect(await fixture.call(INGEST, { rows: [event()] }, foreign)).toMatchObject({
      rejected: [{ index: 0, field: 'accessControlledDoorUuid' }],
    });
  });
});

describe('the newest events', () => {
  const BY_LOCATION = '/api/component/findComponentEventsByLocation';
  const BY_USER = '/api/component/findComponentEventsByUser';
  const foreign = () => ({ 'x-auth-apikey': fixture.foreign.apiKey });

  it('of a location are those reported for it and those of its doors', async () => {
    const { locationUuid } = fixture.own;
    const placed = newRuuid();
    const doors = fixture.store.resources.of(resourceKind<object>('door'));
    const known = (await doors.find(fixture.own.organization.uuid, door))!;
    await doors.save({ ...known, uuid: placed, body: { locationUuid } });
    const ofDoor = event({ accessControlledDoorUuid: placed, timestampMs: TIME_MS + 1 });
    const said = event({ locationUuid, timestampMs: TIME_MS + 2, type: 'ButtonEvent' });
    const both = event({ accessControlledDoorUuid: placed, locationUuid, timestampMs: TIME_MS + 3 });
    await report(event(), ofDoor, said, both);
    const find = (body: object, headers = {}) =>
      fixture.call(BY_LOCATION, { locationUuid, ...body }, headers);
    expect(uuids(await find({}))).toEqual([both.uuid, said.uuid, ofDoor.uuid]);
    expect(uuids(await find({ typeFilter: ['ButtonEvent'] }))).toEqual([said.uuid]);
    expect(uuids(await find({ createdBeforeMs: TIME_MS + 3 }))).toEqual([said.uuid, ofDoor.uuid]);
    const first = await find({ limit: 1 });
    expect([uuids(first), first.warningMsg]).toEqual([[both.uuid], expect.stringContaining('older events')]);
    const unknown = { errorMsg: 'There is no location with this locationUuid.' };
    expect(await find({}, foreign())).toMatchObject(unknown);
    expect(await fixture.call(BY_LOCATION, { locationUuid: newRuuid() })).toMatchObject(unknown);
  });

  it('of a user are those about the user, at any door', async () => {
    const userUuid = newRuuid();
    const rows = [
      event({ userUuid }),
      event({ userUuid: newRuuid() }),
      event({ userUuid, timestampMs: TIME_MS + 1 }),
    ];
    await report(...rows);
    expect(uuids(await fixture.call(BY_USER, { userUuid }))).toEqual([rows[2]!.uuid, rows[0]!.uuid]);
    expect(uuids(await fixture.call(BY_USER, { userUuid, limit: 1 }))).toEqual([rows[2]!.uuid]);
    expect(uuids(await fixture.call(BY_USER, { userUuid: newRuuid() }))).toEqual([]);
    expect(uuids(await fixture.call(BY_USER, { userUuid }, foreign()))).toEqual([]);
    expect(await fixture.call(BY_USER, {})).toMatchObject({ errorMsg: 'userUuid is required.' });
  });
});
