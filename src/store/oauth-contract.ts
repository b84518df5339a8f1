/** The contract of OAuth applications and grants in every store. Part of the store contract. */

import { beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { OAuthApplication, OAuthGrant, OAuthSuccessors, OAuthToken } from './oauth.ts';
import { sampleApiKey } from './sample-entities-fixture.ts';
import type { ChangeEvent, Store } from './store.ts';

interface Context {
  store(): Store;
  org(): Ruuid;
  otherOrg(): Ruuid;
}

const room = (atMost: number) => ({ atMost, full: () => new Error('full') });
const hash = () => Buffer.from(`${newRuuid()}1234567890`).toString('hex');

function sampleApplication(orgUuid: Ruuid): OAuthApplication {
  return {
    uuid: newRuuid(),
    orgUuid,
    name: 'Visitor desk',
    description: null,
    contactEmail: 'desk@example.com',
    redirectUri: 'https://desk.example/callback',
    secretHash: hash(),
    createdAtMs: 1,
    updatedAtMs: 2,
  };
}

function sampleToken(grantUuid: Ruuid, overrides: Partial<OAuthToken> = {}): OAuthToken {
  return { tokenHash: hash(), grantUuid, kind: 'code', expiresAtMs: 1_000, usedAtMs: null, ...overrides };
}

export function describeOAuth(context: Context): void {
  describe('OAuth', () => {
    let application: OAuthApplication;
    let grant: OAuthGrant;
    let code: OAuthToken;

    /** The application belongs to the other organization, the grant to this one. */
    beforeEach(async () => {
      const store = context.store();
      application = sampleApplication(context.otherOrg());
      const key = sampleApiKey(context.org());
      await store.apiKeys.save(key);
      await store.oauthApplications.save(application);
      grant = {
        uuid: newRuuid(),
        orgUuid: context.org(),
        clientUuid: application.uuid,
        keyUuid: key.uuid,
        keyOrgUuid: key.orgUuid,
        codeChallenge: 'challenge',
        redirectUri: null,
        createdAtMs: 3,
      };
      code = sampleToken(grant.uuid);
      await store.oauthGrants.begin(grant, code, room(9));
    });
    const grants = () => context.store().oauthGrants;

    it('finds applications by their client_id in any organization, and everything else only in their own', async () => {
      const { oauthApplications } = context.store();
      expect(await oauthApplications.findByClientId(application.uuid)).toEqual(application);
      expect(await oauthApplications.findByClientId(newRuuid())).toBeNull();
      expect(await oauthApplications.find(context.org(), application.uuid)).toBeNull();
      expect(await oauthApplications.list(context.otherOrg())).toEqual([application]);
    });

    it('keeps an application without a secret', async () => {
      const { oauthApplications } = context.store();
      const ofAnApp: OAuthApplication = { ...sampleApplication(context.org()), secretHash: null };
      await oauthApplications.save(ofAnApp);
      expect(await oauthApplications.findByClientId(ofAnApp.uuid)).toEqual(ofAnApp);
    });

    it('adds no application beyond the limit, no matter how many arrive at once', async () => {
      const { oauthApplications } = context.store();
      const room = { atMost: 5, full: () => new Error('full') };
      const add = (orgUuid: Ruuid) => {
        const added = sampleApplication(orgUuid);
        return oauthApplications.changeWithRoom(orgUuid, added.uuid, () => added, room);
      };
      const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => add(context.org())));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
      for (const each of outcomes) if (each.status === 'rejected') expect(each.reason.message).toBe('full');
      const [first, ...others] = await oauthApplications.list(context.org());
      expect(others).toHaveLength(4);
      // A known one can change, and another organization has its own limit.
      const rename = (known: OAuthApplication | null) => ({ ...known!, name: 'Other' });
      await oauthApplications.changeWithRoom(context.org(), first!.uuid, rename, room);
      await add(context.otherOrg());
      expect(await oauthApplications.list(context.otherOrg())).toHaveLength(2);
      // The uuid of another organization's application is refused.
      const taken = { ...sampleApplication(context.org()), uuid: application.uuid };
      await expect(
        oauthApplications.changeWithRoom(context.org(), taken.uuid, () => taken, { ...room, atMost: 9 }),
      ).rejects.toMatchObject({ code: 'STORE_OTHER_ORG' });
    });

    it('keeps grants with their tokens', async () => {
      expect(await grants().findToken(code.tokenHash)).toEqual({ token: code, grant });
      expect(await grants().findToken(hash())).toBeNull();
      expect(await grants().list(context.org())).toEqual([grant]);
      expect(await grants().list(context.otherOrg())).toEqual([]);
    });

    it('adds no grant beyond the limit, no matter how many arrive at the same time, and no code without one', async () => {
      const added = Array.from({ length: 8 }, () => {
        const uuid = newRuuid();
        return { grant: { ...grant, uuid }, code: sampleToken(uuid) };
      });
      const begin = (each: (typeof added)[number]) => grants().begin(each.grant, each.code, room(4));
      const outcomes = await Promise.allSettled(added.map(begin));
      // One was there before.
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
      for (const each of outcomes) if (each.status === 'rejected') expect(each.reason.message).toBe('full');
      expect(await grants().list(context.org())).toHaveLength(4);
      const found = await Promise.all(added.map(({ code: { tokenHash } }) => grants().findToken(tokenHash)));
      expect(found.filter((each) => each !== null)).toHaveLength(3);
      const theirs = { ...grant, uuid: newRuuid(), orgUuid: context.otherOrg() };
      await grants().begin(theirs, sampleToken(theirs.uuid), room(1));
      expect(await grants().list(context.otherOrg())).toEqual([theirs]);
    });

    it('lists the access tokens of all organizations that still work', async () => {
      const ours = [1, 2].map((sec) => sampleToken(grant.uuid, { kind: 'access', expiresAtMs: sec * 1_000 }));
      const successors = [...ours, sampleToken(grant.uuid, { kind: 'refresh', expiresAtMs: 9_000 })];
      await grants().exchange(code.tokenHash, 7, successors as unknown as OAuthSuccessors);
      const listed = await grants().listAccessTokens(1_000);
      expect(listed.filter(({ token }) => token.grantUuid === grant.uuid)).toEqual([
        { token: ours[1], grant },
      ]);
    });

    it('exchanges a token once, no matter how many try', async () => {
      const rounds = Array.from(
        { length: 6 },
        (): OAuthSuccessors => [
          sampleToken(grant.uuid, { kind: 'access' }),
          sampleToken(grant.uuid, { kind: 'refresh' }),
        ],
      );
      const outcomes = await Promise.all(rounds.map((round) => grants().exchange(code.tokenHash, 7, round)));
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      for (const [index, round] of rounds.entries()) {
        const found = await Promise.all(round.map(({ tokenHash }) => grants().findToken(tokenHash)));
        expect(found.map((each) => each?.token ?? null)).toEqual(outcomes[index] ? round : [null, null]);
      }
      expect((await grants().findToken(code.tokenHash))?.token.usedAtMs).toBe(7);
      expect(await grants().exchange(hash(), 7, [sampleToken(grant.uuid)])).toBe(false);
    });

    it('ends a grant with all of its tokens, for its own organization', async () => {
      const changes: ChangeEvent[] = [];
      context.store().onChange((change) => changes.push(change));
      expect(await grants().remove(context.otherOrg(), grant.uuid)).toBe(false);
      expect(await grants().remove(context.org(), grant.uuid)).toBe(true);
      expect(await grants().findToken(code.tokenHash)).toBeNull();
      expect(await grants().exchange(code.tokenHash, 7, [sampleToken(grant.uuid)])).toBe(false);
      expect(changes).toEqual([
        { entity: 'oauthGrant', type: 'DELETE', orgUuid: context.org(), uuid: grant.uuid },
      ]);
    });

    it('ends grants with their application and with the key that gave them', async () => {
      await context.store().oauthApplications.remove(context.otherOrg(), application.uuid);
      expect(await grants().list(context.org())).toEqual([]);
      const other = sampleApplication(context.org());
      await context.store().oauthApplications.save(other);
      await grants().begin({ ...grant, clientUuid: other.uuid }, code, room(9));
      await context.store().apiKeys.remove(context.org(), grant.keyUuid);
      expect(await grants().findToken(code.tokenHash)).toBeNull();
    });

    it('removes one token and leaves the others', async () => {
      const access = sampleToken(grant.uuid, { kind: 'access' });
      await grants().exchange(code.tokenHash, 7, [access]);
      await grants().removeToken(grant, access.tokenHash);
      expect(await grants().findToken(access.tokenHash)).toBeNull();
      expect(await grants().findToken(code.tokenHash)).not.toBeNull();
    });

    it('removes what expired, except used codes, and grants without tokens', async () => {
      const refresh = sampleToken(grant.uuid, { kind: 'refresh', expiresAtMs: 5_000 });
      const access = sampleToken(grant.uuid, { kind: 'access', expiresAtMs: 1_000 });
      await grants().exchange(code.tokenHash, 7, [refresh, access]);
      const changes: ChangeEvent[] = [];
      context.store().onChange((change) => changes.push(change));
      await grants().removeExpired(999);
      expect(await grants().findToken(access.tokenHash)).not.toBeNull();
      await grants().removeExpired(1_000);
      expect(await grants().findToken(access.tokenHash)).toBeNull();
      expect(await grants().findToken(code.tokenHash)).toMatchObject({ token: { usedAtMs: 7 } });
      expect(await grants().list(context.org())).toEqual([grant]);
      await grants().removeExpired(5_000);
      expect(await grants().findToken(code.tokenHash)).toBeNull();
      expect(await grants().list(context.org())).toEqual([]);
      expect(changes).toEqual([]);
    });
  });
}
