/** Where committed changes of what may act and watch without a link take effect: keys, people, their sessions, and tokens. */

import type { Ruuid } from '../core/ruuid.ts';
import type { CredentialEndRequest, EndOutcome } from '../store/access-end.ts';
import type { ApiKey } from '../store/entities.ts';
import type { Person } from '../store/person.ts';

/** Tokens that have ended before their time. */
export type EndedTokens =
  | { readonly tokenHash: string }
  | { readonly grantUuid: Ruuid }
  | { readonly clientUuid: Ruuid };

/** A committed change: the record as it is now; null: it was removed. */
export type CredentialChange =
  | { readonly kind: 'key'; readonly uuid: Ruuid; readonly record: ApiKey }
  | { readonly kind: 'person'; readonly uuid: Ruuid; readonly record: Person | null }
  | { readonly kind: 'consoleSession'; readonly uuid: Ruuid; readonly record: null }
  | { readonly kind: 'tokens'; readonly ended: EndedTokens };

/** Asynchronous, because the views may be in a different thread than the change. */
export interface CredentialRules {
  /** When this resolves, every view that rests on what ended has ended. */
  applied(change: CredentialChange): void | Promise<void>;
  /** Applies an end that the store could not take: when the call resolves, the views that rest on it have ended. */
  endAccess(orgUuid: Ruuid, request: CredentialEndRequest): EndOutcome | Promise<EndOutcome>;
}
