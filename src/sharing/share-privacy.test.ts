import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Share } from '../store/entities.ts';
import { maskedCameraUuid, type PrivacyMask, shownCameraUuid } from '../store/privacy-mask.ts';
import type { AccessRefused } from './access-decision.ts';
import { PastAccess } from './past-access.ts';
import { ShareDirectory } from './share-directory.ts';
import { openSharingFixture, type SharingFixture } from './sharing-fixture.ts';
import type { ViewerSession } from './viewer-session.ts';

let fixture: SharingFixture;
beforeEach(async () => {
  fixture = await openSharingFixture();
});
afterEach(() => fixture.close());

const DOOR = maskFrom(1_000);
const WINDOW = maskFrom(6_000);

function maskFrom(left: number): PrivacyMask {
  const corner = (xPermyriad: number, yPermyriad: number) => ({ xPermyriad, yPermyriad });
  return { name: '', points: [corner(left, 0), corner(left + 2_000, 0), corner(left, 9_000)] };
}

/** As the API does: the change is stored, and then in force. */
async function setMasks(...masks: readonly PrivacyMask[]): Promise<void> {
  const { store, directory, orgUuid, camera } = fixture;
  await store.cameras.change(orgUuid, camera.uuid, (known) => ({ ...known!, masks }));
  await directory.applied({
    kind: 'masks',
    uuid: camera.uuid,
    record: { orgUuid, masks, masksForViewers: false },
  });
}

const share = (fields: object = {}) =>
  fixture.shares.create(fixture.orgUuid, { ...fixture.request, ...fields });

const viewOf = ({ uuid }: Pick<Share, 'uuid'>) => fixture.directory.find(uuid)!;

const grantFor = ({ uuid, accessEpoch }: Share) =>
  fixture.grants.issue(uuid, accessEpoch, fixture.clock.epochMs() / 1_000 + 86_400);

function enter(grantText: string): ViewerSession {
  const access = fixture.sessions.access(grantText);
  if (!access.allowed) throw new Error(`refused: ${access.reason}`);
  return access;
}

function cutOffs(session: ViewerSession): AccessRefused[] {
  const refusals: AccessRefused[] = [];
  session.waiting.add({ onCutOff: (refusal) => void refusals.push(refusal) });
  return refusals;
}

const masked = (...masks: readonly PrivacyMask[]): Ruuid => maskedCameraUuid(fixture.camera.uuid, masks);

describe('the cameras with masks', () => {
  it('are those whose masks are in force', async () => {
    const { directory, camera, orgUuid } = fixture;
    const changed: Ruuid[] = [];
    directory.masked.onChange((uuid) => void changed.push(uuid));
    await setMasks(DOOR);
    await setMasks({ ...DOOR, name: 'renamed' });
    await setMasks(WINDOW);
    expect(changed).toEqual([masked(DOOR), masked(DOOR), masked(WINDOW)]);
    expect([DOOR, WINDOW].map((mask) => directory.masked.find(masked(mask)) !== null)).toEqual([false, true]);
    await directory.refresh();
    expect(changed).toHaveLength(3);
    await fixture.store.cameras.remove(orgUuid, camera.uuid);
    await directory.settled();
    expect([changed.at(-1), directory.masked.find(masked(WINDOW))]).toEqual([masked(WINDOW), null]);
  });

  it('are known after a restart', async () => {
    await setMasks(DOOR);
    const { store, clock } = fixture;
    const opened = await ShareDirectory.open({ store, clock, log: silentLog });
    expect(opened.masked.find(masked(DOOR))).toMatchObject({ masks: [DOOR] });
    opened.close();
  });
});

