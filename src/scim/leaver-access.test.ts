import { expect, it, onTestFinished } from 'vitest';
import { PROVIDER_IDENTITIES } from '../accounts/provider-sign-in.ts';
import { ProviderSignOut } from '../accounts/provider-sign-out.ts';
import { SubjectSignOut } from '../accounts/subject-sign-out.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { sessionAtProvider, subjectUuid } from '../oidc/provider-logout.ts';
import { ProviderLogouts } from '../oidc/provider-logouts.ts';
import { sampleApiKey, sampleOrganization, samplePerson } from '../store/sample-entities-fixture.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { LeaverAccess } from './leaver-access.ts';

const ISSUER = 'https://idp.example';

async function openLeavers() {
  const clock = new FakeClock();
  const store = await openTestStore(clock);
  onTestFinished(() => store.close());
  const organization = sampleOrganization();
  const orgUuid = organization.uuid;
  await store.organizations.save(organization);
  const logouts = new ProviderLogouts({ store, clock, keptMs: 3_600_000 });
  const endedSubjects: Ruuid[] = [];
  const sessions = {
    endByProvider: async (_org: Ruuid, ended: readonly Ruuid[]) => endedSubjects.push(...ended),
  };
  const signOut = new ProviderSignOut({ sessions: sessions as never, logouts });
  const subjects = new SubjectSignOut(signOut, clock);
  const revoked: Ruuid[] = [];
  const leavers = new LeaverAccess({
    store,
    apiTokens: { revoke: async (_org, uuid) => void revoked.push(uuid) },
    endSubjects: (org, ended) => subjects.end(org, ended),
  });
  const nowSec = () => Math.floor(clock.epochMs() / 1_000);
  return { store, orgUuid, logouts, subjects, leavers, revoked, endedSubjects, nowSec };
}

it('ends the keys that the person created, and what they opened by single sign-on, also if the provider’s clock is ahead', async () => {
  const { store, orgUuid, logouts, leavers, revoked, endedSubjects, nowSec } = await openLeavers();
  const person = samplePerson(orgUuid);
  await store.people.save(person);
  const own = sampleApiKey(orgUuid, { createdByUuid: person.uuid });
  const others = [
    sampleApiKey(orgUuid, { createdByUuid: newRuuid(), keyHash: 'b'.repeat(64) }),
    sampleApiKey(orgUuid, { createdByUuid: null, keyHash: 'c'.repeat(64) }),
    sampleApiKey(orgUuid, { createdByUuid: person.uuid, revokedAtMs: 1, keyHash: 'd'.repeat(64) }),
  ];
  for (const key of [own, ...others]) await store.apiKeys.save(key);
  const subject = subjectUuid(ISSUER, 'ada');
  await store.resources.of(PROVIDER_IDENTITIES).save({
    uuid: subject,
    orgUuid,
    name: '',
    parentUuid: person.uuid,
    secret: null,
    body: { personUuid: person.uuid },
    createdAtMs: 1,
    updatedAtMs: 1,
  });
  const signIn = (sub: string, iat: number) => sessionAtProvider({ iss: ISSUER, sub, iat });
  const watching = [signIn('ada', nowSec() - 60), signIn('ada', nowSec() + 30)];
  const leaver = await leavers.of(orgUuid, person.uuid);
  await store.people.remove(orgUuid, person.uuid);
  expect(revoked).toEqual([]);
  await leaver.end();
  expect(revoked).toEqual([own.uuid]);
  expect(endedSubjects).toEqual([subject]);
  for (const session of watching) expect(await logouts.isOver(orgUuid, session)).toBe(true);
  expect(await logouts.isOver(orgUuid, signIn('bea', nowSec()))).toBe(false);
});

it('ends the subject in its own organization alone', async () => {
  const { store, orgUuid, logouts, subjects, nowSec } = await openLeavers();
  const other = sampleOrganization();
  await store.organizations.save(other);
  const session = sessionAtProvider({ iss: ISSUER, sub: 'ada', iat: nowSec() });
  await subjects.end(other.uuid, [subjectUuid(ISSUER, 'ada')]);
  expect(await logouts.isOver(orgUuid, session)).toBe(false);
  expect(await logouts.isOver(other.uuid, session)).toBe(true);
});
