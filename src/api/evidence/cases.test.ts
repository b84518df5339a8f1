import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CASES } from '../../cases/case-records.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { SHARED_GROUPS } from '../../sharing/shared-group.ts';
import { MAX_SHARED_GROUPS } from '../../sharing/shared-group-service.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const FROM_MS = Date.UTC(2026, 0, 1);
const TIME = { fromMs: FROM_MS, toMs: FROM_MS + 60_000 };

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

const call = (operation: string, body: object, headers?: Record<string, string>) =>
  fixture.call(`/api/evidence/${operation}`, body, headers);
const foreign = () => ({ 'x-auth-apikey': fixture.foreign.apiKey });

async function openCase(headers?: Record<string, string>): Promise<string> {
  const { case: opened } = await call('createCase', { title: 'Theft', number: '17' }, headers);
  return (opened as { uuid: string }).uuid;
}

describe('cases and legal holds', () => {
  it('hold what is added, for their organization alone', async () => {
    const { own, store } = fixture;
    const cameraUuid = own.camera.uuid;
    const caseUuid = await openCase();
    const { item } = await call('addToCase', { caseUuid, cameraUuid, ...TIME, note: 'Left' });
    expect(item).toMatchObject({ cameraUuid, ...TIME, note: 'Left' });
    const { holds, allowedBytes } = await call('findHolds', { cameraUuid });
    expect(holds).toMatchObject([{ cameraUuid, ...TIME, caseUuid, reason: 'Case 17 Theft' }]);
    expect(allowedBytes).toBeUndefined();
    expect(await call('findCases', {})).toMatchObject({
      cases: [{ uuid: caseUuid, state: 'open', items: [item], hiddenItems: 0 }],
    });
    expect(await call('findCases', {}, foreign())).toMatchObject({ cases: [] });
    expect(await call('findHolds', {}, foreign())).toMatchObject({ holds: [] });
    expect(await call('getCase', { caseUuid }, foreign())).toMatchObject({
      error: true,
      errorMsg: 'There is no case with this UUID.',
    });
    expect(await store.recordingHolds.list()).toHaveLength(1);
    await call('deleteCase', { caseUuid });
    expect(await store.recordingHolds.list()).toEqual([]);
  });

  it('name either a time of a camera of the organization, or a clip', async () => {
    const { own, foreign: other } = fixture;
    const reason = 'Theft';
    const cameraUuid = own.camera.uuid;
    expect(await call('createHold', { reason, cameraUuid, ...TIME })).toMatchObject({ error: false });
    for (const named of [
      {},
      { cameraUuid },
      { cameraUuid, fromMs: 1 },
      { cameraUuid, ...TIME, clipUuid: cameraUuid },
      { cameraUuid: other.camera.uuid, ...TIME },
      { clipUuid: cameraUuid },
    ]) {
      expect(await call('createHold', { reason, ...named })).toMatchObject({ error: true });
    }
    expect((await call('findHolds', {})).holds).toHaveLength(1);
  });

  it('have links, which end when the case is reopened or deleted, and are not listed for others', async () => {
    const [caseUuid, other] = [await openCase(), await openCase()];
    const terms = { plaintextPassword: 'open sesame', expirationTimeSecs: 3_600 };
    const made = await call('createCaseLink', { caseUuid, ...terms });
    await call('createCaseLink', { caseUuid: other });
    const { links } = await call('findCaseLinks', { caseUuid });
    expect(links).toEqual([
      {
        sharedClipGroupUuid: made.sharedClipGroupUuid,
        shareUrl: made.shareUrl,
        createdAtMs: expect.any(Number),
        expirationTimeSecs: expect.any(Number),
        isSecured: true,
      },
    ]);
    expect(await call('findCaseLinks', { caseUuid }, foreign())).toMatchObject({ error: true });
    await call('reopenCase', { caseUuid });
    expect((await call('findCaseLinks', { caseUuid })).links).toEqual([]);
    await call('deleteCase', { caseUuid: other });
    const { sharedClipGroups } = await fixture.call('/api/event/getSharedClipGroupsV2', {});
    expect(sharedClipGroups).toEqual([]);
  });

  it('are saved by an address of their own once they are sealed', async () => {
    const caseUuid = await openCase();
    expect(await call('createCaseDownload', { caseUuid })).toMatchObject({
      error: true,
      errorMsg: 'The case is not sealed, so it has no archive.',
    });
    const cases = fixture.store.resources.of(CASES);
    const { uuid: orgUuid } = fixture.own.organization;
    await cases.change(orgUuid, caseUuid as Ruuid, (now) => ({
      ...now!,
      body: { ...now!.body, state: 'sealed' },
    }));
    const { downloadUrl } = await call('createCaseDownload', { caseUuid });
    expect(downloadUrl).toMatch(/\/clips\/[\w-]+\/download$/);
    expect((await call('findCaseLinks', { caseUuid })).links).toEqual([]);
    const groups = fixture.store.resources.of(SHARED_GROUPS.clip);
    const [group] = await groups.list(orgUuid);
    await groups.saveAll(
      Array.from({ length: MAX_SHARED_GROUPS - 1 }, () => ({ ...group!, uuid: newRuuid() })),
    );
    expect(await call('createCaseDownload', { caseUuid })).toMatchObject({ error: true });
    expect(await call('createCaseLink', { caseUuid: await openCase(foreign()) }, foreign())).toMatchObject({
      error: false,
    });
  });

  it('are released with an audit row, and certificates are there before the first recording', async () => {
    const { own } = fixture;
    const held = { reason: 'Theft', cameraUuid: own.camera.uuid, ...TIME };
    const { hold } = await call('createHold', held);
    await call('releaseHold', { holdUuid: (hold as { uuid: string }).uuid });
    const { auditEvents } = await fixture.call('/api/report/getAuditFeed', {});
    const actions = (auditEvents as { action: string }[]).map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['HOLD_CREATE', 'HOLD_DELETE']));
    const { certificates } = await call('getSigningCertificates', {});
    expect(certificates).toMatchObject([
      { generation: 1, fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
  });

  it('cannot be sealed empty, and says that nothing was recorded', async () => {
    const caseUuid = await openCase();
    expect(await call('sealCase', { caseUuid })).toMatchObject({ error: true });
    const cameraUuid = fixture.own.camera.uuid;
    expect(await call('validateRecording', { cameraUuid, ...TIME })).toMatchObject({
      segments: 0,
      isWhole: true,
    });
    const tooLong = { cameraUuid, fromMs: FROM_MS, toMs: FROM_MS + 3_600_001 };
    expect(await call('validateRecording', tooLong)).toMatchObject({ error: true });
  });
});
