/** Fields of SAML providers, as callers send and read them. */

import { type Static, Type } from 'typebox';
import type { SamlTestReport } from '../../accounts/saml-sign-in.ts';
import {
  flag,
  int32,
  int64,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import type { GrantedAccess } from '../../oidc/access-rules.ts';
import { MAX_DOMAINS } from '../../oidc/sign-in-domains.ts';
import type { SamlClient } from '../../saml/saml-client.ts';
import { certificateFacts } from '../../saml/saml-keys.ts';
import { SIGNED_PARTS, type SignedParts } from '../../saml/saml-party.ts';
import type { GivenMetadata, SamlProvider, SamlProviderSettings } from '../../saml/saml-providers.ts';
import { SHOWN_SCOPE, scopeResponse } from '../types/access-scope-fields.ts';
import { EXAMPLE_LOCATION_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import {
  accessRulesOf,
  MAX_ATTRIBUTE_CHARS,
  rulesResponse,
  SHOWN_RULE,
  shownRules,
  WANTED_RULE,
  wantedRules,
} from './access-rule-fields.ts';
import { PERSON_ROLE } from './console-types.ts';

const MAX_CLOCK_SKEW_SEC = 300;
const MAX_METADATA_CHARS = 1_048_576;
const MAX_CERTIFICATE_CHARS = 16_384;

const SIGNED = SIGNED_PARTS.map((part) => part.toUpperCase()) as Uppercase<SignedParts>[];
const SIGNED_MEANING =
  'What the provider must sign: `ASSERTION`, `RESPONSE`, `BOTH`, or `EITHER` of them. Unsigned assertions are always refused.';

const COMMON = {
  isEnabled: flag('Whether people can sign in there.'),
  domains: listOf(
    text('A domain, such as `example.com`.', MAX_ATTRIBUTE_CHARS),
    'Domains of the email addresses of its people. Someone who types such an address at sign-in is led there, and no one with another address can sign in there. A domain is of one provider of the whole gateway.',
    MAX_DOMAINS,
  ),
  signed: oneOf(SIGNED, SIGNED_MEANING),
  requiresEncryption: flag('Whether assertions must be encrypted. Encrypted ones are always accepted.'),
  allowsUnsolicited: flag('Whether the provider can begin a sign-in, without a request of ours.'),
  clockSkewSec: int32('How far the clocks may differ, in seconds.', 0, MAX_CLOCK_SKEW_SEC),
} as const;

const ATTRIBUTE_NAME = (what: string) => Type.Optional(text(what, MAX_ATTRIBUTE_CHARS));
const EMAIL_MEANING = 'The attribute with the email address. Absent: the NameID is one.';
const NAME_MEANING =
  'The attribute with the name of a person who signs in for the first time. Absent: the email address.';
const ROLE_MEANING = 'The attribute whose values give roles. Absent: none does.';

export const SETTINGS_SCHEMA = namedType('SamlProviderSettings', {
  ...COMMON,
  emailAttribute: ATTRIBUTE_NAME(EMAIL_MEANING),
  nameAttribute: ATTRIBUTE_NAME(NAME_MEANING),
  roleAttribute: ATTRIBUTE_NAME(ROLE_MEANING),
  ...wantedRules(namedType('SamlRoleRule', WANTED_RULE)),
});

export const METADATA_SCHEMA = namedType('SamlMetadata', {
  metadataUrl: Type.Optional(
    text('The https address of the metadata, which are read again every 6 hours.', 2_048),
  ),
  metadataXml: Type.Optional(text('The metadata themselves. Instead of an address.', MAX_METADATA_CHARS)),
  entityId: Type.Optional(text('Which provider, if the metadata have several.', 1_024)),
  pinnedCertificate: Type.Optional(
    text(
      'The certificate that must have signed the metadata, in PEM. Absent: they need no signature.',
      MAX_CERTIFICATE_CHARS,
    ),
  ),
});

export const CERTIFICATE_SCHEMA = namedType('SamlCertificate', {
  fingerprint: plainText('SHA-256 of the certificate.'),
  subject: plainText('Its subject.'),
  validFromMs: int64('Epoch milliseconds.'),
  validUntilMs: int64('Epoch milliseconds.'),
});

export const PROVIDER_SCHEMA = namedType('SamlProvider', {
  providerUuid: ruuid('The provider.'),
  label: plainText('The label of its button.'),
  ownEntityId: plainText('Our entity ID for this provider, and the address of our metadata.'),
  ownAcsUrl: plainText('Our assertion consumer service.'),
  ownLogoutUrl: plainText('Our single logout service.'),
  startUrl: plainText('Where a sign-in there begins.'),
  entityId: plainText('The provider’s entity ID.'),
  signInUrl: plainText('Where it signs people in.'),
  logoutUrl: nullable(plainText('Where it signs people out; absent: it has no single logout.')),
  certificates: listOf(CERTIFICATE_SCHEMA, 'Its certificates. Each of them counts.'),
  metadataUrl: nullable(plainText('Where its metadata are read; absent: they were sent.')),
  metadataReadAtMs: int64('When they were read, epoch milliseconds.'),
  metadataFault: nullable(plainText('The code of the last failure to read them again; absent: none.')),
  isMetadataPinned: flag('Whether metadata need a signature.'),
  ...COMMON,
  emailAttribute: nullable(plainText(EMAIL_MEANING)),
  nameAttribute: nullable(plainText(NAME_MEANING)),
  roleAttribute: nullable(plainText(ROLE_MEANING)),
  ...shownRules(namedType('ShownSamlRoleRule', SHOWN_RULE)),
  createdAtMs: int64('When it was added, epoch milliseconds.'),
});

export const REPORT_SCHEMA = namedType('SamlTestReport', {
  testedAtMs: int64('When the response arrived, epoch milliseconds.'),
  code: nullable(plainText('Why the person would not be signed in; absent: they would.')),
  reason: plainText('What exactly was wrong with the response; empty: nothing.'),
  person: nullable(
    namedType('SamlTestPerson', {
      nameId: plainText('The NameID.'),
      nameIdFormat: nullable(plainText('Its format.')),
      email: nullable(plainText('The email address; absent: the provider sent none where it is expected.')),
      name: nullable(plainText('The name.')),
      isEncrypted: flag('Whether the assertion was encrypted.'),
      attributes: listOf(
        namedType('SamlAttribute', {
          name: plainText('Its name.'),
          values: listOf(plainText('A value.'), 'Its values.'),
        }),
        'The attributes that arrived.',
      ),
      role: nullable(PERSON_ROLE),
      scope: SHOWN_SCOPE,
    }),
  ),
});

export function settingsOf(given: Static<typeof SETTINGS_SCHEMA>): SamlProviderSettings {
  const { signed, emailAttribute, nameAttribute, roleAttribute } = given;
  const { isEnabled, domains, requiresEncryption, allowsUnsolicited, clockSkewSec } = given;
  return {
    isEnabled,
    domains,
    requiresEncryption,
    allowsUnsolicited,
    clockSkewSec,
    signed: signed.toLowerCase() as SignedParts,
    emailAttribute: emailAttribute || null,
    nameAttribute: nameAttribute || null,
    access: accessRulesOf(roleAttribute, given),
  };
}

/** null: neither an address nor metadata, or both. */
export function metadataOf(given: Static<typeof METADATA_SCHEMA>): GivenMetadata | null {
  const { metadataUrl: url = '', metadataXml: xml = '', entityId, pinnedCertificate } = given;
  if ((url === '') === (xml === '')) return null;
  const common = { entityId: entityId || null, pinnedCertificate: pinnedCertificate || null };
  return url === '' ? { xml, ...common } : { url, ...common };
}

export function providerResponse(
  { uuid, name, body, createdAtMs }: SamlProvider,
  client: Pick<SamlClient, 'partyFor' | 'startUrl'>,
): Static<typeof PROVIDER_SCHEMA> {
  const own = client.partyFor(uuid);
  const { party, access } = body;
  return {
    providerUuid: uuid,
    label: name,
    ownEntityId: own.entityId,
    ownAcsUrl: own.acsUrl,
    ownLogoutUrl: own.logoutUrl,
    startUrl: client.startUrl(uuid),
    entityId: party.entityId,
    signInUrl: party.signInUrl,
    logoutUrl: party.logoutUrl,
    certificates: party.certificates.map(certificateFacts),
    metadataUrl: body.metadataUrl,
    metadataReadAtMs: body.readAtMs,
    metadataFault: body.metadataFault,
    isMetadataPinned: body.pinnedCertificate !== null,
    isEnabled: body.isEnabled,
    domains: [...body.domains],
    signed: body.signed.toUpperCase() as Uppercase<SignedParts>,
    requiresEncryption: body.requiresEncryption,
    allowsUnsolicited: body.allowsUnsolicited,
    clockSkewSec: body.clockSkewSec,
    emailAttribute: body.emailAttribute,
    nameAttribute: body.nameAttribute,
    roleAttribute: access.attribute,
    ...rulesResponse(access),
    createdAtMs,
  };
}

export function reportResponse(report: SamlTestReport): Static<typeof REPORT_SCHEMA> {
  const { testedAtMs, code, reason, person } = report;
  if (person === null) return { testedAtMs, code, reason, person };
  const { access, attributes, ...facts } = person;
  const { role, scope } =
    access ?? ({ role: null, scope: null } satisfies Partial<Record<keyof GrantedAccess, null>>);
  const shown = attributes.map(({ name, values }) => ({ name, values: [...values] }));
  return {
    testedAtMs,
    code,
    reason,
    person: { ...facts, attributes: shown, role, scope: scopeResponse(scope) },
  };
}

const EXAMPLE_UUID = 'mXZ0bPqUQm2pYwqVbq4cyg';

export const EXAMPLE_SETTINGS: Static<typeof SETTINGS_SCHEMA> = {
  isEnabled: true,
  domains: ['example.com'],
  signed: 'EITHER',
  requiresEncryption: false,
  allowsUnsolicited: false,
  clockSkewSec: 60,
  emailAttribute: 'email',
  roleAttribute: 'groups',
  roleRules: [
    { value: 'sluice-admins', role: 'admin' },
    {
      value: 'harbour-guards',
      role: 'operator',
      scope: { locationUuids: [EXAMPLE_LOCATION_UUID], cameraUuids: [] },
    },
  ],
};

const { roleRules: EXAMPLE_RULES, ...EXAMPLE_REST } = EXAMPLE_SETTINGS;

export const EXAMPLE_CERTIFICATE: Static<typeof CERTIFICATE_SCHEMA> = {
  fingerprint:
    '0F:1E:2D:3C:4B:5A:69:78:87:96:A5:B4:C3:D2:E1:F0:0F:1E:2D:3C:4B:5A:69:78:87:96:A5:B4:C3:D2:E1:F0',
  subject: 'CN=login.example.com',
  validFromMs: EXAMPLE_TIME_MS,
  validUntilMs: EXAMPLE_TIME_MS,
};

const EXAMPLE_BASE = `https://api.example.com/console/saml/${EXAMPLE_UUID}`;

export const EXAMPLE_PROVIDER: Static<typeof PROVIDER_SCHEMA> = {
  providerUuid: EXAMPLE_UUID as never,
  label: 'Example Login',
  ownEntityId: `${EXAMPLE_BASE}/metadata`,
  ownAcsUrl: `${EXAMPLE_BASE}/acs`,
  ownLogoutUrl: `${EXAMPLE_BASE}/logout`,
  startUrl: `${EXAMPLE_BASE}/start`,
  entityId: 'https://login.example.com/saml',
  signInUrl: 'https://login.example.com/saml/sso',
  logoutUrl: 'https://login.example.com/saml/slo',
  certificates: [EXAMPLE_CERTIFICATE],
  metadataUrl: 'https://login.example.com/saml/metadata',
  metadataReadAtMs: EXAMPLE_TIME_MS,
  metadataFault: null,
  isMetadataPinned: false,
  ...(EXAMPLE_REST as Required<typeof EXAMPLE_REST>),
  nameAttribute: null,
  roleRules: EXAMPLE_RULES.map(({ value, role, scope }) => ({ value, role, scope: scope ?? null })),
  defaultRole: null,
  defaultScope: null,
  createdAtMs: EXAMPLE_TIME_MS,
};

export const EXAMPLE_REPORT: Static<typeof REPORT_SCHEMA> = {
  testedAtMs: EXAMPLE_TIME_MS,
  code: null,
  reason: '',
  person: {
    nameId: 'ada@example.com',
    nameIdFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
    email: 'ada@example.com',
    name: null,
    isEncrypted: true,
    attributes: [{ name: 'groups', values: ['harbour-guards'] }],
    role: 'operator',
    scope: { locationUuids: [EXAMPLE_LOCATION_UUID], cameraUuids: [] },
  },
};
