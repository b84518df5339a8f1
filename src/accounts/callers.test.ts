import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../core/errors.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { hashApiKey } from '../store/api-key-hash.ts';
import type { ApiKeyScheme } from '../store/entities.ts';
import { STORE_ERRORS } from '../store/errors.ts';
import type { Person } from '../store/person.ts';
import {
  sampleApiKey,
  sampleConsoleSession,
  sampleNvr,
  sampleOrganization,
  samplePerson,
} from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { MAX_AWAY_MS } from './access-cache.ts';
import { type AccountServices, createAccountServices } from './account-services.ts';
import { type Caller, callerOf } from './caller.ts';
import { Callers, type PresentedCredential } from './callers.ts';
import { ACCESS_TOKEN_LIFETIME_MS } from './oauth-grants.ts';
import { codeChallengeOf } from './oauth-secret.ts';

let clock: FakeClock;
let store: Store;
let accounts: AccountServices;
let callers: Callers;
/** A partner, one of its clients, and an organization that is neither. */
let partnerUuid: Ruuid;
let clientUuid: Ruuid;
let strangerUuid: Ruuid;
beforeEach(async () => {
  clock = new FakeClock();
  store = await openTestStore(clock);
  accounts = createAccountServices({
    store,
    credentialRules: { applied: () => undefined, endAccess: () => 'unknown' as const },
    clock,
    requestsPerSec: 50,
  });
  callers = new Callers(store, clock);
  partnerUuid = await organization({});
  clientUuid = await organization({ partnerUuid });
  strangerUuid = await organization({});
});
afterEach(async () => {
  await callers.close();
  await store.close();
});

async function organization(fields: Parameters<typeof sampleOrganization>[0]): Promise<Ruuid> {
  const made = sampleOrganization(fields);
  await store.organizations.save(made);
  return made.uuid;
}

async function keyOf(orgUuid: Ruuid, scheme: ApiKeyScheme): Promise<{ caller: Caller; hash: string }> {
  const hash = hashApiKey(newRuuid());
  const key = sampleApiKey(orgUuid, { scheme, keyHash: hash });
  await store.apiKeys.save(key);
  return { caller: callerOf({ kind: 'key', key }), hash };
}

/** The same key, used by a page. */
function ofPage(caller: Caller): Caller {
  if (caller.principal.kind === 'person') throw new Error('a page has a key');
  const { key } = caller.principal;
  return { ...caller, principal: { kind: 'page', key, sessionUuid: expect.any(String) } };
}

function presented(fields: Partial<PresentedCredential> & { readonly hash: string }): PresentedCredential {
  const plain = {
    namedOrg: null,
    origin: null,
    admitsOneDevice: false,
    isRecheck: false,
    endsAccess: false,
  } as const;
  return { kind: 'key', accepted: ['api', 'partner-api'], ...plain, ...fields };
}

/** An access token of an application that acts for `orgUuid` with the rights of `granting`. */
async function accessToken(granting: Caller, orgUuid: Ruuid): Promise<string> {
  const redirectUri = 'https://desk.example/callback';
  const details = { name: 'Desk', redirectUri };
  const { application } = await accounts.oauthApplications.submit(orgUuid, undefined, details);
  const codeVerifier = 'v'.repeat(43);
  const request = { codeChallenge: codeChallengeOf(codeVerifier), redirectUri: null };
  const code = await accounts.oauthGrants.begin({ ...granting, orgUuid }, application, request);
  const tokens = await accounts.oauthGrants.exchangeCode(application, {
    code,
    codeVerifier,
    redirectUri: null,
  });
  return hashApiKey(tokens.accessToken);
}

