/** Every change of people, their sessions and their passkeys, for the test of the audit trail. */

import { newPushBrowser } from '../accounts/push-browser-fixture.ts';
import type { Answer, ApiFixture } from './api-fixture.ts';
import { addPerson, ConsoleTester, PASSWORD } from './console-fixture.ts';
import { SoftAuthenticator } from './soft-authenticator-fixture.ts';

/** Passkeys need https, and a name. */
export const CONSOLE_ORIGIN = 'https://api.example';

export interface PeopleChanges {
  readonly fixture: ApiFixture;
  /** Calls an endpoint with the key. */
  readonly change: (path: string, body: object) => Promise<Answer>;
  /** Records the entries that a call leaves. */
  readonly noting: (path: string, call: () => Promise<Answer>) => Promise<Answer>;
}

function newConsole({ fixture, noting }: PeopleChanges) {
  const console = new ConsoleTester(fixture);
  console.origin = CONSOLE_ORIGIN;
  const asPerson = (operation: string, body: object = {}) =>
    noting(`/api/console/${operation}`, () => console.call(operation, body));
  return { console, asPerson };
}

/** Those of the console are recorded under the name of the person, not the key's. */
export async function changePeople(changes: PeopleChanges): Promise<void> {
  const { fixture, change } = changes;
  const wanted = { name: 'Ada', email: 'ada@example.com', role: 'admin' };
  const { inviteUrl } = await change('/api/console/invitePerson', wanted);
  const { console, asPerson } = newConsole(changes);
  const password = 'correct horse battery';
  const inviteToken = (inviteUrl as string).split('#invite=')[1];
  await asPerson('acceptInvite', { inviteToken, password });
  await asPerson('changePassword', { currentPassword: password, newPassword: 'a better password' });
  const { person } = await asPerson('signIn', { email: wanted.email, password: 'a better password' });
  await asPerson('signOut', {});
  const { personUuid } = person as { personUuid: string };
  await console.call('signIn', { email: wanted.email, password: 'a better password' });
  const { sessions } = await fixture.call('/api/console/getSessions', { personUuid });
  const [{ sessionUuid }] = sessions as [{ sessionUuid: string }];
  await change('/api/console/endSession', { sessionUuid });
  await changePasskeys(changes);
  await changeProvisioning(changes);
  const colleague = await addPerson(fixture, fixture.own, 'viewer');
  await change('/api/console/updatePerson', { personUuid: colleague.uuid, role: 'operator' });
  await change('/api/console/deletePerson', { personUuid: colleague.uuid });
}

async function changeProvisioning({ change }: PeopleChanges): Promise<void> {
  const { tokenUuid } = await change('/api/console/createScimToken', { name: 'Entra' });
  await change('/api/console/revokeScimToken', { tokenUuid: tokenUuid as string });
  const { mapping } = await change('/api/console/setScimMapping', { group: 'Guards', role: 'viewer' });
  const { mappingUuid } = mapping as { mappingUuid: string };
  await change('/api/console/deleteScimMapping', { mappingUuid });
}

async function changePasskeys(changes: PeopleChanges): Promise<void> {
  const { fixture } = changes;
  const person = await addPerson(fixture, fixture.own, 'viewer');
  const { console, asPerson } = newConsole(changes);
  await console.call('signIn', { email: person.email, password: PASSWORD });
  const [one, other] = [new SoftAuthenticator(), new SoftAuthenticator()];
  const begun = async (operation: string) => (await asPerson(operation)).publicKey as never;
  for (const [name, authenticator] of [
    ['Phone', one],
    ['Key ring', other],
  ] as const) {
    const passkey = authenticator.create(await begun('beginAddingPasskey'));
    await asPerson('addPasskey', { name, passkey });
  }
  const confirmation = one.get(await begun('beginConfirmation'));
  await asPerson('confirmIdentity', { passkey: confirmation });
  await asPerson('signInWithPasskey', { passkey: one.get(await begun('beginPasskeySignIn')) });
  const { passkeys } = await console.call('getPasskeys');
  const [{ passkeyUuid }] = passkeys as [{ passkeyUuid: string }];
  await asPerson('renamePasskey', { passkeyUuid, name: 'Old phone' });
  await asPerson('deletePasskey', { passkeyUuid });
  await asPerson('beginPushSubscription');
  const { pushSubscriptionUuid } = await asPerson('addPushSubscription', newPushBrowser().given);
  await asPerson('deletePushSubscription', { pushSubscriptionUuid });
  const wanted = { name: 'Bo', email: 'bo@example.com', role: 'viewer' };
  const { inviteUrl } = await fixture.call('/api/console/invitePerson', wanted);
  await asPerson('beginInvitePasskey', { inviteToken: (inviteUrl as string).split('#invite=')[1] });
}
