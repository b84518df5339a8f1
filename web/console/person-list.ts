/** People of the organization, their invitations and sessions, as the API has them. */

import { type Answer, call, type Request } from './api.ts';
import { place } from './places.ts';
import { type RightsPlaces, readRightsPlaces } from './rights.ts';
import type { Role } from './session.ts';
import type { ItemState } from './state-filter.ts';
import { t, tIn } from './words.ts';

export type PersonItem = People['people'][number];

export type InvitationItem = People['invitations'][number];

export type SessionItem = Answer<'console/getSessions'>['sessions'][number];

export type People = Answer<'console/getPeople'>;

export const ROLE_OPTIONS: readonly { readonly value: Role; readonly title: string }[] = [
  { value: 'viewer', title: t('Viewer: looks and watches') },
  { value: 'operator', title: t('Operator: also shares, cuts and schedules') },
  { value: 'admin', title: t('Administrator: everything') },
];

export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  viewer: t('Viewer'),
  operator: t('Operator'),
  admin: t('Administrator'),
};

/** Filters of people by role. */
export const ROLE_STATES: readonly ItemState[] = [
  { value: 'admin', title: t('Administrators') },
  { value: 'operator', title: t('Operators') },
  { value: 'viewer', title: tIn('role', 'Viewers') },
];

/** The list, with one person opened. */
export function personPlace(personUuid: string): string {
  return place(`people?person=${encodeURIComponent(personUuid)}`);
}

/** Fails with a CallError. */
export async function listPeople(signal: AbortSignal): Promise<readonly PersonItem[]> {
  return (await call('console/getPeople', {}, signal)).people;
}

/** With the names of what they see. Fails with a CallError. */
export async function readPeople(signal: AbortSignal): Promise<People & { readonly places: RightsPlaces }> {
  const [people, places] = await Promise.all([
    call('console/getPeople', {}, signal),
    readRightsPlaces(signal),
  ]);
  return { ...people, places };
}

/** The link that the invited person opens. It is returned only here. */
export async function invitePerson(wanted: Request<'console/invitePerson'>): Promise<string> {
  const { inviteUrl } = await call('console/invitePerson', wanted);
  return inviteUrl;
}

export async function updatePerson(
  personUuid: string,
  changes: Omit<Request<'console/updatePerson'>, 'personUuid'>,
): Promise<void> {
  await call('console/updatePerson', { personUuid, ...changes });
}

/** Removes a person, or an invitation that was not accepted. */
export async function removePerson(uuid: string): Promise<void> {
  await call('console/deletePerson', { personUuid: uuid });
}

/** `currentPassword`: empty if there is none yet. */
export async function changePassword(currentPassword: string, newPassword: string): Promise<void> {
  await call('console/changePassword', {
    ...(currentPassword === '' ? {} : { currentPassword }),
    newPassword,
  });
}

/** The caller's own. */
export async function readSessions(signal: AbortSignal): Promise<readonly SessionItem[]> {
  const { sessions } = await call('console/getSessions', {}, signal);
  return sessions;
}

export async function endSession(sessionUuid: string): Promise<void> {
  await call('console/endSession', { sessionUuid });
}