describe('the last use of a key', () => {
  const lastUses = async () => (await store.apiKeys.lastUses(strangerUuid)).lastMs;

  it('is written in batches, a key at most once a minute', async () => {
    const [one, other] = [await keyOf(strangerUuid, 'api'), await keyOf(strangerUuid, 'api')];
    const batches: number[] = [];
    const { noteUses } = store.apiKeys;
    store.apiKeys.noteUses = (uses) => {
      batches.push(uses.length);
      return noteUses.call(store.apiKeys, uses);
    };
    const firstMs = clock.epochMs();
    for (let second = 0; second < 59; second += 1) {
      for (const { hash } of [one, other]) await callers.find(presented({ hash }));
      clock.advance(1_000);
    }
    expect(batches).toEqual([2]);
    await store.ping();
    const uuids = [one.caller.actor.uuid, other.caller.actor.uuid];
    expect(await lastUses()).toEqual(new Map(uuids.map((uuid) => [uuid, firstMs])));
    clock.advance(1_000);
    await callers.find(presented({ hash: one.hash }));
    clock.advance(10_000);
    await store.ping();
    expect(batches).toEqual([2, 1]);
    expect((await lastUses()).get(one.caller.actor.uuid)).toBe(firstMs + 60_000);
  });

  it('counts uses of what rests on it, and no refusals', async () => {
    const { caller } = await keyOf(strangerUuid, 'api');
    const revoked = sampleApiKey(strangerUuid, { revokedAtMs: 1 });
    await store.apiKeys.save(revoked);
    await callers.find(presented({ hash: revoked.keyHash }));
    await callers.find(presented({ kind: 'token', hash: await accessToken(caller, strangerUuid) }));
    await callers.close();
    expect([...(await lastUses()).keys()]).toEqual([caller.actor.uuid]);
  });

  it('is noted with the next use if the store could not take it', async () => {
    const { caller, hash } = await keyOf(strangerUuid, 'api');
    const { noteUses } = store.apiKeys;
    store.apiKeys.noteUses = async () => {
      throw new GatewayError(STORE_ERRORS.STORE_DISK_FULL);
    };
    await callers.find(presented({ hash }));
    clock.advance(10_000);
    await store.ping();
    store.apiKeys.noteUses = noteUses;
    await callers.find(presented({ hash }));
    clock.advance(10_000);
    await store.ping();
    expect([...(await lastUses()).keys()]).toEqual([caller.actor.uuid]);
  });
});

describe('while the store is away', () => {
  const endResponses = (): void => {
    const away = async () => {
      throw new GatewayError(STORE_ERRORS.STORE_UNREACHABLE);
    };
    store.apiKeys.findByHash = away;
    store.consoleSessions.findByTokenHash = away;
  };

  it('a key that was seen recently still ends access, does nothing else, and is not kept forever', async () => {
    const { caller, hash } = await keyOf(strangerUuid, 'api');
    const unseen = await keyOf(strangerUuid, 'api');
    await callers.find(presented({ hash }));
    endResponses();
    clock.advance(60_000);
    const away = { code: 'STORE_UNREACHABLE' };
    expect(await callers.find(presented({ hash, endsAccess: true }))).toEqual(caller);
    await expect(callers.find(presented({ hash }))).rejects.toMatchObject(away);
    await expect(callers.find(presented({ hash: unseen.hash, endsAccess: true }))).rejects.toMatchObject(
      away,
    );
    clock.advance(MAX_AWAY_MS);
    await expect(callers.find(presented({ hash, endsAccess: true }))).rejects.toMatchObject(away);
  });

  it('so does the session of a person', async () => {
    const hash = hashApiKey('console');
    const person = samplePerson(strangerUuid);
    await store.people.save(person);
    const now = clock.epochMs();
    const times = { createdAtMs: now, lastSeenAtMs: now };
    await store.consoleSessions.save(sampleConsoleSession(person, { tokenHash: hash, ...times }));
    const requested = presented({ kind: 'console', hash, isRecheck: true });
    const caller = await callers.find(requested);
    expect(caller).not.toBeNull();
    endResponses();
    clock.advance(60_000);
    expect(await callers.find({ ...requested, endsAccess: true })).toEqual(caller);
    await expect(callers.find(requested)).rejects.toMatchObject({ code: 'STORE_UNREACHABLE' });
  });
});

