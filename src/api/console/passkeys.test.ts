import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHALLENGE_MS } from '../../accounts/passkey-challenges.ts';
import type { Person } from '../../store/person.ts';
import { type Answer, type ApiFixture, openApiFixture } from '../api-fixture.ts';
import { addPerson, ConsoleTester, PASSWORD, signedIn } from '../console-fixture.ts';
import { type AuthenticatorQuirks, SoftAuthenticator } from '../soft-authenticator-fixture.ts';

const ORIGIN = 'https://api.example';
const MINUTE_MS = 60_000;
const REFUSED = 'This passkey was not accepted. Try again, or sign in another way.';
const CONFIRM_FIRST = 'Confirm who you are first, with your password or a passkey, or sign in again.';

/** At a page over https. */
class SecureTester extends ConsoleTester {
  override origin = ORIGIN;
}

let fixture: ApiFixture;
let ada: Person;
let console: SecureTester;
beforeEach(async () => {
  fixture = await openApiFixture({ overrides: { publicApiUrl: ORIGIN } });
  ({ console, person: ada } = await newPerson());
});
afterEach(() => fixture.close());

async function newPerson(overrides: Partial<Person> = {}) {
  const secure = new SecureTester(fixture);
  const { person } = await signedIn(fixture, fixture.own, 'viewer', overrides, secure);
  return { console: secure, person };
}

/** `any`: the gateway decides the options; tests pass them on. */
const options = async (tester: ConsoleTester, operation: string, body: object = {}): Promise<any> =>
  (await tester.call(operation, body)).publicKey;

async function add(tester: ConsoleTester, authenticator: SoftAuthenticator, quirks?: AuthenticatorQuirks) {
  const made = authenticator.create(await options(tester, 'beginAddingPasskey'), quirks);
  return tester.call('addPasskey', { name: 'Desk', passkey: made });
}

async function added(tester = console): Promise<SoftAuthenticator> {
  const authenticator = new SoftAuthenticator();
  expect(await add(tester, authenticator)).toMatchObject({ error: false });
  return authenticator;
}

async function signIn(
  authenticator: SoftAuthenticator,
  quirks?: AuthenticatorQuirks,
  tester = new SecureTester(fixture),
) {
  const passkey = authenticator.get(await options(tester, 'beginPasskeySignIn'), quirks);
  const response = await tester.post('signInWithPasskey', { passkey });
  return { tester, passkey, status: response.statusCode, answer: response.json<Answer>() };
}

const isIn = async (tester: ConsoleTester) =>
  (await tester.post('/api/location/getLocations')).statusCode === 200;
const passkeysOf = async (tester: ConsoleTester) =>
  (await tester.call('getPasskeys')).passkeys as Readonly<Record<string, unknown>>[];
async function trail(): Promise<string[]> {
  await fixture.audit.settled();
  const everything = { fromMs: 0, toMs: 1e15, includeActions: null, excludeActions: [], limit: 1_000 };
  const events = await fixture.store.audit.list(fixture.own.organization.uuid, everything);
  return events.map(({ action, targetName }) => `${action} ${targetName}`);
}

