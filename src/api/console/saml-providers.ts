/** SAML providers at which the people of the organization sign in. */

import { Type } from 'typebox';
import { MAX_EMAIL_CHARS } from '../../accounts/person-rules.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import { listOf, namedType, nullable, oneOf, plainText, text } from '../../http/fields/field-types.ts';
import { invalidField } from '../../http/request-body.ts';
import { certificateFacts } from '../../saml/saml-keys.ts';
import type { SamlKeys } from '../../saml/saml-party.ts';
import { CONFIRMED, NOTHING, PROVIDER_LABEL, PROVIDER_UUID } from './console-types.ts';
import {
  CERTIFICATE_SCHEMA,
  EXAMPLE_CERTIFICATE,
  EXAMPLE_PROVIDER,
  EXAMPLE_REPORT,
  EXAMPLE_SETTINGS,
  METADATA_SCHEMA,
  metadataOf,
  PROVIDER_SCHEMA,
  providerResponse,
  REPORT_SCHEMA,
  reportResponse,
  SETTINGS_SCHEMA,
  settingsOf,
} from './saml-types.ts';

const OF_PROVIDER = Type.Object({ providerUuid: PROVIDER_UUID });
const EXAMPLE_OF_PROVIDER = { providerUuid: EXAMPLE_PROVIDER.providerUuid };
const OWN_CERTIFICATES = listOf(
  CERTIFICATE_SCHEMA,
  'Our certificates: the first one signs. During a renewal, the second one is the new one; both decrypt.',
);

const getSamlProviders = defineEndpoint({
  path: '/api/console/getSamlProviders',
  summary: 'Lists the SAML providers of the organization.',
  description: 'For administrators. Our metadata for a provider are public, at `ownEntityId`.',
  isExtension: true,
  request: NOTHING,
  response: {
    samlProviders: listOf(PROVIDER_SCHEMA, 'The providers, in the order in which they were added.'),
    ownCertificates: OWN_CERTIFICATES,
  },
  example: {
    request: {},
    response: { samlProviders: [EXAMPLE_PROVIDER], ownCertificates: [EXAMPLE_CERTIFICATE] },
  },
  async handler({ orgUuid, services }) {
    const providers = await services.samlProviders.list(orgUuid);
    return {
      samlProviders: providers.map((each) => providerResponse(each, services.samlClient)),
      // The first provider makes the first key.
      ownCertificates: providers.length === 0 ? [] : shownKeys(await services.samlKeys.keys(orgUuid)),
    };
  },
});

const addSamlProvider = defineEndpoint({
  path: '/api/console/addSamlProvider',
  summary: 'Adds a SAML provider.',
  description:
    'For administrators. Send the address of its metadata, or the metadata themselves. Then give the provider our metadata, ' +
    `which are at \`ownEntityId\`.${CONFIRMED}`,
  isExtension: true,
  repetition: 'once',
  request: Type.Object({ label: PROVIDER_LABEL, metadata: METADATA_SCHEMA, settings: SETTINGS_SCHEMA }),
  response: { samlProvider: PROVIDER_SCHEMA },
  example: {
    request: {
      label: 'Example Login',
      metadata: { metadataUrl: 'https://login.example.com/saml/metadata' },
      settings: EXAMPLE_SETTINGS,
    },
    response: { samlProvider: EXAMPLE_PROVIDER },
  },
  async handler({ caller, services }, { label, metadata, settings }) {
    const given = metadataOf(metadata);
    if (given === null) throw invalidField('Send either metadataUrl or metadataXml.');
    const provider = await services.samlAdministration.add(caller, label, given, settingsOf(settings));
    return { samlProvider: providerResponse(provider, services.samlClient) };
  },
});

const updateSamlProvider = defineEndpoint({
  path: '/api/console/updateSamlProvider',
  summary: 'Changes a SAML provider.',
  description:
    'For administrators. Fields that are absent stay as they are; `settings` replaces all settings. New roles apply when ' +
    `someone signs in. If the provider is turned off, sessions that began there end immediately.${CONFIRMED}`,
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    providerUuid: PROVIDER_UUID,
    label: Type.Optional(PROVIDER_LABEL),
    metadata: Type.Optional(METADATA_SCHEMA),
    settings: Type.Optional(SETTINGS_SCHEMA),
  }),
  response: { samlProvider: PROVIDER_SCHEMA },
  example: {
    request: { ...EXAMPLE_OF_PROVIDER, label: 'Example Login' },
    response: { samlProvider: EXAMPLE_PROVIDER },
  },
  async handler({ caller, services }, { providerUuid, label, metadata, settings }) {
    const given = metadata === undefined ? undefined : metadataOf(metadata);
    if (given === null) throw invalidField('Send either metadataUrl or metadataXml.');
    const provider = await services.samlAdministration.update(caller, providerUuid, {
      ...(label === undefined ? {} : { label }),
      ...(given === undefined ? {} : { metadata: given }),
      ...(settings === undefined ? {} : settingsOf(settings)),
    });
    return { samlProvider: providerResponse(provider, services.samlClient) };
  },
});

const deleteSamlProvider = defineEndpoint({
  path: '/api/console/deleteSamlProvider',
  summary: 'Removes a SAML provider.',
  description:
    'For administrators. Sessions that began there end immediately. Its people stay; they can sign in in other ' +
    `ways.${CONFIRMED}`,
  isExtension: true,
  repetition: 'same-outcome',
  request: OF_PROVIDER,
  response: {},
  example: { request: EXAMPLE_OF_PROVIDER, response: {} },
  async handler({ caller, services }, { providerUuid }) {
    await services.samlAdministration.remove(caller, providerUuid);
    return {};
  },
});

