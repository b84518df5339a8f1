/**
 * OAuth 2.0 in the store: applications, their grants, and the hashes of the codes and tokens of each grant. An
 * application belongs to the organization that registered it, and any organization can grant it access. A grant belongs
 * to the organization that gave it.
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { Room } from './record-change.ts';

export interface OAuthApplication {
  /** Its `client_id`. */
  readonly uuid: Ruuid;
  readonly orgUuid: Ruuid;
  readonly name: string;
  readonly description: string | null;
  readonly contactEmail: string | null;
  /** The one address that codes are sent to. */
  readonly redirectUri: string;
  /** SHA-256 of the secret, 32 bytes as hex; null: a public client, which has none (RFC 6749 §2.1). */
  readonly secretHash: string | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export interface OAuthGrant {
  readonly uuid: Ruuid;
  /** The organization that the application can act for. */
  readonly orgUuid: Ruuid;
  readonly clientUuid: Ruuid;
  /** The API key that gave the grant and whose rights it has, and that key's organization. */
  readonly keyUuid: Ruuid;
  readonly keyOrgUuid: Ruuid;
  /** PKCE S256 challenge of the authorization request (RFC 7636 §4.3). */
  readonly codeChallenge: string;
  /** As in the authorization request; null if it had none. */
  readonly redirectUri: string | null;
  readonly createdAtMs: number;
}

export type OAuthTokenKind = 'code' | 'access' | 'refresh';

export interface OAuthToken {
  /** SHA-256 of the token, 32 bytes as hex. */
  readonly tokenHash: string;
  readonly grantUuid: Ruuid;
  readonly kind: OAuthTokenKind;
  /** First millisecond at which it no longer works. */
  readonly expiresAtMs: number;
  /** Codes and refresh tokens work once. */
  readonly usedAtMs: number | null;
}

/** The tokens that replace an exchanged token: at least one. */
export type OAuthSuccessors = readonly [OAuthToken, ...OAuthToken[]];

export interface OAuthGrantRepository {
  /** Stores a grant and its code in one transaction. Beyond the room, fails with its error and stores neither. */
  begin(grant: OAuthGrant, code: OAuthToken, room: Room): Promise<void>;
  /** By hash, whether or not it is used or expired; null if there is none. */
  findToken(tokenHash: string): Promise<{ token: OAuthToken; grant: OAuthGrant } | null>;
  /**
   * Marks a token used and adds its successors, in one transaction. If it was used before, adds nothing and returns
   * false.
   */
  exchange(tokenHash: string, atMs: number, successors: OAuthSuccessors): Promise<boolean>;
  /** Access tokens of every organization that still work, with their grants: to load caches at startup. */
  listAccessTokens(nowMs: number): Promise<{ token: OAuthToken; grant: OAuthGrant }[]>;
  /** The grants of an organization, in the order in which they were granted. */
  list(orgUuid: Ruuid): Promise<OAuthGrant[]>;
  /** Ends a grant with all of its tokens. */
  remove(orgUuid: Ruuid, uuid: Ruuid): Promise<boolean>;
  /** Removes one token and leaves its grant. */
  removeToken(grant: OAuthGrant, tokenHash: string): Promise<void>;
  /**
   * Removes expired tokens, and grants that have no others. A used code stays as long as its grant, so that a second use
   * is detected. Does not notify subscribers: the tokens had already ended.
   */
  removeExpired(nowMs: number): Promise<void>;
}
