/** Logouts of a SAML provider, in the query of a navigation: one that is right, and hostile ones. */

import { createSign } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import {
  FakeSamlProvider,
  PROVIDER_ENTITY_ID,
  sharedProviderKey,
  TEST_KEY_BITS,
} from './fake-provider-fixture.ts';
import { readLogout } from './logout-message.ts';
import { redirectUrl } from './redirect-binding.ts';
import { createSamlKey } from './saml-keys.ts';
import type { OwnParty, SamlKey } from './saml-party.ts';

const OWN: OwnParty = {
  entityId: 'https://api.example/console/saml/one/metadata',
  acsUrl: 'https://api.example/console/saml/one/acs',
  logoutUrl: 'https://api.example/console/saml/one/logout',
};
const nowMs = new FakeClock().epochMs();

let key: SamlKey;
let strange: SamlKey;
beforeAll(async () => {
  [key, strange] = await Promise.all([
    sharedProviderKey(),
    createSamlKey('strange.example', nowMs, TEST_KEY_BITS),
  ]);
});

interface Wanted {
  readonly issuer?: string;
  readonly destination?: string;
  readonly issuedAtMs?: number;
  readonly endMs?: number;
  readonly name?: string;
}

function logout({
  issuer,
  destination,
  issuedAtMs = nowMs,
  endMs,
  name = 'LogoutRequest',
}: Wanted = {}): string {
  return (
    `<samlp:${name} xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ` +
    `ID="_logout" Version="2.0" IssueInstant="${new Date(issuedAtMs).toISOString()}" Destination="${destination ?? OWN.logoutUrl}" ` +
    `NotOnOrAfter="${new Date(endMs ?? issuedAtMs + 300_000).toISOString()}"><saml:Issuer>${issuer ?? PROVIDER_ENTITY_ID}</saml:Issuer>` +
    `<saml:NameID>ada@example.com</saml:NameID><samlp:SessionIndex>session-1</samlp:SessionIndex></samlp:${name}>`
  );
}

async function queryOf(xml: string, by = key, relayState: string | null = null): Promise<string> {
  const url = await redirectUrl(OWN.logoutUrl, 'SAMLRequest', xml, by, relayState);
  return url.slice(url.indexOf('?') + 1);
}

function read(query: string) {
  const provider = new FakeSamlProvider(key).party();
  return readLogout(query, { own: OWN, provider, clockSkewMs: 60_000, nowMs });
}

describe('a logout of a SAML provider', () => {
  it('names the person and the session', async () => {
    expect(await read(await queryOf(logout(), key, 'back there'))).toEqual({
      kind: 'request',
      id: '_logout',
      nameId: 'ada@example.com',
      sessionIndexes: ['session-1'],
      issuedAtMs: nowMs,
      usableUntilMs: nowMs + 360_000,
      relayState: 'back there',
    });
  });

  /** With the algorithm of the name, signed by the key. */
  function weakQuery(): string {
    const packed = encodeURIComponent(deflateRawSync(logout()).toString('base64'));
    const algorithm = encodeURIComponent('http://www.w3.org/2000/09/xmldsig#rsa-sha1');
    const signed = `SAMLRequest=${packed}&SigAlg=${algorithm}`;
    const signature = createSign('RSA-SHA1').update(signed).sign(key.privateKeyPem, 'base64');
    return `${signed}&Signature=${encodeURIComponent(signature)}`;
  }
  const large = `${'<a>'.repeat(1)}${'x'.repeat(5_000_000)}</a>`;
  const changed = async (from: string | RegExp, to: string) =>
    (await queryOf(logout(), key, 'x')).replace(from, to);

  const cases: readonly (readonly [name: string, code: string, make: () => string | Promise<string>])[] = [
    ['that is not signed', 'SAML_SIGNATURE_MISSING', () => changed(/&Signature=.*/, '')],
    ['without an algorithm', 'SAML_SIGNATURE_MISSING', () => changed(/&SigAlg=[^&]*/, '')],
    ['of another key', 'SAML_SIGNATURE_INVALID', () => queryOf(logout(), strange)],
    ['with a changed RelayState', 'SAML_SIGNATURE_INVALID', () => changed('RelayState=x', 'RelayState=y')],
    ['without its RelayState', 'SAML_SIGNATURE_INVALID', () => changed('&RelayState=x', '')],
    ['by SHA-1', 'SAML_SIGNATURE_INVALID', weakQuery],
    [
      'with two messages',
      'SAML_STRUCTURE_INVALID',
      () => changed('SAMLRequest=', 'SAMLResponse=x&SAMLRequest='),
    ],
    [
      'with a message twice',
      'SAML_STRUCTURE_INVALID',
      () => changed('SAMLRequest=', 'SAMLRequest=x&SAMLRequest='),
    ],
    ['of another issuer', 'SAML_ISSUER_WRONG', () => queryOf(logout({ issuer: 'https://evil.example' }))],
    [
      'for another address',
      'SAML_RECIPIENT_WRONG',
      () => queryOf(logout({ destination: 'https://else.example' })),
    ],
    ['of yesterday', 'SAML_CLOCK', () => queryOf(logout({ issuedAtMs: nowMs - 86_400_000 }))],
    ['of tomorrow', 'SAML_CLOCK', () => queryOf(logout({ issuedAtMs: nowMs + 86_400_000 }))],
    ['that is not a logout', 'SAML_LOGOUT_INVALID', () => queryOf(logout({ name: 'AuthnRequest' }))],
    ['that inflates to megabytes', 'SAML_TOO_LARGE', () => queryOf(large)],
    ['with a document type', 'SAML_XML_INVALID', () => queryOf(`<!DOCTYPE x>${logout()}`)],
    ['of nothing', 'SAML_STRUCTURE_INVALID', () => ''],
  ];
  it.each(cases.map(([name, code, make]) => ({ name, code, make })))(
    '$name is refused',
    async ({ code, make }) => {
      await expect(read(await make())).rejects.toMatchObject({ code });
    },
  );
});