describe('signing in with a passkey', () => {
  it('names no one, begins a session with a new token, and is recorded', async () => {
    const authenticator = await added();
    const visitor = new SecureTester(fixture);
    visitor.cookie = console.cookie;
    const response = await visitor.post('beginPasskeySignIn');
    expect(response.json()).toMatchObject({
      origin: ORIGIN,
      publicKey: { rpId: 'api.example', userVerification: 'required', allowCredentials: [] },
    });
    const cookie = String(response.headers['set-cookie']);
    expect(cookie).toMatch(
      /^__Host-sluice_passkey=slp_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=600; Secure$/,
    );
    fixture.clock.advance(1_000);
    const { answer, tester } = await signIn(authenticator, {}, visitor);
    expect(answer).toMatchObject({ error: false, person: { personUuid: ada.uuid } });
    expect(tester.cookie).not.toBe(console.cookie);
    expect([await isIn(tester), await isIn(console)]).toEqual([true, false]);
    expect(await tester.call('getSession')).toMatchObject({
      session: { signInMethod: 'PASSKEY' },
      signInMethods: ['ONE_TIME_CODE', 'PASSWORD', 'PASSKEY'],
    });
    expect(await passkeysOf(tester)).toMatchObject([
      { name: 'Desk', isSynced: true, isBackedUp: true, works: true, lastUsedAtMs: fixture.clock.epochMs() },
    ]);
    expect(await trail()).toEqual(expect.arrayContaining(['PASSKEY_CREATE Desk', 'LOGIN_WEB viewer']));
  });

  const WRONG: readonly (readonly [string, AuthenticatorQuirks])[] = [
    ['another origin', { origin: 'https://api.example.evil' }],
    ['the same host over another port', { origin: 'https://api.example:8443' }],
    ['another RP ID', { rpId: 'example' }],
    ['no user verification', { isVerified: false }],
    ['a page within another page', { crossOrigin: true }],
    ['a challenge of its own', { challenge: 'AAAA' }],
    ['a response to a registration', { type: 'webauthn.create' }],
    ['another person’s handle', { userHandle: Buffer.alloc(16).toString('base64url') }],
    ['no handle', { userHandle: null }],
    ['backup eligibility that it did not have', { isSynced: false }],
  ];
  it.each(WRONG)('is refused for %s', async (_name, quirks) => {
    const authenticator = await added();
    const { status, answer, tester } = await signIn(authenticator, quirks);
    expect([status, answer.errorMsg]).toEqual([401, REFUSED]);
    expect(tester.cookie).toBeNull();
    expect((await signIn(authenticator)).status).toBe(200);
  });

  it('is refused in the same words for someone unknown, disabled, or who signs for another', async () => {
    const authenticator = await added();
    const stranger = new SoftAuthenticator();
    expect((await signIn(stranger, { userHandle: '' })).answer.errorMsg).toBe(REFUSED);
    const forged = new SoftAuthenticator();
    Object.assign(forged, { credentialId: authenticator.credentialId });
    const handle = Buffer.from(ada.uuid, 'base64url').toString('base64url');
    expect((await signIn(forged, { userHandle: handle })).answer.errorMsg).toBe(REFUSED);
    await fixture.store.people.save({ ...ada, disabled: true });
    expect((await signIn(authenticator)).answer.errorMsg).toBe(REFUSED);
    expect((await trail()).filter((entry) => entry === 'LOGIN_FAILURE_WEB viewer')).toHaveLength(2);
  });

  it('uses a challenge up, whatever comes of it', async () => {
    const authenticator = await added();
    const { passkey, tester } = await signIn(authenticator);
    const again = await tester.post('signInWithPasskey', { passkey });
    expect([again.statusCode, again.json<Answer>().errorMsg]).toEqual([401, REFUSED]);
    const visitor = new SecureTester(fixture);
    const request = await options(visitor, 'beginPasskeySignIn');
    const tries = [authenticator.get(request, { isVerified: false }), authenticator.get(request)];
    for (const each of tries) {
      expect((await visitor.post('signInWithPasskey', { passkey: each })).statusCode).toBe(401);
    }
  });

  it('lets one of two win who use a challenge at once', async () => {
    const authenticator = await added();
    const visitor = new SecureTester(fixture);
    const passkey = authenticator.get(await options(visitor, 'beginPasskeySignIn'));
    const both = await Promise.all([1, 2].map(() => visitor.post('signInWithPasskey', { passkey })));
    expect(both.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 401]);
  });

  it('takes a challenge from the browser that asked for it alone, and for five minutes', async () => {
    const authenticator = await added();
    const victim = new SecureTester(fixture);
    const passkey = authenticator.get(await options(victim, 'beginPasskeySignIn'));
    const thief = new SecureTester(fixture);
    expect((await thief.post('signInWithPasskey', { passkey })).statusCode).toBe(401);
    await options(thief, 'beginPasskeySignIn');
    expect((await thief.post('signInWithPasskey', { passkey })).statusCode).toBe(401);
    fixture.clock.advance(CHALLENGE_MS - 1);
    expect((await victim.post('signInWithPasskey', { passkey })).statusCode).toBe(200);
    const late = authenticator.get(await options(victim, 'beginPasskeySignIn'));
    fixture.clock.advance(CHALLENGE_MS);
    expect((await victim.post('signInWithPasskey', { passkey: late })).statusCode).toBe(401);
  });

  it('lets each page of a browser wait for its own response', async () => {
    const authenticator = await added();
    const visitor = new SecureTester(fixture);
    const first = authenticator.get(await options(visitor, 'beginPasskeySignIn'));
    await options(visitor, 'beginPasskeySignIn');
    expect((await visitor.post('signInWithPasskey', { passkey: first })).statusCode).toBe(200);
  });

  it('refuses a copy of a passkey: a counter that does not grow', async () => {
    const authenticator = new SoftAuthenticator();
    authenticator.counter = 5;
    await add(console, authenticator);
    expect((await signIn(authenticator)).status).toBe(200);
    for (const counter of [6, 3, 0]) {
      authenticator.counter = counter;
      expect((await signIn(authenticator)).status, `counter ${counter}`).toBe(401);
    }
    authenticator.counter = 7;
    expect((await signIn(authenticator)).status).toBe(200);
    expect(await trail()).toContain('LOGIN_FAILURE_WEB viewer');
  });

  it('stops an address that keeps failing, before anything is looked up', async () => {
    const authenticator = await added();
    const stranger = new SoftAuthenticator();
    for (let count = 0; count < 20; count++) expect((await signIn(stranger)).status).toBe(401);
    const visitor = new SecureTester(fixture);
    const refused = await visitor.post('beginPasskeySignIn');
    expect([refused.statusCode, Number(refused.headers['retry-after'])]).toEqual([429, 5]);
    const passkey = authenticator.get({ challenge: 'AAAA', rpId: 'api.example' });
    expect((await visitor.post('signInWithPasskey', { passkey })).statusCode).toBe(429);
  });

  it('is for pages of the console alone', async () => {
    const headers = { origin: 'https://evil.example' };
    expect((await console.post('beginPasskeySignIn', {}, headers)).statusCode).toBe(403);
  });
});

