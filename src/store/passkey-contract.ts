/** The contract of passkeys and their challenges in every store. Part of the store contract. */

import { describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Passkey, PasskeyChallenge } from './passkey.ts';
import type { Person } from './person.ts';
import { sampleConsoleSession, samplePasskey, samplePerson } from './sample-entities-fixture.ts';
import type { ChangeEvent, Store } from './store.ts';

interface Context {
  store(): Store;
  org(): Ruuid;
  otherOrg(): Ruuid;
}

const room = (atMost: number) => ({ atMost, full: () => new Error('full') });
const lastWay = () => new Error('last way');
const RP_ID = 'api.example';

export function describePasskeys({ store, org, otherOrg }: Context): void {
  const savedPerson = async (overrides: Partial<Person> = {}): Promise<Person> => {
    const person = samplePerson(org(), overrides);
    await store().people.save(person);
    return person;
  };
  const added = async (person: Person, overrides: Partial<Passkey> = {}): Promise<Passkey> => {
    const passkey = samplePasskey(person, overrides);
    await store().passkeys.add(passkey, room(10));
    return passkey;
  };

  describe('passkeys', () => {
    it('are returned as they were added, by person and by credential ID', async () => {
      const [ada, bea] = [await savedPerson(), await savedPerson()];
      const full = await added(ada, { createdAtMs: 2, lastUsedAtMs: 7_000, counter: 4_294_967_295 });
      const bare = await added(ada, { createdAtMs: 1, transports: [], isSynced: false, isBackedUp: false });
      await added(bea);
      expect(await store().passkeys.listByPerson(org(), ada.uuid)).toEqual([bare, full]);
      expect(await store().passkeys.listByPerson(otherOrg(), ada.uuid)).toEqual([]);
      expect(await store().passkeys.findByCredentialId(full.credentialId)).toEqual(full);
      expect(await store().passkeys.findByCredentialId('none')).toBeNull();
    });

    it('are each one person’s, no more than there is room for, and go with them', async () => {
      const [ada, bea] = [await savedPerson(), await savedPerson()];
      const { credentialId } = await added(ada);
      await expect(added(bea, { credentialId })).rejects.toMatchObject({ code: 'STORE_DUPLICATE' });
      await expect(store().passkeys.add(samplePasskey(bea), room(1))).rejects.toThrow('full');
      await expect(added({ ...ada, orgUuid: otherOrg() })).rejects.toMatchObject({ code: 'STORE_REFERENCE' });
      await store().people.remove(org(), ada.uuid);
      expect(await store().passkeys.listEverywhere()).toEqual([]);
    });

    it('note a use without an event, unless the counter did not grow', async () => {
      const ada = await savedPerson();
      const [counting, silent] = [await added(ada, { counter: 5 }), await added(ada)];
      const events: ChangeEvent[] = [];
      store().onChange((event) => events.push(event));
      const use = (passkey: Passkey, counter: number) =>
        store().passkeys.noteUse(org(), passkey.uuid, { counter, isBackedUp: false, atMs: 9_000 });
      for (const counter of [5, 4, 0]) expect(await use(counting, counter)).toBe(false);
      expect(await store().passkeys.find(org(), counting.uuid)).toEqual(counting);
      expect(await Promise.all([use(counting, 6), use(counting, 6)])).toEqual(
        expect.arrayContaining([true, false]),
      );
      const now = { counter: 6, isBackedUp: false, lastUsedAtMs: 9_000 };
      expect(await store().passkeys.find(org(), counting.uuid)).toEqual({ ...counting, ...now });
      expect([
        await use(silent, 0),
        await use(silent, 0),
        await use(silent, 1),
        await use(silent, 0),
      ]).toEqual([true, true, true, false]);
      const elsewhere = { counter: 9, isBackedUp: true, atMs: 9_000 };
      expect(await store().passkeys.noteUse(otherOrg(), counting.uuid, elsewhere)).toBe(false);
      expect(events).toEqual([]);
    });

    it('are removed by their person, but not the last way to sign in', async () => {
      const [ada, bea] = [await savedPerson({ passwordHash: null }), await savedPerson()];
      const [first, old] = [await added(ada), await added(ada, { rpId: 'old.example' })];
      const remove = (passkey: Passkey, person = ada) =>
        store().passkeys.removeKeepingWay({ ...passkey, personUuid: person.uuid }, RP_ID, lastWay);
      await expect(remove(first)).rejects.toThrow('last way');
      expect(await remove(first, bea)).toBeNull();
      expect(await store().passkeys.listByPerson(org(), ada.uuid)).toHaveLength(2);
      expect(await remove(old)).toEqual(old);
      const second = await added(ada);
      expect(await remove(second)).toEqual(second);
      expect(await remove(second)).toBeNull();
      const withPassword = await added(bea);
      expect(await remove(withPassword, bea)).toEqual(withPassword);
    });

    it('keep one of two that are removed at once', async () => {
      const ada = await savedPerson({ passwordHash: null });
      const both = [await added(ada), await added(ada)];
      const outcomes = await Promise.allSettled(
        both.map((passkey) => store().passkeys.removeKeepingWay(passkey, RP_ID, lastWay)),
      );
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      expect(await store().passkeys.listByPerson(org(), ada.uuid)).toHaveLength(1);
    });
  });

  describe('challenges of passkeys', () => {
    const challenge = (overrides: Partial<PasskeyChallenge> = {}): PasskeyChallenge => ({
      challengeHash: newRuuid(),
      browserHash: 'browser',
      address: '192.0.2.7',
      purpose: 'sign-in',
      subjectUuid: null,
      expiresAtMs: 5_000,
      ...overrides,
    });
    const bounds = { perAddress: 2, total: 3 };
    const add = async (
      overrides: Partial<PasskeyChallenge> = {},
      nowMs = 1_000,
    ): Promise<PasskeyChallenge> => {
      const made = challenge(overrides);
      await store().passkeyChallenges.add(made, nowMs, bounds);
      return made;
    };
    const take = (wanted: PasskeyChallenge, nowMs = 1_000) => store().passkeyChallenges.take(wanted, nowMs);

    it('are taken once, for their purpose, by their browser, until they end', async () => {
      const made = await add({ purpose: 'add', subjectUuid: newRuuid() });
      expect(await take({ ...made, browserHash: 'other' })).toBeNull();
      expect(await take({ ...made, purpose: 'sign-in' })).toBeNull();
      const both = await Promise.all([take(made), take(made)]);
      expect(both.filter((taken) => taken !== null)).toEqual([made]);
      const late = await add();
      expect(await take(late, 5_000)).toBeNull();
      expect(await take(late)).toBeNull();
    });

    it('make room: those that ended go, then the oldest of the address, then of all', async () => {
      await add({ address: 'a', expiresAtMs: 900 }, 800);
      const first = await add({ address: 'a', expiresAtMs: 5_001 });
      const second = await add({ address: 'a', expiresAtMs: 5_002 });
      const third = await add({ address: 'a', expiresAtMs: 5_003 });
      expect([await take(first), await take(second)]).toEqual([null, second]);
      await add({ address: 'b', expiresAtMs: 5_004 });
      await add({ address: 'c', expiresAtMs: 5_005 });
      const newest = await add({ address: 'd', expiresAtMs: 5_006 });
      expect([await take(third), await take(newest)]).toEqual([null, newest]);
    });
  });

  describe('console sessions', () => {
    it('remember when their person last showed who they are', async () => {
      const ada = await savedPerson();
      const session = sampleConsoleSession(ada, { method: 'passkey' });
      await store().consoleSessions.add(session, room(10));
      await store().consoleSessions.confirm(otherOrg(), session.uuid, 8_000);
      await store().consoleSessions.confirm(org(), newRuuid(), 8_000);
      expect(await store().consoleSessions.find(org(), session.uuid)).toEqual(session);
      const events: ChangeEvent[] = [];
      store().onChange((event) => events.push(event));
      await store().consoleSessions.confirm(org(), session.uuid, 9_000);
      expect(await store().consoleSessions.find(org(), session.uuid)).toEqual({
        ...session,
        confirmedAtMs: 9_000,
      });
      expect(events).toMatchObject([{ entity: 'consoleSession', type: 'UPDATE', uuid: session.uuid }]);
    });
  });
}