const refreshSamlProvider = defineEndpoint({
  path: '/api/console/refreshSamlProvider',
  summary: 'Reads the metadata of a SAML provider again.',
  description:
    'For administrators. The gateway does so every 6 hours, and when a response has a signature of an unknown key. Nothing ' +
    'happens if the metadata were sent.',
  isExtension: true,
  repetition: 'same-outcome',
  request: OF_PROVIDER,
  response: { samlProvider: PROVIDER_SCHEMA },
  example: { request: EXAMPLE_OF_PROVIDER, response: { samlProvider: EXAMPLE_PROVIDER } },
  async handler({ orgUuid, services }, { providerUuid }) {
    const provider = await services.samlProviders.refresh(orgUuid, providerUuid);
    return { samlProvider: providerResponse(provider, services.samlClient) };
  },
});

const beginSamlTest = defineEndpoint({
  path: '/api/console/beginSamlTest',
  summary: 'Begins a test of a SAML provider.',
  description:
    'For administrators. Open the returned address in a browser within ten minutes, and sign in at the provider. No one is signed in ' +
    'to the console; `/api/console/getSamlTestReport` returns what arrived.',
  isExtension: true,
  repetition: 'expires',
  request: OF_PROVIDER,
  response: { testUrl: plainText('The address.') },
  example: {
    request: EXAMPLE_OF_PROVIDER,
    response: { testUrl: `${EXAMPLE_PROVIDER.startUrl}?test=THE-TOKEN` },
  },
  async handler({ orgUuid, services }, { providerUuid }) {
    const { uuid } = await services.samlProviders.find(orgUuid, providerUuid);
    const { samlClient } = services;
    return { testUrl: `${samlClient.startUrl(uuid)}?test=${samlClient.sealTest(uuid)}` };
  },
});

const getSamlTestReport = defineEndpoint({
  path: '/api/console/getSamlTestReport',
  summary: 'Returns what the last test of a SAML provider brought.',
  description: 'For administrators, for 24 hours.',
  isExtension: true,
  request: OF_PROVIDER,
  response: { report: nullable(REPORT_SCHEMA) },
  example: { request: EXAMPLE_OF_PROVIDER, response: { report: EXAMPLE_REPORT } },
  async handler({ orgUuid, services }, { providerUuid }) {
    const { uuid } = await services.samlProviders.find(orgUuid, providerUuid);
    const report = await services.samlSignIn.lastReport(orgUuid, uuid);
    return { report: report === null ? null : reportResponse(report) };
  },
});

const renewSamlKey = defineEndpoint({
  path: '/api/console/renewSamlKey',
  summary: 'Makes a new SAML key of the organization.',
  description:
    'For administrators. Our metadata then have both certificates. The earlier key signs, and both decrypt, until ' +
    `\`/api/console/finishSamlKeyRenewal\`.${CONFIRMED}`,
  isExtension: true,
  repetition: 'single-use',
  request: NOTHING,
  response: { ownCertificates: OWN_CERTIFICATES },
  example: { request: {}, response: { ownCertificates: [EXAMPLE_CERTIFICATE, EXAMPLE_CERTIFICATE] } },
  async handler({ caller, services }) {
    return { ownCertificates: shownKeys(await services.samlAdministration.renewKey(caller)) };
  },
});

const finishSamlKeyRenewal = defineEndpoint({
  path: '/api/console/finishSamlKeyRenewal',
  summary: 'Ends the use of the earlier SAML key.',
  description:
    'For administrators, when every provider has the new certificate. From then on, the new key signs, and alone ' +
    `decrypts.${CONFIRMED}`,
  isExtension: true,
  repetition: 'single-use',
  request: NOTHING,
  response: { ownCertificates: OWN_CERTIFICATES },
  example: { request: {}, response: { ownCertificates: [EXAMPLE_CERTIFICATE] } },
  async handler({ caller, services }) {
    return { ownCertificates: shownKeys(await services.samlAdministration.finishKeyRenewal(caller)) };
  },
});

const findSignInProvider = defineEndpoint({
  path: '/api/console/findSignInProvider',
  summary: 'Finds the provider at which someone signs in.',
  description:
    'By the domain of the email address: whether there is a person with that address does not matter. Lead the browser to ' +
    '`startUrl`. Needs no credentials. Only pages of the API itself and programs can call this.',
  isOpen: true,
  isExtension: true,
  request: Type.Object({ email: text('The email address, or its domain.', MAX_EMAIL_CHARS) }),
  response: {
    provider: nullable(
      namedType('SignInProvider', {
        protocol: oneOf(['SAML', 'OIDC'], 'How it signs people in.'),
        label: plainText('The label of its button.'),
        startUrl: plainText('Where the sign-in begins.'),
      }),
    ),
  },
  example: {
    request: { email: 'ada@example.com' },
    response: {
      provider: { protocol: 'SAML', label: EXAMPLE_PROVIDER.label, startUrl: EXAMPLE_PROVIDER.startUrl },
    },
  },
  async handler({ services }, { email }) {
    return { provider: await services.signInProviders.ofEmail(email) };
  },
});

function shownKeys(keys: SamlKeys) {
  return keys.map(({ certificatePem }) => certificateFacts(certificatePem));
}

export const SAML_ENDPOINTS: readonly Endpoint[] = [
  getSamlProviders,
  addSamlProvider,
  updateSamlProvider,
  deleteSamlProvider,
  refreshSamlProvider,
  beginSamlTest,
  getSamlTestReport,
  renewSamlKey,
  finishSamlKeyRenewal,
  findSignInProvider,
];