describe('a link of a camera with masks', () => {
  it('shows the masked camera, and its past', async () => {
    await setMasks(DOOR);
    const made = await share({ vodEnabled: true });
    const view = viewOf(made);
    expect([view.isMasked, view.share.cameraUuid]).toEqual([true, masked(DOOR)]);
    expect(view.stored.cameraUuid).toBe(fixture.camera.uuid);
    expect(fixture.directory.masked.find(masked(DOOR))).toEqual({
      cameraUuid: fixture.camera.uuid,
      masks: [DOOR],
    });
    const session = enter(grantFor(made));
    expect(session).toMatchObject({ cameraUuid: masked(DOOR), deviceUuid: fixture.camera.uuid });
    const past = new PastAccess(fixture.directory, fixture.clock);
    expect(past.spans(session, 0, fixture.clock.epochMs())).toHaveLength(1);
  });

  it('counts its viewers as the camera’s', async () => {
    await setMasks(DOOR);
    enter(grantFor(await share()));
    expect([...fixture.sessions.viewersByCamera()]).toEqual([[fixture.camera.uuid, 1]]);
  });

  it('shows the camera itself only if it says so', async () => {
    await setMasks(DOOR);
    const made = await share({ showsUnmasked: true });
    expect(viewOf(made)).toMatchObject({ isMasked: false, share: { cameraUuid: fixture.camera.uuid } });
    const session = enter(grantFor(made));
    const refusals = cutOffs(session);
    await fixture.shares.update(fixture.orgUuid, made.uuid, { showsUnmasked: false });
    expect(refusals).toMatchObject([{ reason: 'grant-expired' }]);
    expect(enter(grantFor(made)).cameraUuid).toBe(masked(DOOR));
  });

  it('is cut off by each change of the masks, before the call that made it returns', async () => {
    const made = await share();
    const grantText = grantFor(made);
    for (const masks of [[DOOR], [DOOR, WINDOW], [WINDOW], []]) {
      const refusals = cutOffs(enter(grantText));
      await setMasks(...masks);
      expect(refusals).toMatchObject([{ reason: 'grant-expired' }]);
      expect(enter(grantText).cameraUuid).toBe(shownCameraUuid(fixture.camera.uuid, masks));
    }
  });

  it('stays with another name of a mask', async () => {
    await setMasks(DOOR);
    const refusals = cutOffs(enter(grantFor(await share())));
    await setMasks({ ...DOOR, name: 'Door' });
    expect(refusals).toEqual([]);
  });

  it('is cut off when another process changes the masks', async () => {
    const refusals = cutOffs(enter(grantFor(await share())));
    const { store, orgUuid, camera } = fixture;
    await store.cameras.change(orgUuid, camera.uuid, (known) => ({ ...known!, masks: [DOOR] }));
    await fixture.directory.settled();
    expect(refusals).toMatchObject([{ reason: 'grant-expired' }]);
  });

  it('shows nothing if the camera is not known', async () => {
    const made = await share();
    await fixture.store.cameras.remove(fixture.orgUuid, fixture.camera.uuid);
    await fixture.directory.settled();
    expect(viewOf(made).share.cameraUuid).toBe(shownCameraUuid(fixture.camera.uuid, null));
    expect(viewOf(made).share.cameraUuid).not.toBe(fixture.camera.uuid);
  });

  it('as a wall has masked tiles, unless the wall’s share says otherwise', async () => {
    await setMasks(DOOR);
    const { orgUuid, camera } = fixture;
    const wall = await fixture.videoWalls.create(orgUuid, {
      name: 'Control room',
      deviceList: [camera.uuid],
    });
    const shown = async (showsUnmasked: boolean) => {
      const { uuid } = await fixture.wallShares.create(orgUuid, {
        wallUuid: wall.uuid,
        vodEnabled: true,
        showsUnmasked,
      });
      const near: Ruuid[] = [];
      const opened = await fixture.wallGate.open({
        wallToken: fixture.wallTokens.tokenOf(uuid),
        password: null,
        address: '192.0.2.1',
        onNear: (members) => void near.push(...members.map((member) => member.share.cameraUuid)),
      });
      if (!opened.allowed) throw new Error(opened.reason);
      const [tile] = opened.tiles;
      if (tile?.allowed !== true) throw new Error('no tile');
      const { cameraUuid, vodEnabled } = tile.member.share;
      return { near, cameraUuid, vodEnabled, session: enter(tile.grantText).cameraUuid };
    };
    const uuid = masked(DOOR);
    expect(await shown(false)).toEqual({ near: [uuid], cameraUuid: uuid, vodEnabled: true, session: uuid });
    const own = camera.uuid;
    expect(await shown(true)).toEqual({ near: [own], cameraUuid: own, vodEnabled: true, session: own });
  });
});
