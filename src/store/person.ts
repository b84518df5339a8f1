/** People who use the console, and their sessions. */

import type { Ruuid } from '../core/ruuid.ts';
import type { AccessScope } from './access-scope.ts';

/**
 * The rights of a person or an API key, each more than the one before: `viewer` reads and watches, `operator` also changes
 * shares, clips, schedules, walls and alerts, `admin` everything.
 */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export interface Person {
  readonly uuid: Ruuid;
  readonly orgUuid: Ruuid;
  readonly name: string;
  /** Unique in the organization, whatever its case; null: the person cannot sign in with a password. */
  readonly email: string | null;
  readonly role: Role;
  /** null: the whole organization. Never with the role `admin`. */
  readonly scope: AccessScope | null;
  /** A PHC string (sharing/password.ts); null: the person has none. */
  readonly passwordHash: string | null;
  /** They cannot sign in, and their sessions do not work. */
  readonly disabled: boolean;
  readonly createdAtMs: number;
  readonly lastSignInAtMs: number | null;
}

/** A person without what proves who they are. */
export interface KnownPerson extends Omit<Person, 'passwordHash'> {
  readonly hasPassword: boolean;
}

export function knownPerson({ passwordHash, ...person }: Person): KnownPerson {
  return { ...person, hasPassword: passwordHash !== null };
}

/** How a session began: a one-time code, an accepted invitation, a password, a passkey, or a provider. */
export type SignInMethod = 'code' | 'invitation' | 'password' | 'passkey' | 'oidc' | 'saml';

/** The provider's facts about a sign-in (oidc/provider-logout.ts, saml/saml-client.ts). */
export interface SessionAtProvider {
  /** Derived from the subject. */
  readonly subject: Ruuid;
  /** Derived from the provider's ID of its session, or from the subject. */
  readonly session: Ruuid;
  /** By the provider's clock. */
  readonly issuedAtSec: number;
}

export interface ConsoleSession {
  readonly uuid: Ruuid;
  readonly orgUuid: Ruuid;
  readonly personUuid: Ruuid;
  /** SHA-256 of the token, 32 bytes as hex. Tokens have 256 random bits, so no slow hash is needed. */
  readonly tokenHash: string;
  readonly method: SignInMethod;
  /** The address where it began. */
  readonly address: string;
  readonly userAgent: string | null;
  readonly createdAtMs: number;
  /** When the person last showed who they are: when it began, or later. */
  readonly confirmedAtMs: number;
  /** Written about once a minute, without an event. */
  readonly lastSeenAtMs: number;
  /** null: it did not begin at a provider. */
  readonly provider: SessionAtProvider | null;
}

/** Two spellings of one email address have the same key. */
export function emailKey(email: string): string {
  return email.trim().normalize('NFC').toLowerCase();
}
