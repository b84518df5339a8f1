/** Metadata of SAML providers, and what is not accepted as such. */

import { signXml } from '@node-saml/node-saml/lib/xml.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import {
  FakeSamlProvider,
  PROVIDER_ENTITY_ID,
  sharedProviderKey,
  TEST_KEY_BITS,
} from './fake-provider-fixture.ts';
import { readProviderMetadata } from './provider-metadata.ts';
import { createSamlKey } from './saml-keys.ts';
import type { SamlKey } from './saml-party.ts';

const nowMs = new FakeClock().epochMs();
const FEDERATION = 'xmlns="urn:oasis:names:tc:SAML:2.0:metadata"';

let provider: FakeSamlProvider;
let next: SamlKey;
beforeAll(async () => {
  provider = new FakeSamlProvider(await sharedProviderKey());
  next = await createSamlKey('next.example', nowMs, TEST_KEY_BITS);
});

function read(
  text: string,
  { pinned = null, entityId = null }: { pinned?: string | null; entityId?: string | null } = {},
) {
  return readProviderMetadata(text, { pinnedCertificate: pinned, entityId, nowMs });
}

function signed(xml: string, key: SamlKey): string {
  const root = "/*[local-name()='EntityDescriptor']";
  const location = { reference: `${root}/*[1]`, action: 'before' } as const;
  const { privateKeyPem: privateKey, certificatePem: publicCert } = key;
  return signXml(xml, root, location, {
    privateKey,
    publicCert,
    signatureAlgorithm: 'sha256',
    digestAlgorithm: 'sha256',
  });
}

const bare = (xml: string) => xml.slice(xml.indexOf('<EntityDescriptor'));

describe('metadata of a SAML provider', () => {
  it('name the provider, its addresses, and each of its certificates', async () => {
    const certificates = [provider.key.certificatePem, next.certificatePem];
    expect(await read(provider.metadata(certificates))).toEqual(provider.party({ certificates }));
  });

  it('can be of a federation, if the provider is named', async () => {
    const other = bare(provider.metadata(undefined, 'https://other.example')).replace('_metadata', '_other');
    const list = `<EntitiesDescriptor ${FEDERATION}>${bare(provider.metadata())}${other}</EntitiesDescriptor>`;
    await expect(read(list)).rejects.toMatchObject({ context: { reason: 'they name several providers' } });
    expect(await read(list, { entityId: PROVIDER_ENTITY_ID })).toMatchObject({
      entityId: PROVIDER_ENTITY_ID,
    });
    await expect(read(list, { entityId: 'https://third.example' })).rejects.toMatchObject({
      code: 'SAML_METADATA_INVALID',
    });
  });

  it('need the signature of a pinned certificate', async () => {
    const pinned = next.certificatePem;
    const xml = provider.metadata();
    expect(await read(signed(xml, next), { pinned })).toMatchObject({ entityId: PROVIDER_ENTITY_ID });
    const unsigned = { code: 'SAML_METADATA_UNSIGNED' };
    await expect(read(xml, { pinned })).rejects.toMatchObject(unsigned);
    await expect(read(signed(xml, provider.key), { pinned })).rejects.toMatchObject(unsigned);
    const changed = signed(xml, next).replace('https://login.example/sso', 'https://evil.example/sso');
    await expect(read(changed, { pinned })).rejects.toMatchObject(unsigned);
  });

  const cases: readonly (readonly [name: string, code: string, make: (xml: string) => string])[] = [
    [
      'have expired',
      'SAML_METADATA_INVALID',
      (xml) => xml.replace(' ID=', ' validUntil="2001-01-01T00:00:00Z" ID='),
    ],
    [
      'have a document type',
      'SAML_XML_INVALID',
      (xml) => xml.replace('<EntityDescriptor', '<!DOCTYPE x><EntityDescriptor'),
    ],
    [
      'sign in over http',
      'SAML_METADATA_INVALID',
      (xml) => xml.replaceAll('https://login.example/s', 'http://login.example/s'),
    ],
    [
      'lead to a script',
      'SAML_METADATA_INVALID',
      (xml) => xml.replace('https://login.example/sso', 'javascript:alert(1)'),
    ],
    [
      'have no certificate',
      'SAML_METADATA_INVALID',
      (xml) => xml.replace(/<KeyDescriptor.*<\/KeyDescriptor>/s, ''),
    ],
    [
      'have a broken certificate',
      'SAML_CERTIFICATE_INVALID',
      (xml) => xml.replace(/(X509Certificate>)\s*M/, '$1N'),
    ],
    [
      'are of a service',
      'SAML_METADATA_INVALID',
      (xml) => xml.replaceAll('IDPSSODescriptor', 'SPSSODescriptor'),
    ],
    ['are not metadata', 'SAML_METADATA_INVALID', () => '<html/>'],
    ['are too long', 'SAML_TOO_LARGE', (xml) => `${xml}${' '.repeat(1_100_000)}`],
  ];
  it.each(cases.map(([name, code, make]) => ({ name, code, make })))(
    'that $name are refused',
    async ({ code, make }) => {
      await expect(read(make(provider.metadata()))).rejects.toMatchObject({ code });
    },
  );
});
