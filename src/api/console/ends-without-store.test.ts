/** People, their sessions, and applications lose access although the store cannot be reached, or hangs. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../core/eventually-fixture.ts';
import { UNSTORED_RETRY_MS } from '../../sharing/unstored-ends.ts';
import { BRIEF_WAIT_MS } from '../../store/brief-waits.ts';
import type { Person } from '../../store/person.ts';
import { type StoreCondition, UnresponsiveStore } from '../../store/unresponsive-store-fixture.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';
import { ConsoleTester, PASSWORD, signedIn } from '../console-fixture.ts';
import { OAuthTester, type Tokens } from '../oauth-fixture.ts';

const IN_FORCE = 'This is in force, and will be stored as soon as the database can be reached.';

let fixture: ApiFixture;
let unresponsive: UnresponsiveStore;
let admin: ConsoleTester;
let bea: ConsoleTester;
let beaPerson: Person;

beforeEach(async () => {
  unresponsive = new UnresponsiveStore();
  fixture = await openApiFixture({ onStore: (store) => unresponsive.standBefore(store) });
  admin = (await signedIn(fixture, fixture.own, 'admin')).console;
  const signed = await signedIn(fixture, fixture.own, 'operator', { name: 'Bea', email: 'bea@example.com' });
  [bea, beaPerson] = [signed.console, signed.person];
  for (const each of [admin, bea]) await each.call('/api/org/getOrgV2');
});
afterEach(async () => {
  unresponsive.become('working');
  await fixture.close();
});

/** Loses the store from now on; credentials were seen a while ago. */
function lose(condition: StoreCondition): void {
  unresponsive.become(condition);
  fixture.clock.advance(60_000);
}

async function works(): Promise<void> {
  unresponsive.become('working');
  await eventually('all ends are stored', () => {
    fixture.clock.advance(UNSTORED_RETRY_MS);
    return fixture.ends.size === 0;
  });
}

/** The response, which comes within two seconds of the clock's time. */
async function responded(call: Promise<{ json<T>(): T }>): Promise<Record<string, unknown>> {
  let result: Record<string, unknown> | null = null;
  void call.then((response) => {
    result = response.json<Record<string, unknown>>();
  });
  const hasResponse = () => result !== null;
  await eventually(
    'the response, or a wait for the database',
    () => hasResponse() || unresponsive.waiting > 0,
  );
  if (!hasResponse()) fixture.clock.advance(BRIEF_WAIT_MS);
  await eventually('the response', hasResponse);
  return result!;
}

const sessionOf = async (person: Person) => {
  const [session] = await fixture.store.consoleSessions.listByPerson(person.orgUuid, person.uuid);
  return session!.uuid;
};
const statusOf = async (tester: ConsoleTester) => (await tester.post('/api/org/getOrgV2')).statusCode;

describe.each(['away', 'hung'] as const)('while the store is %s', (condition) => {
  it.each([
    ['a person who is removed', 'deletePerson', () => ({ personUuid: beaPerson.uuid })],
    ['a person who is disabled', 'updatePerson', () => ({ personUuid: beaPerson.uuid, disabled: true })],
  ])('access ends of %s, and with it every session', async (_who, operation, body) => {
    lose(condition);
    const response = await responded(admin.post(operation, body()));
    expect([response.error, response.errorMsg, response.warningMsg]).toEqual([false, undefined, IN_FORCE]);
    // The database has answered by then, and not got the end yet.
    unresponsive.become('working');
    expect(await statusOf(bea)).toBe(401);
    const next = new ConsoleTester(fixture);
    await next.post('signIn', { email: 'bea@example.com', password: PASSWORD });
    expect(await statusOf(next)).toBe(401);
    expect(await statusOf(admin)).toBe(200);
    await works();
    const stored = await fixture.store.people.find(beaPerson.orgUuid, beaPerson.uuid);
    expect(stored?.disabled ?? 'gone').toBe(operation === 'deletePerson' ? 'gone' : true);
    expect(await fixture.store.consoleSessions.listByPerson(beaPerson.orgUuid, beaPerson.uuid)).toEqual([]);
    expect(await statusOf(bea)).toBe(401);
  });

  it('a session ends', async () => {
    const sessionUuid = await sessionOf(beaPerson);
    lose(condition);
    const response = await responded(admin.post('endSession', { sessionUuid }));
    expect([response.errorMsg, response.warningMsg]).toEqual([undefined, IN_FORCE]);
    unresponsive.become('working');
    expect(await statusOf(bea)).toBe(401);
    await works();
    expect(await fixture.store.consoleSessions.find(beaPerson.orgUuid, sessionUuid)).toBeNull();
  });

  it('people sign out', async () => {
    const { cookie } = bea;
    lose(condition);
    const response = await responded(bea.post('signOut'));
    expect([response.errorMsg, response.warningMsg]).toEqual([undefined, IN_FORCE]);
    unresponsive.become('working');
    bea.cookie = cookie;
    expect(await statusOf(bea)).toBe(401);
    await works();
    expect(await fixture.store.consoleSessions.listByPerson(beaPerson.orgUuid, beaPerson.uuid)).toEqual([]);
  });

  it('an application loses its grant, and its tokens with it', async () => {
    const oauth = new OAuthTester(fixture);
    const client = await oauth.register();
    const tokens = await oauth.tokens(client);
    expect(await oauth.statusWith(tokens.access_token)).toBe(200);
    const [grant] = await fixture.store.oauthGrants.list(fixture.own.organization.uuid);
    await fixture.call('/api/oauth/getAllGrantsForOrg');
    lose(condition);
    const response = await responded(fixture.post('/api/oauth/revokeGrant', { grantUuid: grant!.uuid }));
    expect([response.errorMsg, response.warningMsg]).toEqual([undefined, IN_FORCE]);
    unresponsive.become('working');
    expect(await oauth.statusWith(tokens.access_token)).toBe(401);
    const refreshed = await oauth.refresh(client, tokens.refresh_token);
    expect(await oauth.statusWith(refreshed.json<Tokens>().access_token)).toBe(401);
    await works();
    expect(await fixture.store.oauthGrants.list(fixture.own.organization.uuid)).toEqual([]);
    const { refresh_token } = refreshed.json<Tokens>();
    expect((await oauth.refresh(client, refresh_token)).statusCode).toBe(400);
  });

  it('an operator ends no session of someone else, and the last admin stays', async () => {
    const [sessions, people] = [fixture.store.consoleSessions, fixture.store.people];
    const adminPerson = (await people.list(beaPerson.orgUuid)).find(({ role }) => role === 'admin')!;
    const sessionUuid = await sessionOf(adminPerson);
    lose(condition);
    const responses = [
      await responded(bea.post('endSession', { sessionUuid })),
      await responded(admin.post('deletePerson', { personUuid: adminPerson.uuid })),
    ];
    expect(responses.map(({ error }) => error)).toEqual([true, true]);
    expect(fixture.ends.size).toBe(0);
    unresponsive.become('working');
    expect(await statusOf(admin)).toBe(200);
    expect(await sessions.find(beaPerson.orgUuid, sessionUuid)).not.toBeNull();
  });
});

it('a change that does more than take access away needs the store', async () => {
  lose('away');
  const { uuid: personUuid } = beaPerson;
  const bodies = [{ role: 'viewer' }, { disabled: true, name: 'B' }, { disabled: false }];
  for (const body of bodies) {
    const { statusCode } = await admin.post('updatePerson', { personUuid, ...body });
    expect([body, statusCode]).toEqual([body, 503]);
  }
  expect(fixture.ends.size).toBe(0);
});
