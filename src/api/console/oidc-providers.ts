/** OpenID Connect providers at which the people of the organization sign in. */

import { Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import { listOf } from '../../http/fields/field-types.ts';
import { CONFIRMED, NOTHING, PROVIDER_LABEL, PROVIDER_UUID } from './console-types.ts';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  EXAMPLE_PROVIDER,
  EXAMPLE_SETTINGS,
  ISSUER,
  PROVIDER_SCHEMA,
  providerResponse,
  SETTINGS_SCHEMA,
  settingsOf,
} from './oidc-types.ts';

const EXAMPLE_OF_PROVIDER = { providerUuid: EXAMPLE_PROVIDER.providerUuid };

const getOidcProviders = defineEndpoint({
  path: '/api/console/getOidcProviders',
  summary: 'Lists the OpenID Connect providers of the organization.',
  description:
    'For administrators. The provider that the configuration has for the whole gateway is not one of them.',
  isExtension: true,
  request: NOTHING,
  response: {
    oidcProviders: listOf(PROVIDER_SCHEMA, 'The providers, in the order in which they were added.'),
  },
  example: { request: {}, response: { oidcProviders: [EXAMPLE_PROVIDER] } },
  async handler({ orgUuid, services }) {
    const providers = await services.oidcProviders.list(orgUuid);
    return { oidcProviders: providers.map((each) => providerResponse(each, services.oidcClients)) };
  },
});

const addOidcProvider = defineEndpoint({
  path: '/api/console/addOidcProvider',
  summary: 'Adds an OpenID Connect provider.',
  description:
    'For administrators. The gateway reads the provider’s settings below the issuer (OpenID Connect Discovery 1.0), and fails ' +
    `if it cannot. Then register \`ownCallbackUrl\` as a redirect URI at the provider.${CONFIRMED}`,
  isExtension: true,
  repetition: 'once',
  request: Type.Object({
    label: PROVIDER_LABEL,
    issuer: ISSUER,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    settings: SETTINGS_SCHEMA,
  }),
  response: { oidcProvider: PROVIDER_SCHEMA },
  example: {
    request: {
      label: 'Example Login',
      issuer: 'https://login.example.com',
      clientId: 'sluice',
      clientSecret: 'THE-CLIENT-SECRET',
      settings: EXAMPLE_SETTINGS,
    },
    response: { oidcProvider: EXAMPLE_PROVIDER },
  },
  async handler({ caller, services }, { label, settings, ...identity }) {
    const provider = await services.oidcAdministration.add(caller, label, identity, settingsOf(settings));
    return { oidcProvider: providerResponse(provider, services.oidcClients) };
  },
});

const updateOidcProvider = defineEndpoint({
  path: '/api/console/updateOidcProvider',
  summary: 'Changes an OpenID Connect provider.',
  description:
    'For administrators. Fields that are absent stay as they are; `settings` replaces all settings. Another issuer needs ' +
    '`clientSecret` too. New roles apply when someone signs in. If the provider is turned off or gets another issuer, ' +
    `sessions that began there end immediately.${CONFIRMED}`,
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    providerUuid: PROVIDER_UUID,
    label: Type.Optional(PROVIDER_LABEL),
    issuer: Type.Optional(ISSUER),
    clientId: Type.Optional(CLIENT_ID),
    clientSecret: Type.Optional(CLIENT_SECRET),
    settings: Type.Optional(SETTINGS_SCHEMA),
  }),
  response: { oidcProvider: PROVIDER_SCHEMA },
  example: {
    request: { ...EXAMPLE_OF_PROVIDER, label: 'Example Login' },
    response: { oidcProvider: EXAMPLE_PROVIDER },
  },
  async handler({ caller, services }, { providerUuid, settings, ...changes }) {
    const provider = await services.oidcAdministration.update(caller, providerUuid, {
      ...changes,
      ...(settings === undefined ? {} : settingsOf(settings)),
    });
    return { oidcProvider: providerResponse(provider, services.oidcClients) };
  },
});

const deleteOidcProvider = defineEndpoint({
  path: '/api/console/deleteOidcProvider',
  summary: 'Removes an OpenID Connect provider.',
  description:
    'For administrators. Sessions that began there end immediately. Its people stay; they can sign in in other ways.' +
    CONFIRMED,
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ providerUuid: PROVIDER_UUID }),
  response: {},
  example: { request: EXAMPLE_OF_PROVIDER, response: {} },
  async handler({ caller, services }, { providerUuid }) {
    await services.oidcAdministration.remove(caller, providerUuid);
    return {};
  },
});

export const OIDC_ENDPOINTS: readonly Endpoint[] = [
  getOidcProviders,
  addOidcProvider,
  updateOidcProvider,
  deleteOidcProvider,
];