describe('where passkeys cannot work', () => {
  it.each([
    ['http://192.0.2.7:8080', 'IP_ADDRESS', /IP address/],
    ['https://[2001:db8::7]', 'IP_ADDRESS', /IP address/],
    ['http://cams.example', 'PLAIN_HTTP', /only to pages over https/],
  ])('%s says why', async (publicApiUrl, obstacle, sentence) => {
    const plain = await openApiFixture({ overrides: { publicApiUrl } });
    const headers = { origin: new URL(publicApiUrl).origin };
    const tester = new ConsoleTester(plain);
    const { email } = await addPerson(plain, plain.own, 'viewer');
    await tester.post('signIn', { email, password: PASSWORD }, headers);
    for (const operation of ['beginPasskeySignIn', 'beginAddingPasskey', 'beginConfirmation']) {
      const body = (await tester.post(operation, {}, headers)).json<Answer>();
      expect(body.errorMsg).toMatch(sentence);
    }
    const listed = (await tester.post('getPasskeys', {}, headers)).json<Answer>();
    expect(listed).toMatchObject({ passkeys: [], obstacle });
    const { signInMethods } = (await tester.post('getSession', {}, headers)).json<Answer>();
    expect(signInMethods).toEqual(['ONE_TIME_CODE', 'PASSWORD']);
    await plain.close();
  });
});

