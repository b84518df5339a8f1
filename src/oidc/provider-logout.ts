/**
 * Logout tokens, with which the provider reports the end of one of its sessions (OpenID Connect Back-Channel Logout 1.0 §2.4), and the
 * sign-ins that they end. Neither subjects nor session IDs are stored: the UUIDs here are derived from them.
 */

import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import type { SessionAtProvider } from '../store/person.ts';

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const MAX_CLAIM_CHARS = 255;

export interface ProviderLogout {
  /** Subjects and sessions. */
  readonly ended: readonly Ruuid[];
  /** By the provider's clock. */
  readonly issuedAtSec: number;
  /** The token's own ID. */
  readonly jti: string;
}

export function subjectUuid(issuer: string, subject: string): Ruuid {
  return deriveRuuid('oidc identity', JSON.stringify([issuer, subject]));
}

/**
 * The session in an ID token. `sid`: absent if the provider does not name its sessions; then all sessions of the subject count as one.
 * `realm`: the provider, if it is an organization's.
 */
export function sessionAtProvider(
  claims: { readonly iss: string; readonly sub: string; readonly sid?: unknown; readonly iat: number },
  realm?: string,
): SessionAtProvider {
  const { sub, iat } = claims;
  const iss = issuerWithin(realm, claims.iss);
  const subject = subjectUuid(iss, sub);
  const sid = textClaim(claims.sid);
  const session = sid === null ? unnamedSessionUuid(subject) : sessionUuid(iss, sid);
  return { subject, session, issuedAtSec: iat };
}

/** A claim that is short text; null: it is not, or absent. */
export function textClaim(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= MAX_CLAIM_CHARS ? value : null;
}

/**
 * `claims`: of a token whose signature, issuer, audience, and times are checked. null: the token is not a logout token (§2.6). A token that
 * names a session and its subject also ends the subject's sessions that have no name here: it may be any of them. `realm`: as of
 * `sessionAtProvider`.
 */
export function logoutOf(claims: Readonly<Record<string, unknown>>, realm?: string): ProviderLogout | null {
  const { iss, sub, sid, iat, events, jti: id } = claims;
  // An ID token must never pass for a logout token.
  if ('nonce' in claims || !hasLogoutEvent(events)) return null;
  const [named, jti, subject, session] = [iss, id, sub, sid].map(textClaim);
  const issuer = named ? issuerWithin(realm, named) : null;
  if ((sub !== undefined && !subject) || (sid !== undefined && !session)) return null;
  if (typeof iat !== 'number' || !issuer || !jti || (!subject && !session)) return null;
  const ofSubject = subject ? subjectUuid(issuer, subject) : null;
  const ended: Ruuid[] = [];
  if (session) ended.push(sessionUuid(issuer, session));
  if (ofSubject !== null) ended.push(session ? unnamedSessionUuid(ofSubject) : ofSubject);
  return { ended, issuedAtSec: iat, jti };
}

/** An issuer has no spaces. */
function issuerWithin(realm: string | undefined, issuer: string): string {
  return realm === undefined ? issuer : `${realm} ${issuer}`;
}

function sessionUuid(issuer: string, sessionId: string): Ruuid {
  return deriveRuuid('oidc session', JSON.stringify([issuer, sessionId]));
}

function unnamedSessionUuid(subject: Ruuid): Ruuid {
  return deriveRuuid('oidc session without a name', subject);
}

function hasLogoutEvent(events: unknown): boolean {
  if (typeof events !== 'object' || events === null || !Object.hasOwn(events, LOGOUT_EVENT)) return false;
  const event = (events as Record<string, unknown>)[LOGOUT_EVENT];
  return typeof event === 'object' && event !== null && !Array.isArray(event);
}
