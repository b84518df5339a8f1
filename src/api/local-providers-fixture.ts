/** Sign-in providers of tests that are about something else: they answer at any address, without a network. */

import type { ProviderOptions } from '../accounts/provider-services.ts';
import { lateProviderFetch } from '../oidc/fake-provider-fixture.ts';
import { readLocalMetadata, TEST_KEY_BITS } from '../saml/fake-provider-fixture.ts';
import { EXAMPLE_PROVIDER } from './console/oidc-types.ts';

export const LOCAL_PROVIDERS: ProviderOptions = {
  // Proofs of domains have tests of their own.
  domainProof: 'none',
  samlKeyBits: TEST_KEY_BITS,
  readMetadata: readLocalMetadata,
  fetchFromProvider: lateProviderFetch(EXAMPLE_PROVIDER.issuer),
};
