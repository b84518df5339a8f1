import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, type ApiFixture, openApiFixture } from '../api-fixture.ts';

const FIND = '/api/event/getClipsWithProgress';
const EXPIRING = '/api/event/getExpiringClipsForOrg';
const GET = '/api/event/getClipWithProgress';
const TIME_MS = 1_767_225_600_000;

interface Clip {
  readonly uuid: string;
  readonly title: string;
  readonly createdAtMs: number;
}

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
  const { camera, doorbell } = fixture.own;
  const monitoring = { deviceUuids: [doorbell.uuid], isMonitoringClip: true };
  const hidden = { accessSettings: { visibility: 'PRIVATE' } };
  await report({ id: 'a', title: 'Delivery', timestampMs: TIME_MS, status: 'COMPLETE' });
  await report({ id: 'b', title: 'Late DELIVERY', timestampMs: TIME_MS + 1_000, status: 'RENDERING' });
  await report({ id: 'c', title: 'Visitor', timestampMs: TIME_MS + 2_000, ...monitoring });
  await report({ id: 'd', title: 'Office', deviceUuids: [`${camera.uuid}.v0`], ...hidden });
});
afterEach(() => fixture.close());

/** One a second. */
async function report(row: object): Promise<void> {
  const rows = [{ deviceUuids: [fixture.own.camera.uuid], timestampMs: TIME_MS, ...row }];
  expect(await fixture.call('/api/ingest/savedClips', { rows })).toMatchObject({ acceptedCount: 1 });
  fixture.clock.advance(1_000);
}
const find = (body: object = {}, headers?: Record<string, string>) => fixture.call(FIND, body, headers);
const clipsOf = ({ savedClips }: Answer) => savedClips as Clip[];
const titles = async (body: object = {}) => clipsOf(await find(body)).map(({ title }) => title);

describe(FIND, () => {
  it('answers the search of the MCP server, which sends no page size and words of its own', async () => {
    const response = await find({
      requestType: 'saved',
      deviceUuidFilters: [fixture.own.camera.uuid],
      locationUuidFilters: null,
      searchFilter: null,
      clipUuid: null,
      spliceRequest: null,
      timestampMsAfter: TIME_MS,
      timestampMsBefore: TIME_MS + 2_000,
    });
    expect(response).toMatchObject({ error: false });
    expect(clipsOf(response).map(({ title }) => title)).toEqual(['Office', 'Late DELIVERY', 'Delivery']);
    expect(response).not.toHaveProperty('pageToken');
  });

  it('tells of each clip how far it has come, which scripts wait for', async () => {
    expect(clipsOf(await find())).toMatchObject([
      { title: 'Office', status: 'UNKNOWN' },
      { title: 'Visitor', status: 'UNKNOWN' },
      { title: 'Late DELIVERY', status: 'RENDERING' },
      { title: 'Delivery', status: 'COMPLETE', percentComplete: 100, lastUpdatedSec: expect.any(Number) },
    ]);
    expect(clipsOf(await find({ searchFilter: 'late' }))[0]).not.toHaveProperty('percentComplete');
  });

  it('finds by title, place, kind and either time', async () => {
    expect(await titles({ searchFilter: 'delivery' })).toEqual(['Late DELIVERY', 'Delivery']);
    expect(await titles({ deviceUuidFilters: [fixture.own.doorbell.uuid] })).toEqual(['Visitor']);
    expect(await titles({ locationUuidFilters: [fixture.own.locationUuid] })).toHaveLength(4);
    expect(await titles({ locationUuidFilters: [fixture.foreign.locationUuid] })).toEqual([]);
    expect(await titles({ filterByPrivate: true })).toEqual(['Office']);
    expect(await titles({ excludeAlertMonitoringClips: true })).not.toContain('Visitor');
    const savedAtMs = clipsOf(await find({ searchFilter: 'office' }))[0]!.createdAtMs;
    const recent = { timestampMsAfter: savedAtMs, timestampFilterField: 'createdAtMs' };
    expect(await titles(recent)).toEqual(['Office']);
    expect(clipsOf(await find({}, { 'x-auth-apikey': fixture.foreign.apiKey }))).toEqual([]);
  });

  it.each([
    ['DESC', ['Office', 'Visitor', 'Late DELIVERY', 'Delivery']],
    ['ASC', ['Delivery', 'Late DELIVERY', 'Visitor', 'Office']],
  ])('pages %s, each clip once', async (sortOrder, expected) => {
    const seen: string[] = [];
    let pageToken: unknown = null;
    do {
      const page = await find({ pageSize: 3, sortField: 'createdAtMs', sortOrder, pageToken });
      expect(page).not.toHaveProperty('warningMsg');
      seen.push(...clipsOf(page).map(({ title }) => title));
      pageToken = page.pageToken;
    } while (pageToken !== undefined);
    expect(seen).toEqual(expected);
  });

  it('says what has no effect, and refuses a token that is not its own', async () => {
    const { warningMsg } = await find({ sortField: 'title', sortOrder: 'up', timestampFilterField: 'when' });
    expect(warningMsg).toBe(
      'timestampFilterField has no effect: it can be timestampMs or createdAtMs. sortField has no effect: it can be ' +
        'createdAtMs. sortOrder has no effect: it can be ASC or DESC.',
    );
    expect((await find({ pageToken: 'x' })).errorMsg).toBe(
      'pageToken must be a key that this endpoint returned.',
    );
  });
});

describe(EXPIRING, () => {
  it('answers with the clips of the gateway that it deletes within 30 days, as the MCP server asks', async () => {
    const dayMs = 86_400_000;
    const mine = { clipLocation: { region: 'local' } };
    await report({ id: 'e', title: 'Mine', ...mine });
    await report({ id: 'f', title: 'Elsewhere', clipLocation: { region: 'us-west-2' } });
    const found = async (body: object = {}) => {
      const requested = { requestType: 'expiringSoon', searchFilter: null, timestampMsAfter: 0, ...body };
      const response = await fixture.call(EXPIRING, { ...requested, timestampMsBefore: TIME_MS + 60_000 });
      return clipsOf(response).map(({ title }) => title);
    };
    // Clips are kept for 730 days.
    fixture.clock.advance(699 * dayMs);
    await report({ id: 'g', title: 'Young', ...mine });
    expect(await found()).toEqual([]);
    fixture.clock.advance(2 * dayMs);
    expect(await found()).toEqual(['Mine']);
    expect(await found({ deviceUuidFilters: [fixture.own.doorbell.uuid] })).toEqual([]);
  });
});

describe(GET, () => {
  it('tells how far one clip has come, and only one’s own', async () => {
    const { uuid: clipUuid } = clipsOf(await find({ searchFilter: 'late' }))[0]!;
    expect((await fixture.call(GET, { clipUuid })).clip).toMatchObject({
      uuid: clipUuid,
      status: 'RENDERING',
    });
    const foreign = { 'x-auth-apikey': fixture.foreign.apiKey };
    expect((await fixture.call(GET, { clipUuid }, foreign)).errorMsg).toBe(
      'There is no saved clip with this UUID.',
    );
  });
});
