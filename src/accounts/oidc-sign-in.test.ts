import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from '../api/api-fixture.ts';
import { addPerson } from '../api/console-fixture.ts';
import { silentLog } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { ProviderIdentity } from '../oidc/oidc-client.ts';
import type { OidcSettings } from '../oidc/oidc-settings.ts';
import { logoutOf, sessionAtProvider } from '../oidc/provider-logout.ts';
import { PROVIDER_LOGOUTS, ProviderLogouts } from '../oidc/provider-logouts.ts';
import { Passwords } from '../sharing/password.ts';
import type { AccessScope } from '../store/access-scope.ts';
import type { Role } from '../store/person.ts';
import { samplePerson } from '../store/sample-entities-fixture.ts';
import { createConsoleServices } from './console-services.ts';
import { OidcSignIn } from './oidc-sign-in.ts';
import { ProviderSignIn } from './provider-sign-in.ts';
import { ProviderSignOut } from './provider-sign-out.ts';

const CLIENT = {
  address: '192.0.2.1',
  userAgent: 'Firefox',
  sessionToken: null,
  browserToken: null,
  browserProof: null,
};
const ROLES: OidcSettings['roles'] = {
  claim: 'groups',
  values: { admin: ['root'], operator: ['guards'], viewer: ['staff'] },
};

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

const own = () => fixture.own.organization.uuid;

function newSignIn(
  overrides: Partial<OidcSettings> = {},
  hasRightsOfGroups: () => Promise<boolean> = async () => false,
) {
  const { store, clock } = fixture;
  const freely = { isAllowed: true, retryAfterSec: 0 };
  const limiter = { take: async () => freely, peek: async () => freely };
  const audit = { signInFailed: () => undefined, as: (_p: unknown, _c: unknown, work: () => any) => work() };
  const services = createConsoleServices({
    store,
    clock,
    passwords: new Passwords({ log2N: 4, r: 1, p: 1 }),
    signInAudit: audit,
    credentialRules: { applied: () => undefined, endAccess: () => 'unknown' as const },
    signInLimiters: { perAddress: limiter, perPerson: limiter, strangers: limiter },
    consoleAddresses: {
      publicApiUrl: 'http://api.example',
      publicMediaUrl: 'http://media.example',
      mapTiles: null,
    },
    ssoLabel: null,
    log: silentLog,
  });
  const settings: OidcSettings = {
    issuer: 'https://login.example',
    clientId: 'sluice',
    clientSecret: '',
    scopes: ['openid'],
    allowedDomains: [],
    roles: null,
    label: '',
    ...overrides,
  };
  const { people, consoleSessions: sessions, signIn, invitations } = services;
  const logouts = new ProviderLogouts({ store, clock, keptMs: KEPT_MS });
  const entering = new ProviderSignIn({
    store,
    clock,
    people,
    sessions,
    signIn,
    logouts,
    audit,
    hasRightsOfGroups,
  });
  const oidc = new OidcSignIn({ signIn: entering, settings, orgUuid: own() });
  const signOut = new ProviderSignOut({ sessions, logouts });
  const invite = (email: string, role: Role, scope: AccessScope | null = null) =>
    invitations.create(own(), { name: 'Invited', email, role, scope });
  return { oidc, people, invite, sessions, signOut, logouts };
}

const ISSUER = 'https://login.example';
const KEPT_MS = 3_600_000;

function identity(overrides: Partial<ProviderIdentity> = {}): ProviderIdentity {
  const { email = 'ada@example.com', subject = 'ada', issuer = ISSUER } = overrides;
  const session = sessionAtProvider({ iss: issuer, sub: subject, iat: 1_000 });
  return { issuer, subject, email, name: 'Ada', claims: {}, session, ...overrides };
}

/** A sign-in in a session of the provider. `sid`: undefined if it names none. */
const inSession = (sid: string | undefined, iat = 1_000, subject = 'ada') =>
  identity({ subject, session: sessionAtProvider({ iss: ISSUER, sub: subject, sid, iat }) });
const logout = (claims: { sub?: string; sid?: string }, iat = 1_000) => {
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  return logoutOf({ iss: ISSUER, jti: 'x', iat, events, ...claims })!;
};

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (thrown: { code: string }) => thrown.code,
  );

