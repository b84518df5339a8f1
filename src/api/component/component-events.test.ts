import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { resourceKind } from '../../store/resource.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

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
const uuids = (answer: object) =>
  (answer as { componentEvents: ComponentEvent[] }).componentEvents.map(({ uuid }) => uuid);

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
        const answer = await find({ ...filter, maxPageSize: 3, lastEvaluatedKey });
        seen.push(...uuids(answer));
        lastEvaluatedKey = answer.lastEvaluatedKey;
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
