import { afterEach, beforeEach, expect, it } from 'vitest';
import { AuditTrail } from '../../audit/audit-trail.ts';
import { silentLog } from '../../core/log.ts';
import { openSharingFixture, type SharingFixture } from '../../sharing/sharing-fixture.ts';
import { buildFrontDoor } from '../build-front-door.ts';
import { FakeLiveCamera, FakeLiveCameras } from '../fake-live-camera.ts';
import { webAssetsOnDemand } from '../page/web-assets.ts';

let fixture: SharingFixture;
beforeEach(async () => {
  fixture = await openSharingFixture();
});
afterEach(() => fixture.close());

it('openings of a share are recorded with who opened it, refusals are not', async () => {
  const { store, clock, gate, sessions, counters, shares, tokens, orgUuid } = fixture;
  const audit = new AuditTrail({ store, clock, log: silentLog, maxRows: 250_000 });
  const cameras = new FakeLiveCameras();
  cameras.add(new FakeLiveCamera(fixture.camera.uuid));
  const publicMediaUrl = 'https://media.example/';
  const frontDoor = buildFrontDoor({
    gate,
    sessions,
    counters,
    clock,
    log: silentLog,
    cameras,
    stills: { still: async () => null },
    assets: webAssetsOnDemand({ publicMediaUrl }),
    readiness: async () => ({ ready: true, checks: {} }),
    publicMediaUrl,
    onShareOpened: (share, viewer) => audit.shareOpened(share, viewer),
  });
  const share = await shares.create(orgUuid, { ...fixture.request, name: 'Gate', password: 'sesame' });
  const open = (password: string) =>
    frontDoor.inject({
      method: 'POST',
      url: `/share/${tokens.tokenOf(share.uuid)}/open`,
      headers: { 'user-agent': 'browser' },
      payload: { password },
    });
  await open('wrong');
  expect((await open('sesame')).json()).toMatchObject({ status: 'open' });
  await audit.settled();
  const everything = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, includeActions: null, excludeActions: [] };
  const views = (await store.audit.list(orgUuid, { ...everything, limit: 10 })).filter(
    ({ action }) => action === 'VIEW_SHARE_STREAM',
  );
  expect(views).toMatchObject([
    {
      targetUuid: share.uuid,
      targetName: 'Gate',
      principal: { type: 'SHARED_STREAM', sourceIp: '127.0.0.1', userAgent: 'browser' },
    },
  ]);
  await frontDoor.close();
  await audit.close();
});