describe('a key', () => {
  it('identifies its organization until it is revoked', async () => {
    const { caller, hash } = await keyOf(strangerUuid, 'api');
    expect(callers.knows(presented({ hash }))).toBe(false);
    expect(await callers.find(presented({ hash }))).toEqual(caller);
    expect(callers.knows(presented({ hash }))).toBe(true);
    await accounts.apiTokens.revoke(strangerUuid, caller.actor.uuid);
    expect(callers.knows(presented({ hash }))).toBe(false);
    expect(await callers.find(presented({ hash }))).toBeNull();
  });

  it('is not accepted as a token, as a session, or with another scheme', async () => {
    const { hash } = await keyOf(strangerUuid, 'api');
    expect(await callers.find(presented({ hash, kind: 'token' }))).toBeNull();
    expect(await callers.find(presented({ hash, kind: 'session' }))).toBeNull();
    expect(await callers.find(presented({ hash, accepted: ['partner-api', 'device'] }))).toBeNull();
    expect(await callers.find(presented({ hash: hashApiKey('another') }))).toBeNull();
  });

  it('of a partner acts for its clients, any other only for its own organization', async () => {
    const partner = await keyOf(partnerUuid, 'partner-api');
    const named = (hash: string, namedOrg: string) => callers.find(presented({ hash, namedOrg }));
    expect(await named(partner.hash, clientUuid)).toMatchObject({ orgUuid: clientUuid });
    expect(await named(partner.hash, partnerUuid)).toMatchObject({ orgUuid: partnerUuid });
    expect(await named(partner.hash, strangerUuid)).toBeNull();
    expect(await named(partner.hash, 'no organization')).toBeNull();
    const other = await keyOf(partnerUuid, 'api');
    expect(await named(other.hash, partnerUuid)).toMatchObject({ orgUuid: partnerUuid });
    expect(await named(other.hash, clientUuid)).toBeNull();
  });
});

describe('an access token', () => {
  it('has the rights of the key that granted it, until it expires', async () => {
    const { caller } = await keyOf(strangerUuid, 'api');
    const token = presented({ kind: 'token', hash: await accessToken(caller, strangerUuid) });
    expect(await callers.find(token)).toMatchObject({
      ...caller,
      principal: { kind: 'application', grant: { keyUuid: caller.actor.uuid } },
    });
    expect(await callers.find({ ...token, accepted: ['partner-api'] })).toBeNull();
    clock.advance(ACCESS_TOKEN_LIFETIME_MS);
    expect(await callers.find(token)).toBeNull();
  });

  it('that a partner granted at a client acts only there, while it is its client', async () => {
    const { caller } = await keyOf(partnerUuid, 'partner-api');
    const token = presented({ kind: 'token', hash: await accessToken(caller, clientUuid) });
    expect(await callers.find(token)).toMatchObject({ scheme: 'api', orgUuid: clientUuid });
    expect(await callers.find({ ...token, namedOrg: partnerUuid })).toBeNull();
    const client = (await store.organizations.find(clientUuid))!;
    await store.organizations.save({ ...client, partnerUuid: null });
    expect(await callers.find(token)).toBeNull();
  });
});

