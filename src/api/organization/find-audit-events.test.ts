import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Ruuid } from '../../core/ruuid.ts';
import { type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';

let fixture: ApiFixture;
let shareUuid: Ruuid;
beforeEach(async () => {
  fixture = await openApiFixture();
  const created = await fixture.call('/api/camera/createSharedLiveVideoStream', {
    cameraUuid: fixture.own.camera.uuid,
    name: 'Gate',
  });
  shareUuid = created.sharedLiveVideoStreamUuid as Ruuid;
  const share = (await fixture.store.shares.find(fixture.own.organization.uuid, shareUuid))!;
  fixture.audit.shareOpened(share, { address: '192.0.2.10', userAgent: 'Phone/1' });
  fixture.audit.shareOpened(share, { address: '192.0.2.20', userAgent: 'Desk/1' });
});
afterEach(() => fixture.close());

interface Entry {
  readonly uuid: string;
  readonly action: string;
  readonly sourceIp: string;
}

const find = async (body: object) => {
  const answer = await fixture.call('/api/report/findAuditEvents', body);
  return {
    entries: answer.auditEvents as Entry[],
    key: answer.lastEvaluatedKey as string | undefined,
    answer,
  };
};
const actions = async (body: object) => (await find(body)).entries.map(({ action }) => action);
const CREATED = 'SHARED_LIVE_VIDEO_STREAM_WITHOUT_PASSWORD_CREATE';

describe('findAuditEvents', () => {
  it('says who viewed what from where', async () => {
    const { entries } = await find({ about: 'VIEWS', targetUuid: shareUuid });
    expect(entries.map(({ action, sourceIp }) => [action, sourceIp]).sort()).toEqual([
      ['VIEW_SHARE_STREAM', '192.0.2.10'],
      ['VIEW_SHARE_STREAM', '192.0.2.20'],
    ]);
    expect(await find({ about: 'VIEWS', sourceIp: '192.0.2.20' })).toMatchObject({
      entries: [{ sourceIp: '192.0.2.20', userAgent: 'Desk/1', targetName: 'Gate' }],
    });
    expect(await actions({ principalUuid: shareUuid })).toHaveLength(2);
  });

  it('says what changed, by whom', async () => {
    expect(await actions({ about: 'CHANGES', targetUuid: shareUuid })).toEqual([CREATED]);
    expect(await actions({ principalUuid: fixture.own.key.uuid, targetUuid: shareUuid })).toEqual([CREATED]);
    expect(await actions({ about: 'CHANGES', actions: ['VIEW_SHARE_STREAM'] })).toEqual([]);
    expect(await actions({ about: 'VIEWS', actions: [CREATED] })).toEqual([]);
    expect(await actions({ actions: [CREATED] })).toEqual([CREATED]);
    const nowMs = fixture.clock.epochMs();
    expect(await actions({ targetUuid: shareUuid, timestampMsAfter: nowMs + 1 })).toEqual([]);
    expect(await actions({ targetUuid: shareUuid, timestampMsBefore: nowMs })).toEqual([]);
  });

  it('leads through entries of one millisecond, each once', async () => {
    for (const name of ['A', 'B', 'C']) {
      await fixture.call('/api/camera/createSharedLiveVideoStream', {
        cameraUuid: fixture.own.camera.uuid,
        name,
      });
    }
    const { entries: all } = await find({});
    expect(all.length).toBeGreaterThan(4);
    const seen: string[] = [];
    let lastEvaluatedKey: string | undefined;
    do {
      const { entries, key } = await find({ maxPageSize: 2, lastEvaluatedKey });
      seen.push(...entries.map(({ uuid }) => uuid));
      lastEvaluatedKey = key;
    } while (lastEvaluatedKey !== undefined && seen.length <= all.length);
    expect(seen).toEqual(all.map(({ uuid }) => uuid));
  });

  it.each(['/api/report/findAuditEvents', '/api/report/getAuditFeed'])(
    'says at %s what happened, and to the role that only watches not from where, with what and by which guest',
    async (path) => {
      const { uuid: orgUuid } = fixture.own.organization;
      const share = (await fixture.store.shares.find(orgUuid, shareUuid))!;
      const guest = { address: '192.0.2.30', userAgent: 'Phone/2', email: 'ada@example.com' };
      fixture.audit.shareOpened(share, guest);
      const personal = ['192.0.2.', '127.0.0.1', 'Phone/', 'Desk/', 'ada@example.com'];
      const keys = {
        viewer: await addApiKey(fixture.store, orgUuid, { role: 'viewer' }),
        operator: await addApiKey(fixture.store, orgUuid, { role: 'operator' }),
      };
      const read = async (key: string) => {
        const { auditEvents } = await fixture.call(path, {}, { 'x-auth-apikey': key });
        return auditEvents as Entry[];
      };
      const [entries, whole] = [await read(keys.viewer), await read(keys.operator)];
      expect(personal.filter((part) => !JSON.stringify(whole).includes(part))).toEqual([]);
      expect(personal.filter((part) => JSON.stringify(entries).includes(part))).toEqual([]);
      expect(entries.map(({ uuid }) => uuid)).toEqual(whole.map(({ uuid }) => uuid));
      expect(Object.keys(entries[0]!)).toEqual(Object.keys(whole[0]!));
    },
  );

  it('lets no one who may not see addresses try them', async () => {
    const key = await addApiKey(fixture.store, fixture.own.organization.uuid, { role: 'viewer' });
    const asIt = { 'x-auth-apikey': key };
    for (const sourceIp of ['192.0.2.20', '192.0.2.99']) {
      const response = await fixture.post('/api/report/findAuditEvents', { sourceIp }, asIt);
      expect([response.statusCode, response.json().errorMsg]).toEqual([
        403,
        expect.stringContaining('role operator'),
      ]);
    }
  });

  it('refuses a key that it did not return', async () => {
    expect((await find({ lastEvaluatedKey: 'AAAA' })).answer).toMatchObject({
      error: true,
      errorMsg: expect.stringContaining('lastEvaluatedKey'),
    });
  });

  it('shows nothing of another organization', async () => {
    const headers = { 'x-auth-apikey': fixture.foreign.apiKey };
    for (const body of [{ targetUuid: shareUuid }, { principalUuid: shareUuid }, { about: 'VIEWS' }]) {
      expect(await fixture.call('/api/report/findAuditEvents', body, headers)).toEqual({
        error: false,
        auditEvents: [],
      });
    }
  });
});
