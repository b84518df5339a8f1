import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConsoleCodes } from '../../accounts/console-codes.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { hashApiKey } from '../../store/api-key-hash.ts';
import type { AuditEvent } from '../../store/audit.ts';
import { type Answer, type ApiFixture, openApiFixture } from '../api-fixture.ts';
import { addPerson, ConsoleTester, PASSWORD, signedIn } from '../console-fixture.ts';

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

const own = () => fixture.own.organization.uuid;
const newCode = async (personUuid: Ruuid | null = null) =>
  (await new ConsoleCodes(fixture).create(own(), personUuid)).reveal();
async function trail(): Promise<AuditEvent[]> {
  await fixture.audit.settled();
  const everything = { fromMs: 0, toMs: 1e15, includeActions: null, excludeActions: [], limit: 1_000 };
  return (await fixture.store.audit.list(own(), everything)).toReversed();
}

describe('signing in with a password', () => {
  it('begins a session whose token is only in a cookie that scripts cannot read', async () => {
    const ada = await addPerson(fixture, fixture.own, 'operator', { email: 'Ada@example.com' });
    const console = new ConsoleTester(fixture);
    fixture.clock.advance(1_000);
    const response = await console.post('signIn', { email: ' ada@EXAMPLE.com ', password: PASSWORD });
    expect(response.json()).toMatchObject({
      error: false,
      person: { personUuid: ada.uuid, role: 'operator' },
    });
    const [cookie = '', known] = [response.headers['set-cookie'] ?? []].flat();
    expect(cookie).toMatch(
      /^sluice_console=sls_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/,
    );
    expect(known).toMatch(
      /^sluice_known=[\w-]{100,300}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=31536000$/,
    );
    const token = /sls_[\w-]+/.exec(cookie)![0];
    expect(response.body).not.toContain(token);
    const [session] = await fixture.store.consoleSessions.list(own());
    expect(session).toMatchObject({ tokenHash: hashApiKey(token), address: '127.0.0.1', method: 'password' });
    expect(JSON.stringify(session)).not.toContain(token);
    expect(await console.call('getSession')).toMatchObject({
      person: { name: 'operator', hasPassword: true, lastSignInAtMs: fixture.clock.epochMs() },
      session: { sessionUuid: session!.uuid, isCurrent: true },
      role: 'operator',
      organization: { uuid: own(), name: 'Harbour' },
      publicMediaUrl: 'http://media.example',
      signInMethods: ['ONE_TIME_CODE', 'PASSWORD'],
    });
  });

  it('is for https alone if the API is', async () => {
    const secure = await openApiFixture({ overrides: { publicApiUrl: 'https://api.example/base' } });
    await addPerson(secure, secure.own, 'viewer', { email: 'ada@example.com' });
    const body = { email: 'ada@example.com', password: PASSWORD };
    const headers = { origin: 'https://api.example' };
    const response = await new ConsoleTester(secure).post('signIn', body, headers);
    expect(String(response.headers['set-cookie'])).toMatch(/; Secure$/);
    await secure.close();
  });

  it('fails the same for a wrong password, an unknown address, and someone who may not', async () => {
    await addPerson(fixture, fixture.own, 'viewer', { email: 'ada@example.com' });
    await addPerson(fixture, fixture.own, 'viewer', { email: 'off@example.com', disabled: true });
    await addPerson(fixture, fixture.own, 'viewer', { email: 'bare@example.com', passwordHash: null });
    const console = new ConsoleTester(fixture);
    const responses = new Set<string>();
    for (const [email, password] of [
      ['ada@example.com', 'not the password'],
      ['nobody@example.com', PASSWORD],
      ['off@example.com', PASSWORD],
      ['bare@example.com', PASSWORD],
    ]) {
      const { statusCode, body } = await console.post('signIn', { email, password });
      responses.add(`${statusCode} ${body}`);
    }
    expect([...responses]).toEqual([
      expect.stringMatching(/^401 .*The email address, the password or the code/),
    ]);
    expect(await fixture.store.consoleSessions.list(own())).toEqual([]);
    const failed = (await trail()).filter(({ action }) => action === 'LOGIN_FAILURE_WEB');
    expect(failed.map(({ targetName }) => targetName)).toEqual(['viewer', 'viewer', 'viewer']);
    expect(failed[0]!.principal).toMatchObject({ type: 'UNKNOWN', uuid: null, sourceIp: '127.0.0.1' });
  });

  it('locks an address for a while after ten guesses of one password, also for the right one', async () => {
    await addPerson(fixture, fixture.own, 'viewer', { email: 'ada@example.com' });
    const console = new ConsoleTester(fixture);
    const guess = (password: string) => console.post('signIn', { email: 'ada@example.com', password });
    for (let count = 0; count < 10; count++) expect((await guess('wrong')).statusCode).toBe(401);
    const refused = await guess(PASSWORD);
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '60']);
    expect((await console.post('signIn', { email: 'ADA@example.com', password: PASSWORD })).statusCode).toBe(
      429,
    );
    fixture.clock.advance(60_000);
    expect((await guess(PASSWORD)).statusCode).toBe(200);
  });

  it('works from an address that sends wrong API keys', async () => {
    await addPerson(fixture, fixture.own, 'viewer', { email: 'ada@example.com' });
    const guess = () => fixture.post('/api/integrations/validateToken', {}, { 'x-auth-apikey': newRuuid() });
    while ((await guess()).statusCode !== 429);
    const credentials = { email: 'ada@example.com', password: PASSWORD };
    expect((await new ConsoleTester(fixture).post('signIn', credentials)).statusCode).toBe(200);
  });

  it('locks people who do not exist in the same way', async () => {
    const console = new ConsoleTester(fixture);
    const guess = () => console.post('signIn', { email: 'nobody@example.com', password: 'wrong' });
    for (let count = 0; count < 10; count++) expect((await guess()).statusCode).toBe(401);
    expect((await guess()).statusCode).toBe(429);
  });

  it('stops an address that guesses many people, before it is checked', async () => {
    await addPerson(fixture, fixture.own, 'viewer', { email: 'ada@example.com' });
    const console = new ConsoleTester(fixture);
    const guess = (email: string) => console.post('signIn', { email, password: PASSWORD });
    for (let count = 0; count < 20; count++) {
      expect((await guess(`nobody${count}@example.com`)).statusCode).toBe(401);
    }
    const refused = await guess('ada@example.com');
    expect([refused.statusCode, Number(refused.headers['retry-after'])]).toEqual([429, 5]);
  });

  it('takes one of two forms', async () => {
    const console = new ConsoleTester(fixture);
    for (const body of [
      {},
      { email: 'ada@example.com' },
      { oneTimeCode: 'slk_x', email: 'a@b', password: 'x' },
    ]) {
      expect(await console.call('signIn', body)).toMatchObject({
        errorMsg: 'Send either oneTimeCode, or email and password.',
      });
    }
  });

  it('finds the organization by the password if several have someone with the address', async () => {
    const email = 'ada@example.com';
    await addPerson(fixture, fixture.foreign, 'admin', { email, passwordHash: null, createdAtMs: 1 });
    const ada = await addPerson(fixture, fixture.own, 'viewer', { email, createdAtMs: 2 });
    const console = new ConsoleTester(fixture);
    expect(await console.call('signIn', { email, password: PASSWORD })).toMatchObject({
      person: { personUuid: ada.uuid },
    });
  });
});

