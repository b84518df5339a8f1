/** Views of devices by people who are signed in to the console: who may begin one, and what ends it. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { CONSOLE_SESSION_MAX_MS } from '../accounts/console-session.ts';
import { eventually } from '../core/eventually-fixture.ts';
import { silentLog } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { ConsoleSession, Person } from '../store/person.ts';
import {
  sampleCamera,
  sampleConsoleSession,
  sampleLocation,
  sampleOrganization,
  samplePerson,
} from '../store/sample-entities-fixture.ts';
import { DeviceDirectory } from './device-directory.ts';
import type { OpenedDevice } from './device-gate.ts';
import { openSharingFixture, type SharingFixture } from './sharing-fixture.ts';
import { RECHECK_MS, ViewerSessions } from './viewer-sessions.ts';

let fixture: SharingFixture;
let person: Person;
let session: ConsoleSession;
beforeEach(async () => {
  fixture = await openSharingFixture();
  const { store, clock, orgUuid } = fixture;
  person = samplePerson(orgUuid, { role: 'viewer' });
  session = sampleConsoleSession(person, { createdAtMs: clock.epochMs() });
  await store.people.save(person);
  await store.consoleSessions.save(session);
});
afterEach(() => fixture.close());

const NOTHING = { locationUuids: [], cameraUuids: [] };
const principal = () => ({ kind: 'person', uuid: session.uuid }) as const;

async function open(): Promise<OpenedDevice> {
  const opened = await fixture.deviceGate.open({
    principal: principal(),
    actor: person,
    namedOrgUuid: null,
    deviceUuid: fixture.camera.uuid,
    address: '192.0.2.1',
  });
  if (!opened.allowed) throw new Error(`refused: ${opened.reason}`);
  return opened;
}

/** A running view, and why it was ended. */
async function view(sessions = fixture.sessions): Promise<() => string[]> {
  const running = sessions.access((await open()).grantText);
  if (!running.allowed) throw new Error(`refused: ${running.reason}`);
  const reasons: string[] = [];
  running.waiting.add({ onCutOff: ({ reason }) => void reasons.push(reason) });
  return () => reasons;
}

it('opens the cameras of the person’s organization, under the person’s name', async () => {
  const { actorUuid, device } = await open();
  expect([actorUuid, device.uuid]).toEqual([person.uuid, fixture.camera.uuid]);
  expect(fixture.devices.actorOf(principal())).toEqual({
    uuid: person.uuid,
    name: person.name,
    scheme: 'person',
  });
  const foreign = sampleOrganization();
  await fixture.store.organizations.save(foreign);
  const camera = sampleCamera(foreign.uuid);
  await fixture.store.cameras.save(camera);
  await eventually('the directory knows the camera', () => fixture.devices.find(camera.uuid) !== null);
  const opened = await fixture.deviceGate.open({
    principal: principal(),
    actor: person,
    namedOrgUuid: null,
    deviceUuid: camera.uuid,
    address: '192.0.2.1',
  });
  expect(opened).toMatchObject({ allowed: false, reason: 'unknown' });
});

it.each([
  [
    'the session ends',
    () => fixture.devices.applied({ kind: 'consoleSession', uuid: session.uuid, record: null }),
  ],
  [
    'the person is disabled',
    () =>
      fixture.devices.applied({ kind: 'person', uuid: person.uuid, record: { ...person, disabled: true } }),
  ],
  [
    'the person is removed',
    () => fixture.devices.applied({ kind: 'person', uuid: person.uuid, record: null }),
  ],
  [
    'the person is limited to other cameras',
    () =>
      fixture.devices.applied({ kind: 'person', uuid: person.uuid, record: { ...person, scope: NOTHING } }),
  ],
])('ends before any event when %s', async (_what, end) => {
  const reasons = await view();
  end();
  expect(reasons()).toEqual(['credential-ended']);
});

it('ends with the session, at the latest after 30 days', async () => {
  await open();
  fixture.clock.advance(CONSOLE_SESSION_MAX_MS);
  await expect(open()).rejects.toThrow('credential-ended');
});

