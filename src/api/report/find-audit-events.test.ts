import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Ruuid } from '../../core/ruuid.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

let fixture: ApiFixture;
let shareUuid: Ruuid;
beforeEach(async () => {
  fixture = await openApiFixture();
  const created = await fixture.call('/api/camera/createSharedLiveVideoStream', {
    ...{ cameraUuid: fixture.own.camera.uuid, name: 'Gate' },
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
        ...{ cameraUuid: fixture.own.camera.uuid, name },
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
        ...{ error: false, auditEvents: [] },
      });
    }
  });
});