describe('adding a passkey', () => {
  it.each<readonly [string, AuthenticatorQuirks]>([
    ['another origin', { origin: 'http://api.example' }],
    ['another RP ID', { rpId: 'evil.example' }],
    ['no user verification', { isVerified: false }],
    ['a challenge of its own', { challenge: 'AAAA' }],
    ['a response to a sign-in', { type: 'webauthn.get' }],
    [
      'certificates',
      { attestation: { format: 'packed', statement: new Map([['x5c', [new Uint8Array(4)]]]) } },
    ],
    ['an attestation that we did not ask for', { attestation: { format: 'tpm', statement: new Map() } }],
  ])('is refused for %s', async (_name, quirks) => {
    expect(await add(console, new SoftAuthenticator(), quirks)).toMatchObject({
      errorMsg: 'The passkey was not accepted, or it took too long. Try again.',
    });
    expect(await passkeysOf(console)).toEqual([]);
  });

  it('is refused to a session that is not fresh, until the password is given again', async () => {
    fixture.clock.advance(10 * MINUTE_MS);
    expect(await console.call('getPasskeys')).toMatchObject({ isConfirmed: false });
    expect(await console.call('beginAddingPasskey')).toMatchObject({ errorMsg: CONFIRM_FIRST });
    expect(await console.call('confirmIdentity', { currentPassword: 'not the password' })).toMatchObject({
      errorMsg: 'currentPassword is wrong.',
    });
    expect(await console.call('beginAddingPasskey')).toMatchObject({ errorMsg: CONFIRM_FIRST });
    await console.call('confirmIdentity', { currentPassword: PASSWORD });
    await added();
    expect(await trail()).toEqual(
      expect.arrayContaining(['LOGIN_FAILURE_WEB viewer', 'LOGIN_CONFIRM_WEB viewer']),
    );
  });

  it('checks that again at its end, and is no way to guess a password', async () => {
    fixture.clock.advance(9 * MINUTE_MS);
    const made = new SoftAuthenticator().create(await options(console, 'beginAddingPasskey'));
    fixture.clock.advance(MINUTE_MS);
    const late = await console.call('addPasskey', { name: 'Late', passkey: made });
    expect(late).toMatchObject({ errorMsg: CONFIRM_FIRST });
    const guess = () => console.post('confirmIdentity', { currentPassword: 'x' });
    for (let count = 0; count < 10; count++) expect((await guess()).statusCode).toBe(200);
    expect((await guess()).statusCode).toBe(429);
  });

  it('counts for the person who asked alone', async () => {
    const { console: other } = await newPerson();
    const made = new SoftAuthenticator().create(await options(console, 'beginAddingPasskey'));
    other.passkeyCookie = console.passkeyCookie;
    expect(await other.call('addPasskey', { name: 'Theft', passkey: made })).toMatchObject({ error: true });
    expect(await passkeysOf(other)).toEqual([]);
  });

  it('is refused for a passkey that someone has, and for the eleventh', async () => {
    const authenticator = await added();
    const { console: other } = await newPerson();
    expect(await add(other, authenticator)).toMatchObject({
      errorMsg: 'This passkey has already been added.',
    });
    for (let count = 1; count < 10; count++) await added();
    expect(await console.call('beginAddingPasskey')).toMatchObject({
      errorMsg: 'There is no room for another passkey. A person can have 10. Remove one first.',
    });
  });

  it('is for people: a key has none', async () => {
    const headers = { origin: ORIGIN };
    const response = await fixture.call('/api/console/beginAddingPasskey', {}, headers);
    expect(response.errorMsg).toMatch(/^Only a person who is signed in/);
  });
});