describe('guesses of others', () => {
  const email = 'ada@example.com';
  const behindProxy = { overrides: { trustProxy: ['127.0.0.1'] } };
  beforeEach(async () => {
    await fixture.close();
    fixture = await openApiFixture(behindProxy);
    await addPerson(fixture, fixture.own, 'viewer', { email });
  });
  const from = (address: string, password: string, console = new ConsoleTester(fixture)) =>
    console.post('signIn', { email, password }, { 'x-forwarded-for': address });
  /** Guesses until unknown browsers may no longer guess; returns how many guesses that took. */
  async function guessFromEverywhere(): Promise<number> {
    for (let count = 0; ; count++) {
      const address = `198.51.${Math.floor(count / 10)}.7`;
      if ((await from(address, 'wrong')).statusCode === 429) return count;
    }
  }

  it('from one address lock no one elsewhere', async () => {
    for (let count = 0; count < 11; count++) await from('192.0.2.1', 'wrong');
    expect((await from('192.0.2.1', PASSWORD)).statusCode).toBe(429);
    expect((await from('192.0.2.2', PASSWORD)).statusCode).toBe(200);
  });

  it('from many addresses are no more than a hundred, and then one every 36 s', async () => {
    expect(await guessFromEverywhere()).toBe(100);
    const refused = await from('203.0.113.9', PASSWORD);
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '36']);
    fixture.clock.advance(36_000);
    expect((await from('203.0.113.9', PASSWORD)).statusCode).toBe(200);
  });

  it('never lock a browser in which the person has signed in before', async () => {
    const known = new ConsoleTester(fixture);
    expect((await from('192.0.2.1', PASSWORD, known)).statusCode).toBe(200);
    await guessFromEverywhere();
    // Someone has guessed from the office, too. The person signs in there, and elsewhere.
    for (let count = 0; count < 30; count++) await from('192.0.2.1', 'wrong');
    for (const address of ['192.0.2.1', '203.0.113.9']) {
      known.cookie = null;
      expect((await from(address, PASSWORD, known)).statusCode).toBe(200);
    }
    expect((await from('203.0.113.9', PASSWORD)).statusCode).toBe(429);
  });

  it('in a known browser are limited as well, and lock only it', async () => {
    const known = new ConsoleTester(fixture);
    await from('192.0.2.1', PASSWORD, known);
    const { knownCookie } = known;
    const responses: number[] = [];
    for (let count = 0; count < 11; count++) {
      responses.push((await from(`192.0.2.${count}`, 'wrong', known)).statusCode);
    }
    expect(responses).toEqual([...Array<number>(10).fill(401), 429]);
    expect((await from('192.0.2.1', PASSWORD)).statusCode).toBe(200);
    // The cookie works for its person alone, and cannot be forged.
    for (const proof of [knownCookie!.slice(0, -2), `${knownCookie!}x`, 'sluice_known=x']) {
      const forged = new ConsoleTester(fixture);
      forged.knownCookie = proof;
      for (let count = 0; count < 11; count++) await from('203.0.113.80', 'wrong', forged);
      expect((await from('203.0.113.80', PASSWORD, forged)).statusCode).toBe(429);
    }
  });

  it('of another person’s known browser are those of a stranger', async () => {
    await addPerson(fixture, fixture.foreign, 'viewer', { email: 'eve@example.com' });
    const eve = new ConsoleTester(fixture);
    await eve.post(
      'signIn',
      { email: 'eve@example.com', password: PASSWORD },
      { 'x-forwarded-for': '192.0.2.9' },
    );
    const responses: number[] = [];
    for (let count = 0; count < 11; count++)
      responses.push((await from('192.0.2.9', 'wrong', eve)).statusCode);
    expect(responses.at(-1)).toBe(429);
  });

  it('leave passkeys and codes to people at an address that guesses, in a known browser', async () => {
    const known = new ConsoleTester(fixture);
    await from('192.0.2.1', PASSWORD, known);
    for (let count = 0; count < 30; count++) {
      const name = `nobody${count}@example.com`;
      await new ConsoleTester(fixture).post(
        'signIn',
        { email: name, password: 'x' },
        { 'x-forwarded-for': '192.0.2.1' },
      );
    }
    const oneTimeCode = await newCode();
    const here = { 'x-forwarded-for': '192.0.2.1' };
    expect((await new ConsoleTester(fixture).post('signIn', { oneTimeCode }, here)).statusCode).toBe(429);
    expect((await known.post('signIn', { oneTimeCode }, here)).statusCode).toBe(200);
  });
});

