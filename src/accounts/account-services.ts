/**
 * Wires up accounts: organizations, their users, and who can act for them: keys, applications and their grants, pages.
 */

import type { Clock } from '../core/clock.ts';
import type { Store } from '../store/store.ts';
import { ApiTokens, type KeyRules } from './api-tokens.ts';
import { FederatedSessions } from './federated-sessions.ts';
import { IdempotentRequests } from './idempotent-requests.ts';
import { NotificationSettingsService } from './notification-settings.ts';
import { OAuthApplications } from './oauth-applications.ts';
import { OAuthGrants, type TokenRules } from './oauth-grants.ts';
import { Organizations } from './organizations.ts';

export interface AccountServices {
  readonly apiTokens: ApiTokens;
  readonly oauthApplications: OAuthApplications;
  readonly oauthGrants: OAuthGrants;
  readonly federatedSessions: FederatedSessions;
  readonly idempotentRequests: IdempotentRequests;
  readonly organizations: Organizations;
  readonly notificationSettings: NotificationSettingsService;
}

/** `requestsPerSec`: the rate limit that is shown with an organization's keys. */
export function createAccountServices(parts: {
  readonly store: Store;
  readonly keyRules: KeyRules & TokenRules;
  readonly clock: Clock;
  readonly requestsPerSec: number;
}): AccountServices {
  const { store, keyRules, clock, requestsPerSec } = parts;
  return {
    apiTokens: new ApiTokens({
      store,
      rules: keyRules,
      clock,
      requestsPerSec,
    }),
    oauthApplications: new OAuthApplications({ store, rules: keyRules, clock }),
    oauthGrants: new OAuthGrants({ store, rules: keyRules, clock }),
    federatedSessions: new FederatedSessions({ store, clock }),
    idempotentRequests: new IdempotentRequests({ store, clock }),
    organizations: new Organizations(store),
    notificationSettings: new NotificationSettingsService({ store, clock }),
  };
}