it.each([
  [
    'ends the session',
    (other: SharingFixture['store']) => other.consoleSessions.remove(person.orgUuid, session.uuid),
  ],
  [
    'disables the person',
    (other: SharingFixture['store']) => other.people.save({ ...person, disabled: true }),
  ],
  [
    'removes the person',
    (other: SharingFixture['store']) => other.people.remove(person.orgUuid, person.uuid),
  ],
  [
    'limits the person to other cameras',
    (other: SharingFixture['store']) => other.people.save({ ...person, scope: NOTHING }),
  ],
])('ends within a look when another process %s, which no event announces', async (_what, end) => {
  const { store, clock, directory, grants, counters, deviceGrants } = fixture;
  const silentStore = { ...store, onChange: () => () => undefined };
  const devices = await DeviceDirectory.open({ store: silentStore, clock, log: silentLog });
  const sessions = new ViewerSessions({
    directory,
    grants,
    counters,
    clock,
    maxViewersPerShare: null,
    devices: { directory: devices, grants: deviceGrants },
  });
  const reasons = await view(sessions);
  await end(store);
  expect(reasons()).toEqual([]);
  clock.advance(RECHECK_MS);
  await eventually('the view ends', () => reasons().length > 0);
  expect(reasons()).toEqual(['credential-ended']);
  sessions.close();
  devices.close();
});

it.each(['console', 'person'] as const)(
  'end with the %s although the store has it as working, also after a restart',
  async (kind) => {
    const reasons = await view();
    const request =
      kind === 'console'
        ? ({ kind, uuid: session.uuid, ofPerson: null } as const)
        : ({ kind, uuid: person.uuid, isRemoved: true } as const);
    const { store, clock, orgUuid, devices, camera } = fixture;
    expect(devices.endAccess(sampleOrganization().uuid, request)).toBe('unknown');
    expect(reasons()).toEqual([]);
    expect(devices.endAccess(orgUuid, request)).toMatchObject({ record: null });
    expect(reasons()).toEqual(['credential-ended']);
    await devices.refresh();
    expect(devices.decideFor(principal(), camera.uuid, clock.epochMs())).toMatchObject({ allowed: false });
    const next = await DeviceDirectory.open({ store, clock, log: silentLog });
    next.endCredential({ orgUuid, uuid: request.uuid });
    expect(next.decideFor(principal(), camera.uuid, clock.epochMs())).toMatchObject({ allowed: false });
    next.credentialEndStored({ orgUuid, uuid: request.uuid });
    expect(next.decideFor(principal(), camera.uuid, clock.epochMs())).toMatchObject({ allowed: true });
    next.close();
  },
);

it('ends when the camera, or its location, moves out of the sites of the person', async () => {
  const { store, camera, orgUuid } = fixture;
  const [site, within] = [sampleLocation(orgUuid), sampleLocation(orgUuid)];
  await store.locations.save(site);
  await store.locations.save({ ...within, parentUuid: site.uuid });
  const at = (locationUuid: Ruuid | null) => store.cameras.save({ ...camera, locationUuid });
  const isIn = (siteUuid: Ruuid) =>
    eventually('the directory knows the place', () =>
      fixture.devices.find(camera.uuid)?.siteUuids.includes(siteUuid),
    );
  await at(within.uuid);
  await isIn(site.uuid);
  const scope = { locationUuids: [site.uuid], cameraUuids: [] };
  fixture.devices.applied({ kind: 'person', uuid: person.uuid, record: { ...person, scope } });
  const first = await view();
  await store.locations.save({ ...within, parentUuid: null });
  await eventually('the view ends', () => first().length > 0);
  await at(site.uuid);
  await isIn(site.uuid);
  const second = await view();
  await at(null);
  await eventually('the view ends', () => second().length > 0);
  expect([first(), second()]).toEqual([['credential-ended'], ['credential-ended']]);
});
