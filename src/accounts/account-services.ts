/**
 * Wires up accounts: organizations, their users, and who can act for them: keys, applications and their grants, pages.
 */

import type { Clock } from '../core/clock.ts';
import type { Store } from '../store/store.ts';
import { ApiTokens } from './api-tokens.ts';
import type { CredentialRules } from './credential-rules.ts';
import { FederatedSessions } from './federated-sessions.ts';
import { IdempotentRequests } from './idempotent-requests.ts';
import { NotificationSettingsService } from './notification-settings.ts';
import { OAuthApplications } from './oauth-applications.ts';
import { OAuthGrants } from './oauth-grants.ts';
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
  readonly credentialRules: CredentialRules;
  readonly clock: Clock;
  readonly requestsPerSec: number;
}): AccountServices {
  const { store, credentialRules: rules, clock, requestsPerSec } = parts;
  return {
    apiTokens: new ApiTokens({ store, rules, clock, requestsPerSec }),
    oauthApplications: new OAuthApplications({ store, rules, clock }),
    oauthGrants: new OAuthGrants({ store, rules, clock }),
    federatedSessions: new FederatedSessions({ store, clock }),
    idempotentRequests: new IdempotentRequests({ store, clock }),
    organizations: new Organizations(store),
    notificationSettings: new NotificationSettingsService({ store, clock }),
  };
}