describe('confirming with a passkey', () => {
  it('needs one’s own, and counts for ten minutes', async () => {
    const authenticator = await added();
    const { console: other } = await newPerson();
    const others = await added(other);
    fixture.clock.advance(10 * MINUTE_MS);
    const request = () => options(console, 'beginConfirmation');
    expect((await request()).allowCredentials).toMatchObject([{ id: authenticator.credentialId }]);
    const confirm = async (passkey: object) =>
      (await console.post('confirmIdentity', { passkey })).json<Answer>();
    expect(await confirm(others.get(await request()))).toMatchObject({ error: true });
    const visitor = new SecureTester(fixture);
    visitor.passkeyCookie = console.passkeyCookie;
    const ofSignIn = authenticator.get(await options(visitor, 'beginPasskeySignIn'));
    expect(await confirm(ofSignIn)).toMatchObject({ error: true });
    expect(await console.call('getPasskeys')).toMatchObject({ isConfirmed: false });
    expect(await confirm(authenticator.get(await request()))).toMatchObject({ error: false });
    expect(await console.call('getPasskeys')).toMatchObject({ isConfirmed: true });
    fixture.clock.advance(10 * MINUTE_MS);
    expect(await console.call('getPasskeys')).toMatchObject({ isConfirmed: false });
  });

  it('does not sign the caller out when it fails', async () => {
    const authenticator = await added();
    const passkey = authenticator.get(await options(console, 'beginConfirmation'), { isVerified: false });
    expect((await console.post('confirmIdentity', { passkey })).statusCode).not.toBe(401);
    expect(await isIn(console)).toBe(true);
  });
});

describe('removing a passkey', () => {
  const uuidOf = async (tester = console) => (await passkeysOf(tester))[0]!.passkeyUuid as string;

  it('ends the other sessions, and the passkey with them', async () => {
    const authenticator = await added();
    const { tester: elsewhere } = await signIn(authenticator);
    expect(await console.call('deletePasskey', { passkeyUuid: await uuidOf() })).toMatchObject({
      error: false,
    });
    expect([await isIn(console), await isIn(elsewhere)]).toEqual([true, false]);
    expect((await signIn(authenticator)).status).toBe(401);
    expect(await trail()).toContain('PASSKEY_DELETE Desk');
  });

  it('is refused to a session that is not fresh; renaming is not', async () => {
    await added();
    const passkeyUuid = await uuidOf();
    fixture.clock.advance(10 * MINUTE_MS);
    expect(await console.call('deletePasskey', { passkeyUuid })).toMatchObject({ errorMsg: CONFIRM_FIRST });
    const renamed = await console.call('renamePasskey', { passkeyUuid, name: ' Key ring ' });
    expect(renamed).toMatchObject({ passkey: { name: 'Key ring' } });
    const blank = await console.call('renamePasskey', { passkeyUuid, name: ' ' });
    expect(blank).toMatchObject({ errorMsg: 'name must not be blank.' });
  });

  it('is refused for someone else’s', async () => {
    await added();
    const { console: other } = await newPerson();
    const passkeyUuid = await uuidOf();
    const none = { errorMsg: 'There is no passkey with this passkeyUuid.' };
    expect(await other.call('deletePasskey', { passkeyUuid })).toMatchObject(none);
    expect(await other.call('renamePasskey', { passkeyUuid, name: 'Mine' })).toMatchObject(none);
    expect(await passkeysOf(other)).toEqual([]);
    expect(await passkeysOf(console)).toMatchObject([{ name: 'Desk' }]);
  });

  it('is refused for the last way to sign in, which one for an old address is not', async () => {
    await added();
    await fixture.store.people.save({ ...ada, passwordHash: null });
    const lastWay = 'This is the only way to sign in. Set a password or add another passkey first.';
    const passkeyUuid = await uuidOf();
    expect(await console.call('deletePasskey', { passkeyUuid })).toMatchObject({ errorMsg: lastWay });
    const [old] = await fixture.store.passkeys.listByPerson(ada.orgUuid, ada.uuid);
    await fixture.store.passkeys.save({ ...old!, rpId: 'old.example' });
    expect(await passkeysOf(console)).toMatchObject([{ works: false, hostName: 'old.example' }]);
    expect(await console.call('deletePasskey', { passkeyUuid })).toMatchObject({ error: false });
  });
});