describe('a session', () => {
  const wanted = { domain: 'desk.example', durationSec: 60, deviceUuid: null };

  it('works on pages of its domain and for clients that are not pages, until it expires', async () => {
    const { caller } = await keyOf(strangerUuid, 'api');
    const hash = hashApiKey(await accounts.federatedSessions.create(caller, wanted));
    const from = (origin: string | null) => callers.find(presented({ kind: 'session', hash, origin }));
    expect(await from('https://wall.desk.example:8443')).toEqual(ofPage(caller));
    expect(await from(null)).toEqual(ofPage(caller));
    expect(await from('https://desk.example.evil')).toBeNull();
    clock.advance(60_000);
    expect(await from(null)).toBeNull();
  });

  it('for one device is accepted only where it is limited to that device', async () => {
    const { caller } = await keyOf(strangerUuid, 'api');
    const device = sampleNvr(strangerUuid);
    await store.nvrs.save(device);
    const deviceUuid = device.uuid;
    const made = await accounts.federatedSessions.create(caller, { ...wanted, deviceUuid });
    const session = presented({ kind: 'session', hash: hashApiKey(made) });
    expect(await callers.find(session)).toBeNull();
    const admitted = await callers.find({ ...session, admitsOneDevice: true });
    expect(admitted).toEqual({ ...ofPage(caller), onlyDevice: deviceUuid });
  });

  it('that a partner created for a client acts there, while it is its client', async () => {
    const { caller } = await keyOf(partnerUuid, 'partner-api');
    const made = await accounts.federatedSessions.create({ ...caller, orgUuid: clientUuid }, wanted);
    const session = presented({ kind: 'session', hash: hashApiKey(made) });
    expect(await callers.find(session)).toMatchObject({ scheme: 'api', orgUuid: clientUuid });
    expect(await callers.find({ ...session, namedOrg: partnerUuid })).toBeNull();
    const client = (await store.organizations.find(clientUuid))!;
    await store.organizations.save({ ...client, partnerUuid: null });
    expect(await callers.find(session)).toBeNull();
  });
});

describe('a console session', () => {
  const DAY_MS = 24 * 3_600_000;

  async function sessionOf(orgUuid: Ruuid): Promise<{ person: Person; hash: string }> {
    const hash = hashApiKey(newRuuid());
    const person = samplePerson(orgUuid, { role: 'operator' });
    await store.people.save(person);
    const atMs = clock.epochMs();
    const times = { createdAtMs: atMs, lastSeenAtMs: atMs };
    await store.consoleSessions.save(sampleConsoleSession(person, { tokenHash: hash, ...times }));
    return { person, hash };
  }

  it('identifies its person, for their own organization alone', async () => {
    const { person, hash } = await sessionOf(strangerUuid);
    const found = await callers.find(presented({ kind: 'console', hash }));
    expect(found).toMatchObject({
      role: 'operator',
      scheme: 'api',
      orgUuid: strangerUuid,
      onlyDevice: null,
      actor: { uuid: person.uuid, name: person.name },
      principal: { kind: 'person', person },
    });
    const named = (namedOrg: Ruuid) => callers.find(presented({ kind: 'console', hash, namedOrg }));
    expect(await named(strangerUuid)).not.toBeNull();
    expect(await named(clientUuid)).toBeNull();
    expect(await callers.find(presented({ kind: 'console', hash, accepted: ['partner-api'] }))).toBeNull();
    expect(await callers.find(presented({ kind: 'key', hash }))).toBeNull();
  });

  it('goes on by being used, not by being checked', async () => {
    const [used, checked] = [await sessionOf(strangerUuid), await sessionOf(strangerUuid)];
    for (let hours = 0; hours < 24; hours += 6) {
      clock.advance(DAY_MS / 4 - 1_000);
      await callers.find(presented({ kind: 'console', hash: used.hash }));
      await callers.find(presented({ kind: 'console', hash: checked.hash, isRecheck: true }));
      await store.ping();
      clock.advance(1_000);
    }
    expect(await callers.find(presented({ kind: 'console', hash: used.hash }))).not.toBeNull();
    expect(await callers.find(presented({ kind: 'console', hash: checked.hash }))).toBeNull();
  });

  it('of another process ends within a second', async () => {
    const { person, hash } = await sessionOf(strangerUuid);
    const silent = new Callers({ ...store, onChange: () => () => undefined }, clock);
    const found = () => silent.find(presented({ kind: 'console', hash }));
    expect(await found()).not.toBeNull();
    await store.people.save({ ...person, disabled: true });
    clock.advance(1_000);
    expect(await found()).toBeNull();
    await silent.close();
  });
});
