import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deriveRuuid, newRuuid, type Ruuid } from '../../core/ruuid.ts';
import type { Person } from '../../store/person.ts';
import { type Answer, type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';
import { addPerson, ConsoleTester, PASSWORD, signedIn } from '../console-fixture.ts';

let fixture: ApiFixture;
let admin: ConsoleTester;
let adminPerson: Person;
beforeEach(async () => {
  fixture = await openApiFixture();
  ({ console: admin, person: adminPerson } = await signedIn(fixture, fixture.own, 'admin'));
});
afterEach(() => fixture.close());

const isIn = async (console: ConsoleTester) =>
  (await console.post('/api/location/getLocations')).statusCode === 200;
async function invite(wanted: object = {}): Promise<{ token: string; answer: Answer }> {
  const body = { name: 'Bea', email: 'bea@example.com', role: 'operator', ...wanted };
  const answer = await admin.call('invitePerson', body);
  return { token: String(answer.inviteUrl).split('#invite=')[1]!, answer };
}

describe('an invitation', () => {
  it('is a link whose token is in its fragment and stored nowhere; it works once', async () => {
    const { token, answer } = await invite();
    expect(answer.inviteUrl).toMatch(/^http:\/\/api\.example\/console\/#invite=sli_[\w-]{43}$/);
    const stored = await fixture.store.resources.of({ name: 'invitation' }).listEverywhere();
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain(token);
    const bea = new ConsoleTester(fixture);
    const accepted = await bea.call('acceptInvite', {
      inviteToken: token,
      name: 'Beatrix',
      password: PASSWORD,
    });
    expect(accepted).toMatchObject({
      person: { name: 'Beatrix', role: 'operator', email: 'bea@example.com' },
    });
    expect(await bea.call('getSession')).toMatchObject({ session: { signInMethod: 'INVITATION' } });
    const again = await new ConsoleTester(fixture).call('acceptInvite', {
      inviteToken: token,
      password: PASSWORD,
    });
    expect(again.errorMsg).toMatch(/already used/);
    const { people, invitations } = await admin.call('getPeople');
    expect([(people as unknown[]).length, invitations]).toEqual([2, []]);
  });

  it('works once when it is accepted twice at once', async () => {
    const { token } = await invite();
    const body = { inviteToken: token, password: PASSWORD };
    const both = await Promise.all([1, 2].map(() => new ConsoleTester(fixture).call('acceptInvite', body)));
    expect(both.map(({ error }) => error).sort()).toEqual([false, true]);
    expect(await fixture.store.people.list(adminPerson.orgUuid)).toHaveLength(2);
  });

  it('ends after seven days, when it is withdrawn, and when another one is sent', async () => {
    const accept = (inviteToken: string) =>
      new ConsoleTester(fixture).call('acceptInvite', { inviteToken, password: PASSWORD });
    const replaced = await invite({ role: 'admin' });
    const withdrawn = await invite({ email: 'BEA@example.com' });
    expect(await accept(replaced.token)).toMatchObject({ error: true });
    const { invitationUuid } = withdrawn.answer.invitation as { invitationUuid: string };
    await admin.call('deletePerson', { personUuid: invitationUuid });
    expect(await accept(withdrawn.token)).toMatchObject({ error: true });
    const late = await invite();
    fixture.clock.advance(7 * 86_400_000);
    expect(await accept(late.token)).toMatchObject({ error: true });
    expect(await fixture.store.people.list(adminPerson.orgUuid)).toHaveLength(1);
  });

  it.each([
    [{ name: '  ' }, 'name must not be blank.'],
    [{ email: 'not an address' }, 'email must be an email address, such as ada@example.com.'],
    [{ role: 'owner' }, /role/],
  ])('is refused for %j', async (wanted, errorMsg) => {
    expect((await invite(wanted)).answer).toMatchObject({ error: true });
    expect((await invite(wanted)).answer.errorMsg).toMatch(errorMsg);
  });

  it('is refused for someone who is already there', async () => {
    const { answer } = await invite({ email: adminPerson.email!.toUpperCase() });
    expect(answer.errorMsg).toBe('Someone in the organization already has this email.');
  });

  it('is refused with a clear answer for someone whom the directory added, or deactivated', async () => {
    const person = await addPerson(fixture, fixture.own, 'viewer');
    const { orgUuid, uuid } = person;
    const record = { uuid, orgUuid, name: '', parentUuid: uuid, body: {}, secret: null };
    const times = { createdAtMs: 0, updatedAtMs: 0 };
    await fixture.store.resources.of({ name: 'scimUser' }).save({ ...record, ...times });
    const respond = async () => (await invite({ email: person.email! })).answer.errorMsg;
    expect(await respond()).toMatch(/^The directory already added .* need no invitation/);
    await fixture.store.people.save({ ...person, disabled: true });
    expect(await respond()).toMatch(/^The directory deactivated .* Activate them there/);
  });

  it.each([
    ['short', 'The password must have at least 10 characters.'],
    ['x'.repeat(129), 'The password must have at most 128 characters.'],
  ])('is not used up by a password that cannot be: %s', async (password, errorMsg) => {
    const { token } = await invite();
    const accept = (given: string) =>
      new ConsoleTester(fixture).call('acceptInvite', { inviteToken: token, password: given });
    expect((await accept(password)).errorMsg).toBe(errorMsg);
    expect((await accept(PASSWORD)).error).toBe(false);
  });
});

describe('a change of a person', () => {
  it('takes effect on running sessions at once: role, disabling, removal', async () => {
    const { console, person } = await signedIn(fixture, fixture.own, 'admin');
    const { personUuid } = { personUuid: person.uuid };
    expect((await console.post('getPeople')).statusCode).toBe(200);
    await admin.call('updatePerson', { personUuid, role: 'viewer' });
    const refused = await console.post('getPeople');
    expect([refused.statusCode, refused.json<Answer>().errorMsg]).toEqual([
      403,
      'This needs the role admin. The caller has the role viewer.',
    ]);
    expect(await isIn(console)).toBe(true);
    await admin.call('updatePerson', { personUuid, disabled: true });
    expect(await isIn(console)).toBe(false);
    await admin.call('updatePerson', { personUuid, disabled: false });
    expect(await isIn(console)).toBe(false);
    await console.call('signIn', { email: person.email, password: PASSWORD });
    expect(await isIn(console)).toBe(true);
    await admin.call('deletePerson', { personUuid });
    expect(await isIn(console)).toBe(false);
    expect(fixture.endedAccess.filter((uuid) => uuid === person.uuid).length).toBeGreaterThanOrEqual(4);
    expect(await fixture.store.consoleSessions.listByPerson(person.orgUuid, person.uuid)).toEqual([]);
  });

  it('is in the audit trail under the name of the admin', async () => {
    const person = await addPerson(fixture, fixture.own, 'viewer');
    const personUuid = person.uuid;
    for (const changes of [{ role: 'operator' }, { email: 'new@example.com' }, { name: 'Bo' }]) {
      await admin.call('updatePerson', { personUuid, ...changes });
    }
    await admin.call('deletePerson', { personUuid });
    const { auditEvents } = await admin.call('/api/report/getAuditFeed');
    const ofPerson = (auditEvents as { targetUuid: string; action: string; principalName: string }[])
      .filter(({ targetUuid, principalName }) => targetUuid === personUuid && principalName === 'admin')
      .map(({ action }) => action);
    expect(ofPerson.toSorted()).toEqual([
      'DELETE_USER',
      'USER_EMAIL_UPDATE',
      'USER_ROLE_UPDATE',
      'USER_UPDATE',
    ]);
    expect(auditEvents).toContainEqual(
      expect.objectContaining({ principalType: 'USER', principalUuid: adminPerson.uuid, clientType: 'WEB' }),
    );
  });

  it('never leaves the organization without an admin who can sign in', async () => {
    const personUuid = adminPerson.uuid;
    for (const [operation, changes] of [
      ['updatePerson', { role: 'operator' }],
      ['updatePerson', { disabled: true }],
      ['deletePerson', {}],
    ] as const) {
      const { errorMsg } = await admin.call(operation, { personUuid, ...changes });
      expect(errorMsg).toMatch(/^This is the last admin/);
    }
    await addPerson(fixture, fixture.own, 'admin');
    expect((await admin.call('updatePerson', { personUuid, role: 'operator' })).error).toBe(false);
  });

  it('is refused for an address that someone else has, and for no one', async () => {
    const bo = await addPerson(fixture, fixture.own, 'viewer', { email: 'bo@example.com' });
    const taken = await admin.call('updatePerson', { personUuid: adminPerson.uuid, email: 'BO@example.com' });
    expect(taken.errorMsg).toBe('Someone in the organization already has this email.');
    expect((await admin.call('updatePerson', { personUuid: bo.uuid, email: 'Bo@Example.com' })).error).toBe(
      false,
    );
    const missing = await admin.call('updatePerson', { personUuid: newRuuid(), name: 'Bo' });
    expect(missing.errorMsg).toBe('There is no person with this personUuid.');
  });
});

describe('changing the own password', () => {
  it('needs the current one, and ends the other sessions', async () => {
    const { console, person } = await signedIn(fixture, fixture.own, 'viewer');
    const elsewhere = new ConsoleTester(fixture);
    await elsewhere.call('signIn', { email: person.email, password: PASSWORD });
    const newPassword = 'a better password';
    for (const wrong of [{}, { currentPassword: 'not the password' }]) {
      const { errorMsg } = await console.call('changePassword', { ...wrong, newPassword });
      expect(errorMsg).toBe('currentPassword is wrong.');
    }
    expect((await console.call('changePassword', { currentPassword: PASSWORD, newPassword })).error).toBe(
      false,
    );
    expect([await isIn(console), await isIn(elsewhere)]).toEqual([true, false]);
    const signIn = (password: string) =>
      new ConsoleTester(fixture).post('signIn', { email: person.email, password });
    expect((await signIn(PASSWORD)).statusCode).toBe(401);
    expect((await signIn(newPassword)).statusCode).toBe(200);
  });

  it('is no way to guess the current one', async () => {
    const { console } = await signedIn(fixture, fixture.own, 'viewer');
    const guess = () =>
      console.post('changePassword', { currentPassword: 'x', newPassword: 'a better password' });
    for (let count = 0; count < 10; count++) expect((await guess()).statusCode).toBe(200);
    expect((await guess()).statusCode).toBe(429);
  });

  it('is for people: a key has no password', async () => {
    const response = await fixture.call('/api/console/changePassword', { newPassword: 'a better password' });
    expect(response.errorMsg).toMatch(/^Only a person who is signed in/);
  });
});

describe('sessions of others', () => {
  it('are for admins', async () => {
    const { console, person } = await signedIn(fixture, fixture.own, 'operator');
    const { sessions } = await admin.call('getSessions', { everyone: true });
    const whose = (sessions as { personUuid: string }[]).map(({ personUuid }) => personUuid).toSorted();
    expect(whose).toEqual([adminPerson.uuid, person.uuid].toSorted());
    for (const body of [{ everyone: true }, { personUuid: adminPerson.uuid }]) {
      expect((await console.post('getSessions', body)).statusCode).toBe(403);
    }
    const [theirs] = (await admin.call('getSessions')).sessions as { sessionUuid: Ruuid }[];
    const denied = await console.call('endSession', { sessionUuid: theirs!.sessionUuid });
    expect(denied.errorMsg).toBe('There is no session with this sessionUuid.');
    expect(await isIn(admin)).toBe(true);
  });

  it('are not for keys without the role', async () => {
    const viewersKey = await addApiKey(fixture.store, fixture.own.organization.uuid, { role: 'viewer' });
    const headers = { 'x-auth-apikey': viewersKey };
    const response = await fixture.call('/api/console/getSessions', {}, headers);
    expect(response.errorMsg).toMatch(/^Only a person who is signed in/);
  });
});

describe('people of another organization', () => {
  it('are not found, listed, changed, removed or signed out', async () => {
    const { console, person } = await signedIn(fixture, fixture.foreign, 'viewer');
    const { sessions } = await console.call('getSessions');
    const [{ sessionUuid }] = sessions as [{ sessionUuid: Ruuid }];
    expect(JSON.stringify(await admin.call('getPeople'))).not.toContain(person.uuid);
    expect((await admin.call('getSessions', { personUuid: person.uuid })).sessions).toEqual([]);
    const { sessions: everyones } = await admin.call('getSessions', { everyone: true });
    expect(JSON.stringify(everyones)).not.toContain(sessionUuid);
    for (const [operation, body] of [
      ['updatePerson', { personUuid: person.uuid, role: 'admin' }],
      ['deletePerson', { personUuid: person.uuid }],
      ['endSession', { sessionUuid }],
    ] as const) {
      const nobodys = JSON.parse(JSON.stringify(body).replace(/[\w-]{22}/, deriveRuuid('test', 'no one')));
      expect(await admin.call(operation, body)).toEqual(await admin.call(operation, nobodys));
    }
    expect(await isIn(console)).toBe(true);
    expect(await fixture.store.people.find(person.orgUuid, person.uuid)).toMatchObject({ role: 'viewer' });
  });
});
