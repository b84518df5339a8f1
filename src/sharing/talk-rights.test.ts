import { afterEach, beforeEach, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import type { Share } from '../store/entities.ts';
import type { Grant } from './grant.ts';
import type { NewShareRequest } from './share-service.ts';
import { openSharingFixture, type SharingFixture } from './sharing-fixture.ts';
import { TalkRights } from './talk-rights.ts';

let fixture: SharingFixture;
let rights: TalkRights;
beforeEach(async () => {
  fixture = await openSharingFixture();
  rights = new TalkRights({ talkerOf: () => null }, fixture.directory);
});
afterEach(() => fixture.close());

function share(fields: Partial<NewShareRequest> = {}): Promise<Share> {
  const camera = { camera: fixture.camera, cameraFacet: '' };
  return fixture.shares.create(fixture.orgUuid, {
    ...camera,
    streamType: 'USER',
    vodEnabled: false,
    ...fields,
  });
}

const actorOf = ({ uuid }: Pick<Share, 'uuid'>, isProbe = false) =>
  rights.actorOf({ grant: { of: 'share', shareUuid: uuid } as Grant, isProbe });

it('lets viewers of a link talk if its owner allows it, by the name of the link', async () => {
  const { uuid } = await share({ name: 'Gate', talk: true });
  expect(actorOf({ uuid })).toEqual({ uuid, name: 'Gate', scheme: 'link' });
  expect(actorOf(await share())).toBeNull();
  expect([actorOf({ uuid }, true), actorOf({ uuid: newRuuid() })]).toEqual([null, null]);
});

it('ends with the permission, and with the link', async () => {
  const made = await share({ talk: true });
  const { orgUuid, shares } = fixture;
  await shares.update(orgUuid, made.uuid, { talk: false });
  expect(actorOf(made)).toBeNull();
  await shares.update(orgUuid, made.uuid, { talk: true });
  expect(actorOf(made)).not.toBeNull();
  await shares.remove(orgUuid, made.uuid);
  expect(actorOf(made)).toBeNull();
});

it('is refused to links without audio', async () => {
  const failure = { code: 'SHARE_TALK_NEEDS_AUDIO' };
  await expect(share({ talk: true, includeAudio: false })).rejects.toMatchObject(failure);
  const made = await share({ includeAudio: false });
  const update = fixture.shares.update(fixture.orgUuid, made.uuid, { talk: true });
  await expect(update).rejects.toMatchObject(failure);
  expect(fixture.directory.find(made.uuid)?.stored.talk).toBe(false);
});
