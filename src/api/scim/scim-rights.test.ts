/** What groups of a directory may do, as administrators map them. */

import { beforeEach, expect, it, onTestFinished } from 'vitest';
import type { Ruuid } from '../../core/ruuid.ts';
import { sampleLocation } from '../../store/sample-entities-fixture.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';
import { addPerson, signedIn } from '../console-fixture.ts';
import { ScimTester } from '../scim-fixture.ts';

let fixture: ApiFixture;
let scim: ScimTester;
let orgUuid: Ruuid;

beforeEach(async () => {
  fixture = await openApiFixture({ limits: { requestsPerOrg: { burst: 100_000, perSec: 100_000 } } });
  const opened = fixture;
  onTestFinished(() => opened.close());
  scim = await ScimTester.open(fixture, fixture.own);
  orgUuid = fixture.own.organization.uuid;
});

const NOTHING = { role: 'viewer', scope: { locationUuids: [], cameraUuids: [] } };

const map = (group: string, role: string, locationUuids?: readonly string[]) =>
  fixture.call('/api/console/setScimMapping', {
    group,
    role,
    ...(locationUuids === undefined ? {} : { scope: { locationUuids, cameraUuids: [] } }),
  });

/** Sites in order: which of two was made first is not told. */
async function rightsOf(id: string) {
  const person = await fixture.store.people.find(orgUuid, id as Ruuid);
  const scope = person?.scope ?? null;
  const { locationUuids = [], cameraUuids = [] } = scope ?? {};
  return {
    role: person?.role,
    scope: scope === null ? null : { locationUuids: locationUuids.toSorted(), cameraUuids },
  };
}

async function addSite(): Promise<Ruuid> {
  const site = sampleLocation(orgUuid);
  await fixture.store.locations.save(site);
  return site.uuid;
}

const addMember = (group: string, value: string) =>
  scim.patch(`/Groups/${group}`, [{ op: 'Add', path: 'members', value: [{ value }] }]);
const removeMember = (group: string, value: string) =>
  scim.patch(`/Groups/${group}`, [{ op: 'remove', path: `members[value eq "${value}"]` }]);

it('gives members the role and the sites of their groups together, and takes them again', async () => {
  const [harbor, yard] = [await addSite(), await addSite()];
  const { id } = await scim.user('ada@example.com');
  await map('harbor guards', 'viewer', [harbor]);
  await map('yard-id', 'operator', [yard]);
  const one = await scim.group('Harbor Guards', [id]);
  expect(await rightsOf(id)).toEqual({ role: 'viewer', scope: { locationUuids: [harbor], cameraUuids: [] } });
  const two = await scim.group('Yard', [], { externalId: 'yard-id' });
  await addMember(two.id, id);
  expect(await rightsOf(id)).toEqual({
    role: 'operator',
    scope: { locationUuids: [harbor, yard].toSorted(), cameraUuids: [] },
  });
  await removeMember(two.id, id);
  expect(await rightsOf(id)).toEqual({ role: 'viewer', scope: { locationUuids: [harbor], cameraUuids: [] } });
  await scim.remove(`/Groups/${one.id}`);
  expect(await rightsOf(id)).toEqual(NOTHING);
});

it('gives the whole organization if one group has it, and admin without sites', async () => {
  await addPerson(fixture, fixture.own, 'admin');
  const { id } = await scim.user('ada@example.com');
  await map('A', 'operator', [await addSite()]);
  await map('B', 'viewer');
  await map('C', 'admin');
  await scim.group('A', [id]);
  await scim.group('B', [id]);
  expect(await rightsOf(id)).toEqual({ role: 'operator', scope: null });
  const { id: group } = await scim.group('C', [id]);
  expect(await rightsOf(id)).toEqual({ role: 'admin', scope: null });
  await removeMember(group, id);
  expect(await rightsOf(id)).toEqual({ role: 'operator', scope: null });
});

it('applies a mapping to members that are there, and its removal', async () => {
  const { id } = await scim.user('ada@example.com');
  await scim.group('Guards', [id]);
  expect(await rightsOf(id)).toEqual(NOTHING);
  const { mapping } = await map('guards', 'operator');
  expect(await rightsOf(id)).toEqual({ role: 'operator', scope: null });
  await map('GUARDS', 'viewer');
  expect(await rightsOf(id)).toEqual({ role: 'viewer', scope: null });
  const { mappings } = await fixture.call('/api/console/getScimProvisioning');
  expect(mappings).toHaveLength(1);
  const { mappingUuid } = mapping as { mappingUuid: string };
  await fixture.call('/api/console/deleteScimMapping', { mappingUuid });
  expect(await rightsOf(id)).toEqual(NOTHING);
});