describe('OidcSignIn', () => {
  it('lets no one in who is not invited, whatever the provider says', async () => {
    const { oidc } = newSignIn();
    const claims = { groups: ['root'], role: 'admin' };
    expect(await refusal(oidc.enter(identity({ claims }), CLIENT))).toBe('OIDC_NOT_INVITED');
    expect(await fixture.store.people.list(own())).toEqual([]);
  });

  it('accepts an invitation to a verified address, once, with its role', async () => {
    const { oidc, invite } = newSignIn();
    await invite('Ada@Example.com', 'operator');
    expect(await refusal(oidc.enter(identity({ email: null }), CLIENT))).toBe('OIDC_EMAIL_UNVERIFIED');
    const { person, session } = await oidc.enter(identity(), CLIENT);
    expect(person).toMatchObject({ name: 'Ada', role: 'operator', passwordHash: null });
    expect(session.method).toBe('oidc');
    const other = identity({ subject: 'eve', email: 'eve@example.com' });
    expect(await refusal(oidc.enter(other, CLIENT))).toBe('OIDC_NOT_INVITED');
  });

  it('knows a person by issuer and subject, also under another address', async () => {
    const { oidc } = newSignIn();
    const ada = await addPerson(fixture, fixture.own, 'viewer', { email: 'ada@example.com' });
    expect((await oidc.enter(identity(), CLIENT)).person.uuid).toBe(ada.uuid);
    expect((await oidc.enter(identity({ email: 'married@example.com' }), CLIENT)).person.uuid).toBe(ada.uuid);
    expect((await oidc.enter(identity({ email: null }), CLIENT)).person.uuid).toBe(ada.uuid);
    const elsewhere = identity({ issuer: 'https://evil.example', email: 'married@example.com' });
    expect(await refusal(oidc.enter(elsewhere, CLIENT))).toBe('OIDC_NOT_INVITED');
  });

  it('does not let in someone who is disabled or was removed, or of another organization', async () => {
    const { oidc, people } = newSignIn();
    await addPerson(fixture, fixture.foreign, 'admin', { email: 'ada@example.com' });
    expect(await refusal(oidc.enter(identity(), CLIENT))).toBe('OIDC_NOT_INVITED');
    await addPerson(fixture, fixture.own, 'admin');
    const ada = await addPerson(fixture, fixture.own, 'viewer', { email: 'ada@example.com' });
    await oidc.enter(identity(), CLIENT);
    await people.update(own(), ada.uuid, { disabled: true });
    expect(await refusal(oidc.enter(identity(), CLIENT))).toBe('OIDC_PERSON_DISABLED');
    expect(await refusal(oidc.enter(identity({ subject: 'new' }), CLIENT))).toBe('OIDC_PERSON_DISABLED');
    await people.remove(own(), ada.uuid);
    expect(await refusal(oidc.enter(identity(), CLIENT))).toBe('OIDC_NOT_INVITED');
  });

  it('limits addresses to domains, and none below them', async () => {
    const { oidc } = newSignIn({ allowedDomains: ['example.com'], roles: ROLES });
    const claims = { groups: ['staff'] };
    for (const [email, code] of [
      ['ada@sub.example.com', 'OIDC_DOMAIN_NOT_ALLOWED'],
      ['ada@example.com.evil.org', 'OIDC_DOMAIN_NOT_ALLOWED'],
      ['ada@notexample.com', 'OIDC_DOMAIN_NOT_ALLOWED'],
      [null, 'OIDC_EMAIL_UNVERIFIED'],
      ['ada@EXAMPLE.com', 'none'],
    ] as const) {
      expect(await refusal(oidc.enter(identity({ email, claims }), CLIENT))).toBe(code);
    }
  });

  it('gives the highest mapped role, and follows it at each sign-in', async () => {
    const { oidc, sessions } = newSignIn({ roles: ROLES });
    await addPerson(fixture, fixture.own, 'admin');
    const enter = (groups: unknown) => oidc.enter(identity({ claims: { groups } }), CLIENT);
    expect((await enter(['staff', 'guards', 'unknown'])).person.role).toBe('operator');
    expect((await enter('root')).person.role).toBe('admin');
    expect((await enter(['staff'])).person.role).toBe('viewer');
    const { person } = await enter(['staff']);
    expect((await sessions.list(own(), person.uuid)).length).toBeGreaterThan(0);
    for (const groups of [[], ['constructor'], [['root']], { root: true }, undefined]) {
      expect(await refusal(enter(groups))).toBe('OIDC_NO_ROLE');
    }
    expect(await sessions.list(own(), person.uuid)).toEqual([]);
  });

  it('keeps the limits of an invitation, whatever role the provider maps', async () => {
    const { oidc, invite } = newSignIn({ roles: ROLES });
    const scope = { locationUuids: [fixture.own.locationUuid], cameraUuids: [] };
    await invite('ada@example.com', 'viewer', scope);
    const enter = async (group: string) =>
      (await oidc.enter(identity({ claims: { groups: [group] } }), CLIENT)).person;
    expect(await enter('root')).toMatchObject({ role: 'operator', scope });
    expect(await enter('staff')).toMatchObject({ role: 'viewer', scope });
    expect(await enter('root')).toMatchObject({ role: 'operator', scope });
    expect(await fixture.store.people.list(own())).toMatchObject([{ role: 'operator', scope }]);
  });

  it('lets in someone whom a directory added, with the rights of their groups, whatever role the provider maps', async () => {
    let isOfGroups = true;
    const { oidc } = newSignIn({ roles: ROLES }, async () => isOfGroups);
    const added = samplePerson(own(), { email: 'ada@example.com', role: 'viewer', passwordHash: null });
    await fixture.store.people.save(added);
    const enter = (groups: string[]) => oidc.enter(identity({ claims: { groups } }), CLIENT);
    for (const groups of [[], ['root']]) {
      expect((await enter(groups)).person).toMatchObject({ uuid: added.uuid, role: 'viewer' });
    }
    isOfGroups = false;
    expect((await enter(['guards'])).person).toMatchObject({ uuid: added.uuid, role: 'operator' });
  });

  it('leaves the last admin in place', async () => {
    const { oidc } = newSignIn({ roles: ROLES });
    const enter = (groups: string[]) => oidc.enter(identity({ claims: { groups } }), CLIENT);
    await enter(['root']);
    expect(await refusal(enter(['staff']))).toBe('LAST_ADMIN');
  });
});