describe('a one-time code', () => {
  it('makes the first person an admin, works once, and only its hash is stored', async () => {
    const code = await newCode();
    const console = new ConsoleTester(fixture);
    expect(await console.call('signIn', { oneTimeCode: code })).toMatchObject({
      person: { name: 'Administrator', role: 'admin', hasPassword: false },
    });
    expect(await console.call('getSession')).toMatchObject({ session: { signInMethod: 'CODE' } });
    const again = await new ConsoleTester(fixture).post('signIn', { oneTimeCode: code });
    expect(again.statusCode).toBe(401);
    expect(JSON.stringify(await trail())).not.toContain(code);
    expect((await fixture.store.people.list(own())).length).toBe(1);
  });

  it('works once when it arrives twice at once', async () => {
    const code = await newCode();
    const both = await Promise.all(
      [1, 2].map(() => new ConsoleTester(fixture).post('signIn', { oneTimeCode: code })),
    );
    expect(both.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401]);
    expect((await fixture.store.people.list(own())).length).toBe(1);
  });

  it('ends after a day', async () => {
    const code = await newCode();
    fixture.clock.advance(24 * 3_600_000);
    expect((await new ConsoleTester(fixture).post('signIn', { oneTimeCode: code })).statusCode).toBe(401);
    expect(await fixture.store.people.list(own())).toEqual([]);
  });

  it('signs in the first admin who can, or the person whom it is for', async () => {
    await addPerson(fixture, fixture.own, 'admin', { disabled: true, createdAtMs: 1 });
    const admin = await addPerson(fixture, fixture.own, 'admin', { createdAtMs: 2 });
    const viewer = await addPerson(fixture, fixture.own, 'viewer', { createdAtMs: 3 });
    for (const [code, person] of [
      [await newCode(), admin],
      [await newCode(viewer.uuid), viewer],
    ] as const) {
      expect(await new ConsoleTester(fixture).call('signIn', { oneTimeCode: code })).toMatchObject({
        person: { personUuid: person.uuid },
      });
    }
  });

  it('is one of ten at a time', async () => {
    const first = await newCode();
    for (let count = 0; count < 10; count++) {
      fixture.clock.advance(1);
      await newCode();
    }
    expect((await new ConsoleTester(fixture).post('signIn', { oneTimeCode: first })).statusCode).toBe(401);
  });

  it('lets its person set a password without the old one, once they have an email address', async () => {
    const console = new ConsoleTester(fixture);
    const { person } = await console.call('signIn', { oneTimeCode: await newCode() });
    const { personUuid } = person as { personUuid: string };
    const newPassword = 'a password of my own';
    expect(await console.call('changePassword', { newPassword })).toMatchObject({
      errorMsg: expect.stringContaining('needs an email address'),
    });
    await console.call('updatePerson', { personUuid, email: 'ada@example.com', name: 'Ada' });
    expect(await console.call('changePassword', { newPassword })).toMatchObject({ error: false });
    const next = new ConsoleTester(fixture);
    expect(await next.call('signIn', { email: 'ada@example.com', password: newPassword })).toMatchObject({
      person: { name: 'Ada', hasPassword: true },
    });
  });
});

