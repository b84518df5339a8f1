/** API keys, OAuth applications, and their grants. */

import { type Answer, call } from './api.ts';
import { type AuditEntry, readAuditPage } from './audit-feed.ts';
import { type Expiry, expirationTimeSecs } from './expiry.ts';
import { ROLE_NAMES } from './person-list.ts';
import { type Scope, sentScope } from './rights.ts';
import type { Role } from './session.ts';
import { t } from './words.ts';

export type ApiKeyItem = Answer<'integrations/org/getApiTokens'>['apiTokens'][number];

export type ApplicationItem = Answer<'oauth/getAllApplicationsForOrg'>['oauthApplications'][number];

export type GrantItem = Answer<'oauth/getAllGrantsForOrg'>['grants'][number];

export interface Access {
  readonly keys: readonly ApiKeyItem[];
  readonly applications: readonly ApplicationItem[];
  readonly grants: readonly GrantItem[];
  /** Uses of keys before that are not known. */
  readonly notedSinceMs: number;
}

/** The last thing that a key was seen doing; `searched`: how many entries were searched, if there was none. */
export type LastUse =
  | { readonly kind: 'found'; readonly entry: AuditEntry }
  | { readonly kind: 'none'; readonly searched: number; readonly isAll: boolean };

const CLIENT_NAMES: Readonly<Record<string, string>> = {
  DEVELOPER: t('Acts for this organization'),
  PARTNER_DEVELOPER: t('Acts for client organizations'),
  EXECUTABLE: t('Reports and hands over clips, reads nothing'),
};

/** Fails with a CallError. */
export async function readAccess(signal?: AbortSignal): Promise<Access> {
  const [{ apiTokens, usesNotedSinceMs }, { oauthApplications }, { grants }] = await Promise.all([
    call('integrations/org/getApiTokens', {}, signal),
    call('oauth/getAllApplicationsForOrg', {}, signal),
    call('oauth/getAllGrantsForOrg', {}, signal),
  ]);
  return { keys: apiTokens, applications: oauthApplications, grants, notedSinceMs: usesNotedSinceMs };
}

export interface NewKey {
  readonly displayName: string;
  /** null: it only reports. */
  readonly role: Role | null;
  readonly scope: Scope;
  readonly expiry: Expiry;
}

/** Resolves with the key, which is never shown again. Fails with a CallError. */
export async function createKey({ displayName, role, scope, expiry }: NewKey): Promise<string> {
  const endsSecs = expirationTimeSecs(expiry);
  const { apiKey } = await call('integrations/org/submitApiTokenApplication', {
    displayName,
    ...(role === null ? { reportsOnly: true } : { role, ...sentScope(scope) }),
    ...(endsSecs === undefined ? {} : { expirationTimeSecs: endsSecs }),
  });
  return apiKey;
}

/** Absent: unchanged. */
export interface KeyChanges {
  readonly rights?: { readonly role: Role; readonly scope: Scope };
  readonly expiry?: Expiry;
}

/** Applies to its next request. Fails with a CallError. */
export async function updateKey({ tokenUuid }: ApiKeyItem, { rights, expiry }: KeyChanges): Promise<void> {
  const endsSecs = expiry === undefined ? undefined : expirationTimeSecs(expiry);
  await call('integrations/org/updateApiToken', {
    tokenUuid,
    ...(rights === undefined ? {} : { role: rights.role, ...sentScope(rights.scope), scopeUpdated: true }),
    ...(endsSecs === undefined ? {} : { expirationTimeSecs: endsSecs }),
    ...(expiry === undefined ? {} : { expirationTimeSecsUpdated: true }),
  });
}

/** Fails with a CallError. */
export async function revokeKey({ tokenUuid }: ApiKeyItem): Promise<void> {
  await call('integrations/org/revokeApiToken', { tokenUuid });
}

export interface NewApplication {
  readonly name: string;
  readonly redirectUri: string;
  /** Empty: none. */
  readonly description: string;
  /** Empty: none. */
  readonly contactEmail: string;
}

/** Resolves with its client ID and its secret, which is never shown again. Fails with a CallError. */
export async function registerApplication(
  details: NewApplication,
): Promise<Answer<'oauth/submitApplication'>> {
  const { name, redirectUri, description, contactEmail } = details;
  return call('oauth/submitApplication', {
    name,
    redirectUri,
    ...(description === '' ? {} : { description }),
    ...(contactEmail === '' ? {} : { contactEmail }),
  });
}

/** Fails with a CallError. */
export async function deleteApplication({ clientId }: ApplicationItem): Promise<void> {
  await call('oauth/deleteApplication', { clientId });
}

/** Fails with a CallError. */
export async function revokeGrant({ grantUuid }: GrantItem): Promise<void> {
  await call('oauth/revokeGrant', { grantUuid });
}

/**
 * Finds the last use among the newest entries of the audit trail: changes and views, not calls that only read.
 * Fails with a CallError.
 */
export async function readLastUse(tokenUuid: string, signal: AbortSignal): Promise<LastUse> {
  const query = { kind: 'all', cameraUuid: null, fromMs: null, toMs: null } as const;
  const { entries, olderThanMs } = await readAuditPage(query, signal);
  const entry = entries.find(({ principalUuid }) => principalUuid === tokenUuid);
  if (entry !== undefined) return { kind: 'found', entry };
  return { kind: 'none', searched: entries.length, isAll: olderThanMs === null };
}

/** Describes in a sentence what a key with this role may do. */
export const KEY_ROLE_TEXTS: Readonly<Record<Role, string>> = {
  viewer: t('Reads and watches, and changes nothing'),
  operator: t('Also shares, cuts clips and sets schedules'),
  admin: t('Everything, with cameras, people and keys'),
};

export function roleText({ role }: ApiKeyItem): string {
  return role === undefined ? t('Device') : ROLE_NAMES[role];
}

export function clientText({ clientType, role }: ApiKeyItem): string {
  if (clientType === 'DEVELOPER' && role !== undefined) return KEY_ROLE_TEXTS[role];
  return CLIENT_NAMES[clientType] ?? clientType;
}
