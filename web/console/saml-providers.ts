/** SAML providers of the organization, as the API has them. */

import type { Answer, Request } from './api.ts';

export type SamlProvider = Answer<'console/getSamlProviders'>['samlProviders'][number];
export type SamlCertificate = SamlProvider['certificates'][number];
export type SamlSettings = Request<'console/addSamlProvider'>['settings'];
export type SamlMetadata = Request<'console/addSamlProvider'>['metadata'];
export type SamlReport = NonNullable<Answer<'console/getSamlTestReport'>['report']>;

/** Of a provider, or for a new one. */
export function settingsOf(provider: SamlProvider | null): SamlSettings {
  if (provider === null) {
    return {
      isEnabled: true,
      domains: [],
      signed: 'EITHER',
      requiresEncryption: false,
      allowsUnsolicited: false,
      clockSkewSec: 60,
      roleAttribute: 'groups',
      roleRules: [],
    };
  }
  const { isEnabled, domains, signed, requiresEncryption, allowsUnsolicited, clockSkewSec } = provider;
  const { emailAttribute, nameAttribute, roleAttribute, roleRules, defaultRole, defaultScope } = provider;
  return {
    isEnabled,
    domains: [...domains],
    signed,
    requiresEncryption,
    allowsUnsolicited,
    clockSkewSec,
    ...(emailAttribute === undefined ? {} : { emailAttribute }),
    ...(nameAttribute === undefined ? {} : { nameAttribute }),
    ...(roleAttribute === undefined ? {} : { roleAttribute }),
    roleRules: roleRules.map(({ value, role, scope }) => ({
      value,
      role,
      ...(scope === undefined ? {} : { scope }),
    })),
    ...(defaultRole === undefined ? {} : { defaultRole }),
    ...(defaultScope === undefined ? {} : { defaultScope }),
  };
}

/** What the metadata are read with. */
export interface MetadataExtras {
  /** PEM; empty: they need no signature. */
  readonly pinnedCertificate: string;
  /** Which provider, if they have several; empty: there is one. */
  readonly entityId: string;
}

/** `http…` is an address, everything else the metadata themselves. */
export function metadataOf(text: string, { pinnedCertificate, entityId }: MetadataExtras): SamlMetadata {
  const [trimmed, pin, id] = [text.trim(), pinnedCertificate.trim(), entityId.trim()];
  return {
    ...(/^https?:\/\//i.test(trimmed) ? { metadataUrl: trimmed } : { metadataXml: trimmed }),
    ...(pin === '' ? {} : { pinnedCertificate: pin }),
    ...(id === '' ? {} : { entityId: id }),
  };
}
