import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Ruuid } from '../core/ruuid.ts';
import type { Role } from '../store/person.ts';
import { maskedCameraUuid, type PrivacyMask } from '../store/privacy-mask.ts';
import {
  sampleApiKey,
  sampleConsoleSession,
  sampleOrganization,
  samplePerson,
} from '../store/sample-entities-fixture.ts';
import type { DeviceOpeningRequest } from './device-gate.ts';
import { openSharingFixture, type SharingFixture } from './sharing-fixture.ts';
import type { ViewerSession } from './viewer-session.ts';

let fixture: SharingFixture;
beforeEach(async () => {
  fixture = await openSharingFixture();
});
afterEach(() => fixture.close());

const corner = (xPermyriad: number, yPermyriad: number) => ({ xPermyriad, yPermyriad });
const MASKS: PrivacyMask[] = [{ name: '', points: [corner(0, 0), corner(9, 0), corner(0, 9)] }];

/** As the API does: stored, and then in force. */
async function setMasks(masks: readonly PrivacyMask[], masksForViewers: boolean): Promise<void> {
  const { store, devices, orgUuid, camera } = fixture;
  const record = { masks, masksForViewers };
  await store.cameras.change(orgUuid, camera.uuid, (known) => ({ ...known!, ...record }));
  devices.applied({ kind: 'masks', uuid: camera.uuid, record });
}

type Caller = Pick<DeviceOpeningRequest, 'principal' | 'actor'>;

async function personWith(role: Role, orgUuid = fixture.orgUuid): Promise<Caller> {
  const { store, clock } = fixture;
  const person = samplePerson(orgUuid, { role });
  const session = sampleConsoleSession(person, { createdAtMs: clock.epochMs() });
  await store.people.save(person);
  await store.consoleSessions.save(session);
  return { principal: { kind: 'person', uuid: session.uuid }, actor: person };
}

async function keyWith(role: Role): Promise<Caller> {
  const key = { ...sampleApiKey(fixture.orgUuid), role };
  await fixture.store.apiKeys.save(key);
  return { principal: { kind: 'key', uuid: key.uuid }, actor: key };
}

async function watch(caller: Caller): Promise<{ session: ViewerSession; shown: Ruuid; ends: string[] }> {
  const opened = await fixture.deviceGate.open({
    ...caller,
    namedOrgUuid: null,
    deviceUuid: fixture.camera.uuid,
    address: '192.0.2.1',
  });
  if (!opened.allowed) throw new Error(`refused: ${opened.reason}`);
  const session = fixture.sessions.access(opened.grantText);
  if (!session.allowed) throw new Error(`refused: ${session.reason}`);
  expect(session.cameraUuid).toBe(opened.shownUuid);
  const ends: string[] = [];
  session.waiting.add({ onCutOff: ({ reason }) => void ends.push(reason) });
  return { session, shown: opened.shownUuid, ends };
}

const masked = () => maskedCameraUuid(fixture.camera.uuid, MASKS);

describe.each([
  ['a person', personWith],
  ['a key', keyWith],
])('%s', (_what, callerWith) => {
  it('with the role viewer sees the masks of a camera that says so, and no other role does', async () => {
    const own = fixture.camera.uuid;
    const shownTo = async (role: Role) => (await watch(await callerWith(role))).shown;
    await setMasks(MASKS, false);
    expect(await shownTo('viewer')).toBe(own);
    await setMasks(MASKS, true);
    expect(await shownTo('viewer')).toBe(masked());
    expect([await shownTo('operator'), await shownTo('admin')]).toEqual([own, own]);
    await setMasks([], true);
    expect(await shownTo('viewer')).toBe(own);
  });

  it('is cut off when the masks begin or cease to apply, or are others', async () => {
    const caller = await callerWith('viewer');
    const operator = await watch(await callerWith('operator'));
    for (const [masks, forViewers] of [
      [MASKS, true],
      [[], true],
      [MASKS, true],
      [MASKS, false],
    ] as const) {
      const { ends } = await watch(caller);
      await setMasks(masks, forViewers);
      expect(ends).toEqual(['grant-expired']);
    }
    expect(operator.ends).toEqual([]);
  });
});

it('a person whose role changes is cut off, and sees what the new role sees', async () => {
  await setMasks(MASKS, true);
  const caller = await personWith('operator');
  const { ends, shown } = await watch(caller);
  const { orgUuid, uuid } = caller.actor;
  const record = { ...(await fixture.store.people.find(orgUuid, uuid))!, role: 'viewer' } as const;
  fixture.devices.applied({ kind: 'person', uuid, record });
  expect([ends, shown]).toEqual([['grant-expired'], fixture.camera.uuid]);
  expect((await watch(caller)).shown).toBe(masked());
});

it('viewers of another organization do not see the camera, with masks or without', async () => {
  await setMasks(MASKS, true);
  const foreign = sampleOrganization();
  await fixture.store.organizations.save(foreign);
  await expect(watch(await personWith('viewer', foreign.uuid))).rejects.toThrow('refused: unknown');
});