it('leaves rights to administrators as long as there is no mapping', async () => {
  const { id } = await scim.user('ada@example.com');
  await fixture.call('/api/console/updatePerson', { personUuid: id, role: 'operator', scopeUpdated: true });
  await scim.group('Guards', [id]);
  expect(await rightsOf(id)).toEqual({ role: 'operator', scope: null });
});

it('decides alone for managed people once there is a mapping, and says so', async () => {
  const { id } = await scim.user('ada@example.com');
  const local = await addPerson(fixture, fixture.own, 'operator');
  const { mapping } = await map('Guards', 'viewer');
  const people = await fixture.call('/api/console/getPeople');
  expect(people).toMatchObject({ provisionedUuids: [id], groupsDecide: true });
  for (const change of [{ role: 'operator' }, { scopeUpdated: true }]) {
    const refused = await fixture.call('/api/console/updatePerson', { personUuid: id, ...change });
    expect(refused.errorMsg).toMatch(/^Groups of the directory decide/);
  }
  expect(await rightsOf(id)).toEqual(NOTHING);
  for (const [personUuid, change] of [
    [id, { name: 'Ada', disabled: true }],
    [local.uuid, { role: 'viewer' }],
  ] as const) {
    const changed = await fixture.call('/api/console/updatePerson', { personUuid, ...change });
    expect(changed).toMatchObject({ error: false });
  }
  const { mappingUuid } = mapping as { mappingUuid: string };
  await fixture.call('/api/console/deleteScimMapping', { mappingUuid });
  const changed = await fixture.call('/api/console/updatePerson', { personUuid: id, role: 'operator' });
  expect(changed).toMatchObject({ error: false });
});

it('leaves people whom the directory does not manage alone, until it does', async () => {
  await addPerson(fixture, fixture.own, 'admin');
  const colleague = await addPerson(fixture, fixture.own, 'operator', { email: 'colleague@example.com' });
  await map('Guards', 'viewer');
  await scim.group('Guards', [colleague.uuid]);
  expect(await rightsOf(colleague.uuid)).toMatchObject({ role: 'operator' });
  await scim.patch(`/Users/${colleague.uuid}`, [{ op: 'replace', path: 'title', value: 'Guard' }]);
  expect(await rightsOf(colleague.uuid)).toMatchObject({ role: 'viewer' });
});

it('does not name a site that was removed since', async () => {
  const site = await addSite();
  await map('Guards', 'viewer', [site]);
  await fixture.store.locations.remove(orgUuid, site);
  const { id } = await scim.user('ada@example.com');
  await scim.group('Guards', [id]);
  expect(await rightsOf(id)).toEqual(NOTHING);
});

it('leaves the rights of all groups when many change at the same time', async () => {
  const { id } = await scim.user('ada@example.com');
  const sites = await Promise.all(['a', 'b', 'c', 'd'].map(addSite));
  const groups = await Promise.all(
    sites.map(async (site, at) => {
      await map(`G${at}`, 'viewer', [site]);
      return scim.group(`G${at}`);
    }),
  );
  await Promise.all(groups.map((group) => addMember(group.id, id)));
  const { scope } = await rightsOf(id);
  expect(scope?.locationUuids).toEqual(sites.toSorted());
  await Promise.all(groups.map((group) => removeMember(group.id, id)));
  expect(await rightsOf(id)).toEqual(NOTHING);
});

it('is refused for unknown sites, admins with sites, no name, and one mapping too many', async () => {
  const refusals = [
    { group: 'G', role: 'viewer', scope: { locationUuids: ['AAAAAAAAAAAAAAAAAAAAAA'], cameraUuids: [] } },
    { group: 'G', role: 'viewer', scope: { locationUuids: [fixture.foreign.locationUuid], cameraUuids: [] } },
    { group: 'G', role: 'admin', scope: { locationUuids: [fixture.own.locationUuid], cameraUuids: [] } },
    { group: '  ', role: 'viewer' },
  ];
  for (const body of refusals) {
    expect(await fixture.call('/api/console/setScimMapping', body)).toMatchObject({ error: true });
  }
  for (let at = 0; at < 200; at += 1) await map(`G${at}`, 'viewer');
  expect(await map('one more', 'viewer')).toMatchObject({ error: true });
  expect(await map('g7', 'operator')).toMatchObject({ error: false });
});

it('is for administrators alone', async () => {
  const { console } = await signedIn(fixture, fixture.own, 'operator');
  for (const operation of ['getScimProvisioning', 'createScimToken', 'setScimMapping']) {
    expect((await console.post(operation)).statusCode).toBe(403);
  }
});