describe('a session', () => {
  it('has a new token at each sign-in, and the one that the browser had ends', async () => {
    const { console, person } = await signedIn(fixture, fixture.own, 'viewer');
    const before = console.cookie!;
    await console.call('signIn', { email: person.email, password: PASSWORD });
    expect(console.cookie).not.toBe(before);
    expect((await console.post('/api/location/getLocations', {}, { cookie: before })).statusCode).toBe(401);
    expect((await console.post('/api/location/getLocations')).statusCode).toBe(200);
  });

  it('is never one that someone else chose', async () => {
    const person = await addPerson(fixture, fixture.own, 'viewer');
    const console = new ConsoleTester(fixture);
    console.cookie = `sluice_console=sls_${'x'.repeat(43)}`;
    await console.call('signIn', { email: person.email, password: PASSWORD });
    expect(console.cookie).not.toContain('xxx');
  });

  it('ends after 12 hours without a request, and after 30 days at the latest', async () => {
    const { console } = await signedIn(fixture, fixture.own, 'viewer');
    const status = async () => (await console.post('/api/location/getLocations')).statusCode;
    const hour = 3_600_000;
    fixture.clock.advance(12 * hour - 1);
    expect(await status()).toBe(200);
    await settled();
    for (let hours = 12; hours < 30 * 24 - 11; hours += 11) {
      fixture.clock.advance(11 * hour);
      expect(await status()).toBe(200);
      await settled();
    }
    fixture.clock.advance(11 * hour);
    expect(await status()).toBe(401);
    const other = await signedIn(fixture, fixture.own, 'viewer');
    fixture.clock.advance(12 * hour);
    expect((await other.console.post('/api/location/getLocations')).statusCode).toBe(401);
  });

  /** The last request is written after its response. */
  async function settled(): Promise<void> {
    await fixture.store.ping();
    fixture.clock.advance(1_000);
  }

  it('ends at once: by signing out, by its person, by an admin, and tells the media', async () => {
    const { console, person } = await signedIn(fixture, fixture.own, 'operator');
    const admin = await signedIn(fixture, fixture.own, 'admin');
    const { sessions } = await console.call('getSessions');
    expect(sessions).toMatchObject([{ personUuid: person.uuid, isCurrent: true }]);
    const [{ sessionUuid }] = sessions as [{ sessionUuid: Ruuid }];
    const stolen = console.cookie!;
    await admin.console.call('endSession', { sessionUuid });
    expect(fixture.endedAccess).toContain(sessionUuid);
    expect((await console.post('/api/location/getLocations')).statusCode).toBe(401);
    await console.call('signIn', { email: person.email, password: PASSWORD });
    const cookie = console.cookie!;
    const out = await console.post('signOut');
    expect(String(out.headers['set-cookie'])).toMatch(/^sluice_console=; .*Max-Age=0/);
    for (const ended of [cookie, stolen]) {
      expect((await console.post('/api/location/getLocations', {}, { cookie: ended })).statusCode).toBe(401);
    }
    const again = await console.post('signOut');
    expect([again.statusCode, again.json()]).toMatchObject([200, { continuesAtProvider: false }]);
    const actions = (await trail()).map(
      ({ action, principal, targetName }) => `${action} of ${targetName} by ${principal.name}`,
    );
    expect(actions.filter((each) => /^LOG/.test(each)).toSorted()).toEqual([
      'LOGIN_WEB of admin by admin',
      'LOGIN_WEB of operator by operator',
      'LOGIN_WEB of operator by operator',
      'LOGOUT_WEB of operator by admin',
      'LOGOUT_WEB of operator by operator',
    ]);
  });

  it('is one of twenty of its person: the least used one makes room', async () => {
    const { console, person } = await signedIn(fixture, fixture.own, 'viewer');
    for (let count = 0; count < 20; count++) {
      fixture.clock.advance(60_000);
      await new ConsoleTester(fixture).call('signIn', { email: person.email, password: PASSWORD });
    }
    expect((await console.post('/api/location/getLocations')).statusCode).toBe(401);
    expect(await fixture.store.consoleSessions.list(own())).toHaveLength(20);
  });
});

