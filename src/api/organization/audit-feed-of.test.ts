import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid } from '../../core/ruuid.ts';
import { type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
  for (const name of ['First', 'Second', 'Third']) {
    await fixture.call('/api/org/updateDetails', { name });
  }
});
afterEach(() => fixture.close());

const actionsOf = (response: Record<string, unknown>) =>
  (response.auditEvents as { action: string }[]).map(({ action }) => action);

describe.each([
  ['/api/report/getAuditFeedForPrincipal', 'principalUuid', () => fixture.own.key.uuid],
  ['/api/report/getAuditFeedForTarget', 'targetUuid', () => fixture.own.organization.uuid],
] as const)('%s', (path, field, uuid) => {
  it('lists the newest entries, and says if there are more', async () => {
    const all = await fixture.call(path, { [field]: uuid() });
    expect(actionsOf(all)).toHaveLength(3);
    expect(all.warningMsg).toBeUndefined();
    const some = await fixture.call(path, { [field]: uuid(), maxResults: 2 });
    expect(some.auditEvents).toEqual((all.auditEvents as object[]).slice(0, 2));
    expect(some.warningMsg).toContain('There are older entries');
  });

  it('lists nothing of others, of another organization, or to a viewer that it must not see', async () => {
    expect(actionsOf(await fixture.call(path, { [field]: newRuuid() }))).toEqual([]);
    const foreign = { 'x-auth-apikey': fixture.foreign.apiKey };
    expect(actionsOf(await fixture.call(path, { [field]: uuid() }, foreign))).toEqual([]);
    const viewer = await addApiKey(fixture.store, fixture.own.organization.uuid, { role: 'viewer' });
    const { auditEvents } = await fixture.call(path, { [field]: uuid() }, { 'x-auth-apikey': viewer });
    for (const event of auditEvents as object[]) expect(event).toMatchObject({ sourceIp: '', userAgent: '' });
    expect(await fixture.call(path, {})).toMatchObject({ errorMsg: `${field} is required.` });
  });
});

describe('/api/report/getAuditFeed of a camera', () => {
  const path = '/api/report/getAuditFeed';
  const targets = (answer: Record<string, unknown>) =>
    (answer.auditEvents as { targetUuid: string }[]).map(({ targetUuid }) => targetUuid);

  it('lists the camera, its links, and walls that show it with their links, and nothing else', async () => {
    const { camera, doorbell } = fixture.own;
    const share = async (cameraUuid: string) =>
      (await fixture.call('/api/camera/createSharedLiveVideoStream', { cameraUuid }))
        .sharedLiveVideoStreamUuid as string;
    const wall = async (deviceList: readonly string[]) => {
      const videoWall = { displayName: 'Lobby', deviceList };
      const { uuid } = await fixture.call('/api/camera/createVideoWall', { videoWall });
      const made = await fixture.call('/api/camera/createSharedVideoWall', { videoWallUuid: uuid });
      return [uuid as string, made.sharedLiveVideoStreamUuid as string];
    };
    const own = [await share(camera.uuid), ...(await wall([camera.uuid, doorbell.uuid]))];
    const others = [await share(doorbell.uuid), ...(await wall([doorbell.uuid]))];
    const found = targets(await fixture.call(path, { cameraUuid: camera.uuid }));
    expect(found.toSorted()).toEqual(own.toSorted());
    const all = targets(await fixture.call(path, {}));
    expect(all).toEqual(expect.arrayContaining([...own, ...others]));
    const views = { cameraUuid: camera.uuid, includeActions: ['VIEW_SHARE_STREAM'] };
    expect(targets(await fixture.call(path, views))).toEqual([]);
  });

  it('lists nothing of a camera of another organization', async () => {
    await fixture.call('/api/camera/createSharedLiveVideoStream', { cameraUuid: fixture.own.camera.uuid });
    const foreign = { 'x-auth-apikey': fixture.foreign.apiKey };
    const answer = await fixture.call(path, { cameraUuid: fixture.own.camera.uuid }, foreign);
    expect(targets({ auditEvents: [], ...answer })).toEqual([]);
  });
});
