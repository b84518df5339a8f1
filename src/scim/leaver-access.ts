/**
 * What else ends when a directory says that a person has left: sessions and views end with the person (accounts/people.ts); API keys that
 * the person created, and links that they opened by single sign-on, are found here. Links that they created stay.
 */

import type { ApiTokens } from '../accounts/api-tokens.ts';
import { ACCOUNT_ERRORS } from '../accounts/errors.ts';
import { PROVIDER_IDENTITIES } from '../accounts/provider-sign-in.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Store } from '../store/store.ts';

export interface LeaverAccessOptions {
  readonly store: Pick<Store, 'apiKeys' | 'resources'>;
  readonly apiTokens: Pick<ApiTokens, 'revoke'>;
  /** Ends what began as these subjects of the sign-in provider, as its own logout does. */
  readonly endSubjects: (orgUuid: Ruuid, subjects: readonly Ruuid[]) => Promise<void>;
}

export class LeaverAccess {
  readonly #options: LeaverAccessOptions;

  constructor(options: LeaverAccessOptions) {
    this.#options = options;
  }

  /** Read while the person is still there; `end` it when they have lost their own access. */
  async of(orgUuid: Ruuid, personUuid: Ruuid): Promise<{ end(): Promise<void> }> {
    const { store, apiTokens, endSubjects } = this.#options;
    const keys = (await store.apiKeys.list(orgUuid)).filter(
      ({ createdByUuid, revokedAtMs }) => createdByUuid === personUuid && revokedAtMs === null,
    );
    const identities = await store.resources.of(PROVIDER_IDENTITIES).listByParent(orgUuid, personUuid);
    return {
      async end() {
        for (const { uuid } of keys) await ignoringRevoked(() => apiTokens.revoke(orgUuid, uuid));
        if (identities.length > 0) {
          await endSubjects(
            orgUuid,
            identities.map(({ uuid }) => uuid),
          );
        }
      },
    };
  }
}

/** Someone else revoked it in the meantime. */
async function ignoringRevoked(revoke: () => Promise<void>): Promise<void> {
  try {
    await revoke();
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.code !== ACCOUNT_ERRORS.API_TOKEN_NOT_FOUND.code)
      throw thrown;
  }
}
