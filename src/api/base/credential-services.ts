/** Who may act for an organisation: API keys, applications and what those were granted, and pages. */

import type { Clock } from '../../core/clock.ts';
import type { Store } from '../../store/store.ts';
import { ApiTokens } from '../integrations/api-tokens.ts';
import { OAuthApplications } from '../oauth/oauth-applications.ts';
import { OAuthGrants } from '../oauth/oauth-grants.ts';
import { FederatedSessions } from '../org/federated-sessions.ts';
import type { RateLimit } from './rate-limiter.ts';

export interface CredentialServices {
  readonly apiTokens: ApiTokens;
  readonly oauthApplications: OAuthApplications;
  readonly oauthGrants: OAuthGrants;
  readonly federatedSessions: FederatedSessions;
}

/** `requestsPerOrg`: what organisations are told about their keys. */
export function createCredentialServices(parts: {
  readonly store: Store;
  readonly clock: Clock;
  readonly requestsPerOrg: RateLimit;
}): CredentialServices {
  const { store, clock, requestsPerOrg } = parts;
  return {
    apiTokens: new ApiTokens({ store, clock, requestsPerSec: requestsPerOrg.perSec }),
    oauthApplications: new OAuthApplications({ store, clock }),
    oauthGrants: new OAuthGrants({ store, clock }),
    federatedSessions: new FederatedSessions({ store, clock }),
  };
}