describe('changing the password', () => {
  const change = (tester: ConsoleTester, body: object = {}) =>
    tester.call('changePassword', { newPassword: 'a better password', ...body });

  it('needs no current one right after signing in with a passkey, but later does', async () => {
    const { tester } = await signIn(await added());
    fixture.clock.advance(10 * MINUTE_MS);
    expect(await change(tester)).toMatchObject({ errorMsg: CONFIRM_FIRST });
    expect(await change(tester, { currentPassword: 'x' })).toMatchObject({
      errorMsg: 'currentPassword is wrong.',
    });
    const { tester: fresh } = await signIn(await freshPasskey());
    expect(await change(fresh)).toMatchObject({ error: false });
  });

  async function freshPasskey(): Promise<SoftAuthenticator> {
    await console.call('confirmIdentity', { currentPassword: PASSWORD });
    return added();
  }

  it('of someone who has none, but a passkey, needs a fresh session', async () => {
    const authenticator = await added();
    await fixture.store.people.save({ ...ada, passwordHash: null });
    fixture.clock.advance(10 * MINUTE_MS);
    expect(await change(console)).toMatchObject({ errorMsg: CONFIRM_FIRST });
    const passkey = authenticator.get(await options(console, 'beginConfirmation'));
    await console.call('confirmIdentity', { passkey });
    expect(await change(console)).toMatchObject({ error: false });
  });
});

describe('an invitation that is accepted with a passkey', () => {
  async function invited(): Promise<string> {
    const wanted = { name: 'Bea', email: 'bea@example.com', role: 'operator' };
    const { inviteUrl } = await fixture.call('/api/console/invitePerson', wanted);
    return String(inviteUrl).split('#invite=')[1]!;
  }

  it('adds a person without a password, who signs in with it again', async () => {
    const inviteToken = await invited();
    const bea = new SecureTester(fixture);
    const authenticator = new SoftAuthenticator();
    const creation = await options(bea, 'beginInvitePasskey', { inviteToken, name: 'Beatrix' });
    expect(creation.user).toMatchObject({ name: 'bea@example.com', displayName: 'Beatrix' });
    const body = {
      inviteToken,
      name: 'Beatrix',
      passkey: authenticator.create(creation),
      passkeyName: 'Phone',
    };
    const accepted = await bea.call('acceptInvite', body);
    expect(accepted).toMatchObject({ person: { name: 'Beatrix', role: 'operator', hasPassword: false } });
    expect(await passkeysOf(bea)).toMatchObject([{ name: 'Phone' }]);
    expect((await signIn(authenticator)).answer).toMatchObject({ person: { name: 'Beatrix' } });
    expect(await new SecureTester(fixture).call('acceptInvite', body)).toMatchObject({ error: true });
  });

  it('is not used up by a passkey that is refused, nor by one that is taken', async () => {
    const inviteToken = await invited();
    const bea = new SecureTester(fixture);
    const taken = await added();
    for (const [authenticator, quirks] of [
      [new SoftAuthenticator(), { isVerified: false }],
      [taken, {}],
    ] as const) {
      const creation = await options(bea, 'beginInvitePasskey', { inviteToken });
      const passkey = authenticator.create(creation, quirks);
      expect(await bea.call('acceptInvite', { inviteToken, passkey })).toMatchObject({ error: true });
    }
    expect(await fixture.store.people.list(ada.orgUuid)).toHaveLength(1);
    expect(await bea.call('acceptInvite', { inviteToken, password: PASSWORD })).toMatchObject({
      error: false,
    });
  });

  it('takes a challenge for this invitation alone, and one of two ways', async () => {
    const [first, bea] = [await invited(), new SecureTester(fixture)];
    const creation = await options(console, 'beginAddingPasskey');
    bea.passkeyCookie = console.passkeyCookie;
    const passkey = new SoftAuthenticator().create(creation);
    expect(await bea.call('acceptInvite', { inviteToken: first, passkey })).toMatchObject({ error: true });
    for (const body of [{}, { password: PASSWORD, passkey }]) {
      expect(await bea.call('acceptInvite', { inviteToken: first, ...body })).toMatchObject({
        errorMsg: 'Send either password or passkey.',
      });
    }
    const unknown = await bea.call('beginInvitePasskey', { inviteToken: 'sli_x' });
    expect(unknown.errorMsg).toMatch(/already used/);
  });
});
