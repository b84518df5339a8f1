/** The contract of people, their sessions and the roles of keys in every store. Part of the store contract. */

import { describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Person } from './person.ts';
import { type Resource, type ResourceRepository, resourceKind } from './resource.ts';
import {
  sampleApiKey,
  sampleConsoleSession,
  sampleLocation,
  samplePasskey,
  samplePerson,
} from './sample-entities-fixture.ts';
import type { ChangeEvent, Store } from './store.ts';

interface Context {
  store(): Store;
  org(): Ruuid;
  otherOrg(): Ruuid;
}

const room = (atMost: number) => ({ atMost, full: () => new Error('full') });
const lastAdmin = () => new Error('last admin');
const SETTINGS = resourceKind<object>('notificationSettings');
const PLANS = resourceKind<object>('floorPlan');
const IDENTITIES = resourceKind<object>('oidcIdentity');

export function describePeople({ store, org, otherOrg }: Context): void {
  const saved = async (person: Person): Promise<Person> => {
    await store().people.save(person);
    return person;
  };
  const admin = (overrides: Partial<Person> = {}, orgUuid = org()) =>
    saved(samplePerson(orgUuid, { role: 'admin', ...overrides }));
  const demote = (uuid: Ruuid) =>
    store().people.changeKeepingAdmin(
      org(),
      uuid,
      (known) => (known === null ? 'unchanged' : { ...known, role: 'viewer' }),
      lastAdmin,
    );

  describe('people', () => {
    it('are returned as they were saved', async () => {
      const full = await saved(samplePerson(org(), { lastSignInAtMs: 5_000, disabled: true }));
      const bare = await saved(samplePerson(org(), { email: null, passwordHash: null, createdAtMs: 1 }));
      expect(await store().people.list(org())).toEqual([bare, full]);
      expect(await store().people.find(otherOrg(), full.uuid)).toBeNull();
    });

    it('have an email address that is unique in their organization, whatever its case', async () => {
      const ada = await saved(samplePerson(org(), { email: 'Ada@Example.com', createdAtMs: 1 }));
      const abroad = await saved(samplePerson(otherOrg(), { email: 'ada@example.com', createdAtMs: 2 }));
      const twin = samplePerson(org(), { email: ' ADA@example.COM ' });
      const added = store().people.changeWithRoom(org(), twin.uuid, () => twin, room(10));
      await expect(added).rejects.toMatchObject({ code: 'STORE_DUPLICATE' });
      expect(await store().people.listByEmail('ada@EXAMPLE.com', 4)).toEqual([ada, abroad]);
      expect(await store().people.listByEmail('ada@EXAMPLE.com', 1)).toEqual([ada]);
      expect(await store().people.listByEmail('bea@example.com', 4)).toEqual([]);
      // Two people without an address are not the same person.
      await saved(samplePerson(org(), { email: null }));
      await saved(samplePerson(org(), { email: null }));
    });

    it('are no more than there is room for', async () => {
      const [first, second] = [samplePerson(org()), samplePerson(org())];
      await store().people.changeWithRoom(org(), first.uuid, () => first, room(1));
      const added = store().people.changeWithRoom(org(), second.uuid, () => second, room(1));
      await expect(added).rejects.toThrow('full');
      expect(await store().people.list(org())).toEqual([first]);
    });

    it('and keys and locations are removed with what belongs to them, and nothing else is', async () => {
      const stays = await admin();
      const [ada, bea] = [await saved(samplePerson(org())), await saved(samplePerson(org()))];
      const key = sampleApiKey(org());
      await store().apiKeys.save(key);
      const settings = store().resources.of(SETTINGS);
      const identities = store().resources.of(IDENTITIES);
      const of = (parentUuid: Ruuid): Resource<object> => ({
        uuid: newRuuid(),
        orgUuid: org(),
        name: '',
        parentUuid,
        body: {},
        secret: null,
        createdAtMs: 1,
        updatedAtMs: 1,
      });
      for (const { uuid } of [stays, ada, bea, key]) await settings.save(of(uuid));
      for (const { uuid } of [stays, ada]) await identities.save(of(uuid));
      const parents = async (of: ResourceRepository<object>) =>
        (await of.list(org())).map(({ parentUuid }) => parentUuid).sort();
      // A removal that is refused removes nothing.
      const refused = store().people.changeKeepingAdmin(org(), stays.uuid, () => 'removed', lastAdmin);
      await expect(refused).rejects.toThrow('last admin');
      expect(await parents(settings)).toEqual([stays, ada, bea, key].map(({ uuid }) => uuid).sort());
      await store().people.changeKeepingAdmin(org(), ada.uuid, () => 'removed', lastAdmin);
      await store().people.remove(org(), bea.uuid);
      expect(await parents(settings)).toEqual([stays, key].map(({ uuid }) => uuid).sort());
      expect(await parents(identities)).toEqual([stays.uuid]);
      await store().apiKeys.remove(org(), key.uuid);
      expect(await parents(settings)).toEqual([stays.uuid]);
      const [here, there] = [sampleLocation(org()), sampleLocation(org())];
      const plans = store().resources.of(PLANS);
      for (const location of [here, there]) {
        await store().locations.save(location);
        await plans.save(of(location.uuid));
      }
      await store().locations.remove(org(), here.uuid);
      expect(await parents(plans)).toEqual([there.uuid]);
    });

    it('always include an admin who can sign in', async () => {
      const only = await admin();
      await admin({ disabled: true });
      await admin({}, otherOrg());
      await expect(demote(only.uuid)).rejects.toThrow('last admin');
      const removal = store().people.changeKeepingAdmin(org(), only.uuid, () => 'removed', lastAdmin);
      await expect(removal).rejects.toThrow('last admin');
      expect(await store().people.find(org(), only.uuid)).toEqual(only);
      const second = await admin();
      expect((await demote(only.uuid)).after).toMatchObject({ role: 'viewer' });
      await expect(demote(second.uuid)).rejects.toThrow('last admin');
    });

    it('keep one admin of two who demote each other at once', async () => {
      const [one, two] = [await admin(), await admin()];
      const outcomes = await Promise.allSettled([demote(one.uuid), demote(two.uuid)]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const roles = (await store().people.list(org())).map(({ role }) => role);
      expect(roles.sort()).toEqual(['admin', 'viewer']);
    });

    it('keep an admin with a password or a passkey, if asked for, of two who are removed together', async () => {
      const remove = (uuid: Ruuid) =>
        store().people.changeKeepingAdmin(org(), uuid, () => 'removed', lastAdmin, 'local');
      const withPassword = await admin();
      const fromDirectory = await admin({ passwordHash: null });
      await admin({ disabled: true });
      await admin({}, otherOrg());
      await expect(remove(withPassword.uuid)).rejects.toThrow('last admin');
      // An admin of the directory can be removed while another admin is left.
      const other = await admin({ passwordHash: null });
      expect((await remove(other.uuid)).after).toBeNull();
      await store().passkeys.save(samplePasskey(fromDirectory));
      const both = [withPassword, fromDirectory].map(({ uuid }) => remove(uuid));
      const outcomes = await Promise.allSettled(both);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect((await store().people.list(org())).filter(({ disabled }) => !disabled)).toHaveLength(1);
    });

    it('are told apart from their last sign-in, which announces nothing', async () => {
      const ada = await saved(samplePerson(org()));
      const events: ChangeEvent[] = [];
      store().onChange((event) => events.push(event));
      await store().people.noteSignIn(org(), ada.uuid, 7_000);
      await store().people.noteSignIn(otherOrg(), ada.uuid, 8_000);
      expect(await store().people.find(org(), ada.uuid)).toEqual({ ...ada, lastSignInAtMs: 7_000 });
      expect(events).toEqual([]);
    });
  });

  describe('console sessions', () => {
    it('are found by the hash of their token, and listed by person', async () => {
      const [ada, bea] = [await saved(samplePerson(org())), await saved(samplePerson(org()))];
      const session = sampleConsoleSession(ada);
      const bare = sampleConsoleSession(ada, { method: 'code', userAgent: null, createdAtMs: 1 });
      const others = sampleConsoleSession(bea);
      for (const each of [session, bare, others]) await store().consoleSessions.add(each, room(10));
      expect(await store().consoleSessions.findByTokenHash(session.tokenHash)).toEqual(session);
      expect(await store().consoleSessions.findByTokenHash('00')).toBeNull();
      expect(await store().consoleSessions.listByPerson(org(), ada.uuid)).toEqual([bare, session]);
      expect(await store().consoleSessions.listByPerson(otherOrg(), ada.uuid)).toEqual([]);
      const more = sampleConsoleSession(ada);
      await expect(store().consoleSessions.add(more, room(3))).rejects.toThrow('full');
    });

    it('are found by the session of the provider in which they began', async () => {
      const ada = await saved(samplePerson(org()));
      const [subject, one, two] = [newRuuid(), newRuuid(), newRuuid()];
      const at = (session: Ruuid, createdAtMs: number) =>
        sampleConsoleSession(ada, {
          createdAtMs,
          provider: { subject, session, issuedAtSec: 1_700_000_000 },
        });
      const [first, second, others] = [at(one, 1), at(two, 2), sampleConsoleSession(ada)];
      for (const each of [first, second, others]) await store().consoleSessions.add(each, room(10));
      const found = (...uuids: Ruuid[]) => store().consoleSessions.listByProvider(org(), uuids);
      expect(await found(subject)).toEqual([first, second]);
      expect(await found(two, newRuuid())).toEqual([second]);
      expect(await found(newRuuid())).toEqual([]);
      expect(await store().consoleSessions.listByProvider(otherOrg(), [subject])).toEqual([]);
    });

    it('belong to a person of their organization, and go with them', async () => {
      const ada = await saved(samplePerson(org()));
      const trespasser = sampleConsoleSession({ ...ada, orgUuid: otherOrg() });
      const added = store().consoleSessions.add(trespasser, room(10));
      await expect(added).rejects.toMatchObject({ code: 'STORE_REFERENCE' });
      await store().consoleSessions.add(sampleConsoleSession(ada), room(10));
      await store().people.remove(org(), ada.uuid);
      expect(await store().consoleSessions.listEverywhere()).toEqual([]);
    });

    it('are noted as seen, and removed when they are over, without an event', async () => {
      const ada = await saved(samplePerson(org()));
      const at = (createdAtMs: number, lastSeenAtMs: number) =>
        sampleConsoleSession(ada, { createdAtMs, lastSeenAtMs });
      const [old, idle, running] = [at(1_000, 9_000), at(2_000, 3_000), at(3_000, 8_000)];
      for (const each of [old, idle, running]) await store().consoleSessions.add(each, room(10));
      const events: ChangeEvent[] = [];
      store().onChange((event) => events.push(event));
      await store().consoleSessions.noteSeen(org(), running.uuid, 9_000);
      await store().consoleSessions.noteSeen(org(), newRuuid(), 9_000);
      const removed = await store().consoleSessions.removeExpired(1_000, 3_000);
      expect(removed.toSorted()).toEqual([old.uuid, idle.uuid].toSorted());
      expect(await store().consoleSessions.list(org())).toEqual([{ ...running, lastSeenAtMs: 9_000 }]);
      expect(events).toEqual([]);
    });
  });

  describe('roles of API keys', () => {
    it('are stored', async () => {
      const key = sampleApiKey(org(), { role: 'viewer' });
      await store().apiKeys.save(key);
      expect(await store().apiKeys.findByHash(key.keyHash)).toEqual(key);
    });
  });
}