describe('the cookie', () => {
  it('counts only with the header that no form can send', async () => {
    const { console } = await signedIn(fixture, fixture.own, 'admin');
    const statusWith = async (headers: Record<string, string>) =>
      (await console.post('/api/location/getLocations', {}, headers)).statusCode;
    expect(await statusWith({})).toBe(200);
    expect(await statusWith({ 'x-auth-scheme': '' })).toBe(401);
    expect(await statusWith({ 'x-auth-scheme': 'api-token' })).toBe(401);
    expect(await statusWith({ 'x-auth-scheme': 'federated-token' })).toBe(401);
  });

  it.each([
    [{ origin: 'http://evil.example' }, 401],
    [{ origin: 'null' }, 401],
    [{ origin: 'http://api.example.evil.example' }, 401],
    [{ origin: 'http://api.example', 'sec-fetch-site': 'cross-site' }, 401],
    [{ origin: 'http://api.example', 'sec-fetch-site': 'same-site' }, 401],
    [{ origin: 'http://192.0.2.7:8080', host: '192.0.2.7:8080' }, 200],
    [{ origin: 'http://192.0.2.7:9090', host: '192.0.2.7:8080' }, 401],
  ])('of a page with %j is answered with %i', async (headers, status) => {
    const { console } = await signedIn(fixture, fixture.own, 'admin');
    expect((await console.post('/api/location/getLocations', {}, headers)).statusCode).toBe(status);
  });

  it('is not looked at where a kind of credentials is named that there is not, even to sign out', async () => {
    const { console } = await signedIn(fixture, fixture.own, 'viewer');
    const response = await console.post('signOut', {}, { 'x-auth-scheme': 'consol' });
    expect(response.statusCode).toBe(401);
    expect(await console.call('getSessions')).toMatchObject({ error: false });
  });

  it('is not accepted where a partner’s or a device’s key is needed, nor for another organization', async () => {
    const { console } = await signedIn(fixture, fixture.own, 'admin');
    expect((await console.post('/api/partner/getClientsV2')).statusCode).toBe(401);
    expect((await console.post('/api/ingest/doors', { rows: [] })).statusCode).toBe(401);
    const named = { 'x-auth-org': fixture.foreign.organization.uuid };
    expect((await console.post('/api/location/getLocations', {}, named)).statusCode).toBe(401);
  });

  it.each(['signIn', 'signOut', 'acceptInvite', 'getSession'])(
    'cannot be set or removed by a page of another site at %s',
    async (operation) => {
      const { console } = await signedIn(fixture, fixture.own, 'viewer');
      const foreign = await console.post(operation, {}, { origin: 'http://evil.example' });
      expect([foreign.statusCode, foreign.json<Answer>().errorMsg]).toEqual([
        403,
        expect.stringContaining('another site'),
      ]);
      expect(foreign.headers['set-cookie']).toBeUndefined();
      expect((await console.post('/api/location/getLocations')).statusCode).toBe(200);
    },
  );
});
