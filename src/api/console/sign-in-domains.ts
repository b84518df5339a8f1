/** Domains of email addresses that lead to sign-in providers, and their proofs. */

import { type Static, Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import { flag, listOf, namedType, plainText, ruuid, text } from '../../http/fields/field-types.ts';
import { NOTHING } from './console-types.ts';

const DOMAIN_SCHEMA = namedType('SignInDomain', {
  domain: plainText('The domain.'),
  providerUuid: ruuid('Its provider, of either protocol.'),
  isWorking: flag(
    'Whether people with such an address are led to the provider, and can sign in there. If not, the domain waits for its TXT record.',
  ),
  recordName: plainText('The name of the TXT record that proves the domain.'),
  recordText: plainText('The text of that record.'),
});

const EXAMPLE_DOMAIN: Static<typeof DOMAIN_SCHEMA> = {
  domain: 'example.com',
  providerUuid: 'nXZ0bPqUQm2pYwqVbq4cyg' as never,
  isWorking: false,
  recordName: '_sluice-domain.example.com',
  recordText: 'sluice-domain=oXZ0bPqUQm2pYwqVbq4cyg',
};

const getSignInDomains = defineEndpoint({
  path: '/api/console/getSignInDomains',
  summary: 'Lists the domains of the organization’s sign-in providers, and how to prove them.',
  description:
    'For administrators. If the gateway has several organizations, a domain leads to its provider when a TXT record proves that it ' +
    'is the organization’s own (`signIn.domainProof`). A domain that was added before keeps leading there until another organization ' +
    'proves it.',
  isExtension: true,
  request: NOTHING,
  response: { domains: listOf(DOMAIN_SCHEMA, 'The domains of all providers.') },
  example: { request: {}, response: { domains: [EXAMPLE_DOMAIN] } },
  async handler({ orgUuid, services }) {
    return { domains: await services.signInDomains.proofs(orgUuid) };
  },
});

const checkSignInDomain = defineEndpoint({
  path: '/api/console/checkSignInDomain',
  summary: 'Looks for the TXT record of a domain.',
  description:
    'For administrators. Fails while there is no record. The gateway also looks for it every 10 minutes for three days, and then ' +
    'every day. A domain whose record has been missing for a week waits again.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ domain: text('The domain.', 256) }),
  response: { domain: DOMAIN_SCHEMA },
  example: {
    request: { domain: EXAMPLE_DOMAIN.domain },
    response: { domain: { ...EXAMPLE_DOMAIN, isWorking: true } },
  },
  async handler({ orgUuid, services }, { domain }) {
    return { domain: await services.signInDomains.check(orgUuid, domain) };
  },
});

export const SIGN_IN_DOMAIN_ENDPOINTS: readonly Endpoint[] = [getSignInDomains, checkSignInDomain];
