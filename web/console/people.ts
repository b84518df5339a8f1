/** People of the organization, their invitations and sessions, as the API has them. */

import { call } from './api.ts';
import type { Person, Role } from './session.ts';

export interface PersonItem extends Person {
  readonly disabled: boolean;
  /** Absent: never. */
  readonly lastSignInAtMs?: number;
}

export interface InvitationItem {
  readonly invitationUuid: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly expiresAtMs: number;
}

export interface SessionItem {
  readonly sessionUuid: string;
  readonly address: string;
  readonly userAgent?: string;
  readonly createdAtMs: number;
  readonly lastSeenAtMs: number;
  readonly isCurrent: boolean;
}

export interface People {
  readonly people: readonly PersonItem[];
  readonly invitations: readonly InvitationItem[];
}

export const ROLE_OPTIONS: readonly { readonly value: Role; readonly title: string }[] = [
  { value: 'viewer', title: 'Viewer: looks and watches' },
  { value: 'operator', title: 'Operator: also shares, cuts and schedules' },
  { value: 'admin', title: 'Administrator: everything' },
];

export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  viewer: 'Viewer',
  operator: 'Operator',
  admin: 'Administrator',
};

export function readPeople(signal: AbortSignal): Promise<People> {
  return call<People>('console/getPeople', {}, signal);
}

/** The link that the invited person opens. It is returned only here. */
export async function invitePerson(name: string, email: string, role: Role): Promise<string> {
  const { inviteUrl } = await call<{ inviteUrl: string }>('console/invitePerson', { name, email, role });
  return inviteUrl;
}

export async function updatePerson(
  personUuid: string,
  changes: {
    readonly name?: string;
    readonly email?: string;
    readonly role?: Role;
    readonly disabled?: boolean;
  },
): Promise<void> {
  await call('console/updatePerson', { personUuid, ...changes });
}

/** Of a person, or of an invitation that was not accepted. */
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
  const { sessions } = await call<{ sessions: readonly SessionItem[] }>('console/getSessions', {}, signal);
  return sessions;
}

export async function endSession(sessionUuid: string): Promise<void> {
  await call('console/endSession', { sessionUuid });
}
