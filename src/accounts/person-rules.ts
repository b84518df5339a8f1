/** Rules for the names and passwords of people. */

import { GatewayError } from '../core/errors.ts';
import type { Turn } from '../core/fair-queue.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { ACCOUNT_ERRORS } from './errors.ts';

export const MIN_PERSON_PASSWORD_CHARS = 10;
export const MAX_PERSON_PASSWORD_CHARS = 128;
/** RFC 5321 §4.5.3.1.3, without the angle brackets. */
export const MAX_EMAIL_CHARS = 254;
export const MAX_PEOPLE = LIMITS.people.perOrganization;

/** One `@` with something on both sides and no spaces: whether mail arrives there is not known. */
const EMAIL = /^[^\s@]+@[^\s@]+$/;

/** Hashes passwords: slow work, done in turn by a few threads (sharing/password.ts). */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  verify(hash: string, password: string, turn: Turn): Promise<boolean>;
  isFullFor(turn: Turn): boolean;
}

/** Fails PERSON_UNNAMED. */
export function checkedName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '') throw new GatewayError(ACCOUNT_ERRORS.PERSON_UNNAMED);
  return trimmed;
}

/** Fails PERSON_EMAIL_INVALID. */
export function checkedEmail(email: string): string {
  const trimmed = email.trim();
  if (!EMAIL.test(trimmed) || trimmed.length > MAX_EMAIL_CHARS) {
    throw new GatewayError(ACCOUNT_ERRORS.PERSON_EMAIL_INVALID);
  }
  return trimmed;
}

/** Fails PERSON_PASSWORD_TOO_SHORT, PERSON_PASSWORD_TOO_LONG. Length alone counts: rules about characters are useless. */
export function checkPassword(password: string): void {
  if (password.length < MIN_PERSON_PASSWORD_CHARS) {
    throw new GatewayError(ACCOUNT_ERRORS.PERSON_PASSWORD_TOO_SHORT, { limit: MIN_PERSON_PASSWORD_CHARS });
  }
  if (password.length > MAX_PERSON_PASSWORD_CHARS) {
    throw new GatewayError(ACCOUNT_ERRORS.PERSON_PASSWORD_TOO_LONG, { limit: MAX_PERSON_PASSWORD_CHARS });
  }
}

/** LAST_ADMIN. */
export function lastAdmin(): GatewayError {
  return new GatewayError(ACCOUNT_ERRORS.LAST_ADMIN);
}