describe('a logout at the provider', () => {
  const enterAll = async (names: readonly (string | undefined)[]) => {
    const made = newSignIn();
    await addPerson(fixture, fixture.own, 'viewer', { email: 'ada@example.com' });
    const begun: Ruuid[] = [];
    for (const sid of names) begun.push((await made.oidc.enter(inSession(sid), CLIENT)).session.uuid);
    const left = async () => {
      const uuids = (await made.sessions.list(own(), null)).map(({ uuid }) => uuid);
      return names.filter((_name, index) => uuids.includes(begun[index]!));
    };
    return { ...made, left };
  };

  it.each([
    ['its session', { sid: 'one' }, ['two', undefined]],
    ['its session, and those without a name', { sub: 'ada', sid: 'one' }, ['two']],
    ['all of its subject', { sub: 'ada' }, []],
    ['nothing of another subject', { sub: 'eve' }, ['one', 'two', undefined]],
    ['nothing of another session', { sid: 'three' }, ['one', 'two', undefined]],
  ])('ends %s', async (_name, claims, expected) => {
    const { signOut, left } = await enterAll(['one', 'two', undefined]);
    expect(await signOut.end(own(), logout(claims))).toBe(3 - expected.length);
    expect(await left()).toEqual(expected);
  });

  it('leaves sessions that did not begin there, and later ones', async () => {
    const { oidc, sessions, signOut } = await enterAll([]);
    const [person] = await fixture.store.people.list(own());
    const byPassword = await sessions.begin(person!, 'password', CLIENT);
    const later = await oidc.enter(inSession('one', 1_001), CLIENT);
    expect(await signOut.end(own(), logout({ sub: 'ada' }))).toBe(0);
    const left = (await sessions.list(own(), null)).map(({ uuid }) => uuid);
    expect(left.toSorted()).toEqual([byPassword.session.uuid, later.session.uuid].toSorted());
  });

  it('also ends a sign-in that was on its way, and no later one', async () => {
    const { oidc, sessions, signOut } = await enterAll([]);
    await signOut.end(own(), logout({ sub: 'ada' }));
    // A token that comes late does not take that back.
    await signOut.end(own(), logout({ sub: 'ada' }, 900));
    expect(await refusal(oidc.enter(inSession('one'), CLIENT))).toBe('OIDC_ATTEMPT_INVALID');
    expect(await sessions.list(own(), null)).toEqual([]);
    expect(await refusal(oidc.enter(inSession('one', 1_001), CLIENT))).toBe('none');
  });

  it('is forgotten when nothing can rest on it any more', async () => {
    const { signOut } = await enterAll([]);
    await signOut.end(own(), logout({ sub: 'ada', sid: 'one' }));
    fixture.clock.advance(KEPT_MS);
    await signOut.end(own(), logout({ sub: 'eve' }));
    const known = await fixture.store.resources.of(PROVIDER_LOGOUTS).list(own());
    expect(known.map(({ body }) => body.ended)).toEqual([
      sessionAtProvider({ iss: ISSUER, sub: 'eve', iat: 1 }).subject,
    ]);
  });

  it('ends sessions although it cannot be noted, and says so', async () => {
    const { sessions, logouts } = await enterAll(['one']);
    const failing = { ...logouts, note: () => Promise.reject(new Error('full')) };
    const signOut = new ProviderSignOut({ sessions, logouts: failing });
    await expect(signOut.end(own(), logout({ sid: 'one' }))).rejects.toThrow('full');
    expect(await sessions.list(own(), null)).toEqual([]);
  });
});
