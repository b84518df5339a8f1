/** Good and hostile responses of a SAML provider: each of the bad ones is refused with the sentence for its kind. */

import { beforeAll, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { base64, FakeSamlProvider, type WantedResponse } from './fake-provider-fixture.ts';
import { verifyResponse } from './response-verifier.ts';
import { createSamlKey } from './saml-keys.ts';
import type { OwnParty, ProviderParty, ResponseRules, SamlKey } from './saml-party.ts';

const OWN: OwnParty = {
  entityId: 'https://api.example/console/saml/one/metadata',
  acsUrl: 'https://api.example/console/saml/one/acs',
  logoutUrl: 'https://api.example/console/saml/one/logout',
};
const RULES: ResponseRules = { signed: 'either', requiresEncryption: false, clockSkewMs: 60_000 };
const clock = new FakeClock();
const nowMs = clock.epochMs();

let provider: FakeSamlProvider;
let strange: SamlKey;
let ours: SamlKey;
let earlier: SamlKey;
let later: SamlKey;

beforeAll(async () => {
  const bits = 2_048;
  [ours, earlier, strange, later] = (await Promise.all(
    ['ours', 'earlier', 'strange', 'later'].map((host) => createSamlKey(`${host}.example`, nowMs, bits)),
  )) as [SamlKey, SamlKey, SamlKey, SamlKey];
  provider = new FakeSamlProvider(await createSamlKey('login.example', nowMs, bits));
});

function wanted(changes: Partial<WantedResponse> = {}): WantedResponse {
  return { own: OWN, nowMs, ...changes };
}

interface Changes {
  readonly rules?: Partial<ResponseRules>;
  readonly party?: Partial<ProviderParty>;
  readonly atMs?: number;
}

function verify(xml: string, { rules, party, atMs = nowMs }: Changes = {}) {
  return verifyResponse(base64(xml), {
    own: OWN,
    provider: provider.party(party),
    rules: { ...RULES, ...rules },
    keys: [ours, earlier],
    nowMs: atMs,
  });
}

describe('a response of a SAML provider', () => {
  it.each(['assertion', 'response', 'both'] as const)('with a signed %s is a statement', async (signing) => {
    const attributes = { groups: ['guards', 'north'], email: ['ada@example.com'] };
    expect(await verify(provider.signed(wanted({ attributes }), signing))).toEqual({
      id: '_assertion',
      inResponseTo: '_request',
      nameId: 'ada@example.com',
      nameIdFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
      sessionIndex: 'session-1',
      issuedAtMs: nowMs,
      usableUntilMs: nowMs + 360_000,
      attributes: new Map([
        ['groups', ['guards', 'north']],
        ['email', ['ada@example.com']],
      ]),
      isEncrypted: false,
    });
  });

  it.each([
    ['assertion', 'http://www.w3.org/2009/xmlenc11#aes256-gcm'],
    ['response', 'http://www.w3.org/2009/xmlenc11#aes128-gcm'],
    ['both', 'http://www.w3.org/2001/04/xmlenc#aes256-cbc'],
  ] as const)('can be encrypted, with a signed %s, by %s', async (signing, algorithm) => {
    const xml = await provider.encrypted(wanted(), ours, { signing, algorithm });
    const rules = { requiresEncryption: true };
    expect(await verify(xml, { rules })).toMatchObject({ nameId: 'ada@example.com', isEncrypted: true });
  });

  it('can be encrypted for the key from before', async () => {
    expect(await verify(await provider.encrypted(wanted(), earlier))).toMatchObject({ isEncrypted: true });
    await expect(verify(await provider.encrypted(wanted(), strange))).rejects.toMatchObject({
      code: 'SAML_SIGNATURE_INVALID',
    });
  });

  it('counts with each certificate of the provider, and with no other', async () => {
    const certificates = [later.certificatePem, provider.key.certificatePem];
    for (const key of [provider.key, later]) {
      const xml = provider.signed(wanted(), 'assertion', key);
      expect(await verify(xml, { party: { certificates } })).toMatchObject({ id: '_assertion' });
    }
  });

  it('counts within the clock skew, and not beyond', async () => {
    const xml = provider.signed(wanted());
    const clockSkewMs = 60_000;
    expect(await verify(xml, { atMs: nowMs - clockSkewMs })).toBeDefined();
    expect(await verify(xml, { atMs: nowMs + 300_000 + clockSkewMs - 1 })).toBeDefined();
    for (const atMs of [nowMs - clockSkewMs - 1, nowMs + 300_000 + clockSkewMs]) {
      await expect(verify(xml, { atMs })).rejects.toMatchObject({ code: 'SAML_CLOCK' });
    }
  });

  it('began at the provider if it names no request', async () => {
    const xml = provider.signed(wanted({ inResponseTo: null }));
    expect(await verify(xml)).toMatchObject({ inResponseTo: null });
  });
});

/** Signature wrapping: a signed message is kept, and an evil one is put where it may be read. */
const EVIL = { assertionId: '_evil', nameId: 'admin@example.com' };

function evilAssertion(): string {
  return provider.assertion(wanted(EVIL));
}

function parts(xml: string) {
  const assertion = /<saml:Assertion.*<\/saml:Assertion>/s.exec(xml)![0];
  const signature = /<Signature.*<\/Signature>/s.exec(xml)![0];
  return { assertion, signature, unsigned: assertion.replace(signature, '') };
}

/** An XML element put into another, before its end. */
function into(outer: string, inner: string): string {
  return outer.replace(/<\/[\w:]+>$/, (end) => `${inner}${end}`);
}

const WRAPPINGS: Readonly<Record<string, () => string>> = {
  'XSW 1: the signed response within the signature of an evil response': () => {
    const signed = provider.signed(wanted(), 'response');
    const { signature } = parts(signed);
    const evil = provider.response(wanted({ ...EVIL, responseId: '_evilResponse' }));
    const object = `<Object xmlns="http://www.w3.org/2000/09/xmldsig#">${signed.replace(signature, '')}</Object>`;
    return evil.replace('</saml:Issuer>', `</saml:Issuer>${into(signature, object)}`);
  },
  'XSW 2: the signed response next to its signature in an evil response': () => {
    const signed = provider.signed(wanted(), 'response');
    const { signature } = parts(signed);
    const evil = provider.response(wanted({ ...EVIL, responseId: '_evilResponse' }));
    return evil.replace('</saml:Issuer>', `</saml:Issuer>${signed.replace(signature, '')}${signature}`);
  },
  'XSW 3: an evil assertion before the signed one': () => {
    const xml = provider.signed(wanted());
    const { assertion } = parts(xml);
    return xml.replace(assertion, `${evilAssertion()}${assertion}`);
  },
  'XSW 4: the signed assertion within an evil one': () => {
    const xml = provider.signed(wanted());
    const { assertion } = parts(xml);
    return xml.replace(assertion, into(evilAssertion(), assertion));
  },
  'XSW 5: the signature in the evil assertion, the signed one at the end': () => {
    const xml = provider.signed(wanted());
    const { assertion, signature, unsigned } = parts(xml);
    const evil = evilAssertion().replace('</saml:Issuer>', `</saml:Issuer>${signature}`);
    return xml.replace(assertion, `${evil}${unsigned}`);
  },
  'XSW 6: the signed assertion within the signature in the evil one': () => {
    const xml = provider.signed(wanted());
    const { assertion, signature, unsigned } = parts(xml);
    const evil = evilAssertion().replace('</saml:Issuer>', `</saml:Issuer>${into(signature, unsigned)}`);
    return xml.replace(assertion, evil);
  },
  'XSW 7: the evil assertion in extensions': () => {
    const xml = provider.signed(wanted());
    const { assertion } = parts(xml);
    return xml.replace(assertion, `<samlp:Extensions>${evilAssertion()}</samlp:Extensions>${assertion}`);
  },
  'XSW 8: the signed assertion in an object of the signature in the evil one': () => {
    const xml = provider.signed(wanted());
    const { assertion, signature, unsigned } = parts(xml);
    const object = `<Object xmlns="http://www.w3.org/2000/09/xmldsig#">${unsigned}</Object>`;
    const evil = evilAssertion().replace('</saml:Issuer>', `</saml:Issuer>${into(signature, object)}`);
    return xml.replace(assertion, evil);
  },
  'an evil assertion with the ID of the signed one': () => {
    const xml = provider.signed(wanted());
    const { assertion } = parts(xml);
    const evil = provider.assertion(wanted({ ...EVIL, assertionId: '_assertion' }));
    return xml.replace(assertion, `${evil}${assertion}`);
  },
  'an ID twice, in different spellings': () => {
    const xml = provider.signed(wanted({ responseId: '_assertion' }));
    return xml.replace('<samlp:Status>', '<samlp:Status Id="_assertion">');
  },
  'two signatures of one assertion': () => {
    const xml = provider.signed(wanted());
    const { signature } = parts(xml);
    return xml.replace(signature, `${signature}${signature}`);
  },
  'a signature that covers nothing': () => provider.signed(wanted()).replace('URI="#_assertion"', 'URI=""'),
  'an assertion of another namespace': () =>
    provider.signed(wanted()).replace('</samlp:Response>', '<x:Assertion xmlns:x="urn:x"/></samlp:Response>'),
  'no assertion': () => provider.signed(wanted()).replace(/<saml:Assertion.*<\/saml:Assertion>/s, ''),
  'a logout in place of a response': () =>
    '<samlp:LogoutRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_x"/>',
};

describe('signature wrapping', () => {
  it.each(Object.entries(WRAPPINGS))('%s is refused', async (_name, make) => {
    await expect(verify(make())).rejects.toMatchObject({ code: 'SAML_STRUCTURE_INVALID' });
  });

  it.each(Object.entries(WRAPPINGS))(
    '%s is refused with every rule about signatures',
    async (_name, make) => {
      for (const signed of ['assertion', 'response', 'both'] as const) {
        await expect(verify(make(), { rules: { signed } })).rejects.toMatchObject({
          code: 'SAML_STRUCTURE_INVALID',
        });
      }
    },
  );
});

const FAILED = 'urn:oasis:names:tc:SAML:2.0:status:AuthnFailed';
const RSA_SHA1 = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1';
const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';

type Hostile = readonly [name: string, code: string, make: () => string | Promise<string>, Changes?];

const HOSTILE: readonly Hostile[] = [
  ['nothing signed', 'SAML_SIGNATURE_MISSING', () => provider.response(wanted())],
  [
    'only the response signed where the assertion must be',
    'SAML_SIGNATURE_MISSING',
    () => provider.signed(wanted(), 'response'),
    { rules: { signed: 'assertion' } },
  ],
  [
    'only the assertion signed where the response must be',
    'SAML_SIGNATURE_MISSING',
    () => provider.signed(wanted(), 'assertion'),
    { rules: { signed: 'response' } },
  ],
  [
    'only one part signed where both must be',
    'SAML_SIGNATURE_MISSING',
    () => provider.signed(wanted(), 'response'),
    { rules: { signed: 'both' } },
  ],
  ['another key', 'SAML_SIGNATURE_INVALID', () => provider.signed(wanted(), 'both', strange)],
  ['a changed NameID', 'SAML_SIGNATURE_INVALID', () => provider.signed(wanted()).replace('>ada@', '>eve@')],
  ['SHA-1', 'SAML_SIGNATURE_INVALID', () => provider.signed(wanted()).replace(RSA_SHA256, RSA_SHA1)],
  [
    'a shared key as the algorithm',
    'SAML_SIGNATURE_INVALID',
    () => provider.signed(wanted()).replace(RSA_SHA256, 'http://www.w3.org/2000/09/xmldsig#hmac-sha1'),
  ],
  [
    'a transform that can read anything',
    'SAML_SIGNATURE_INVALID',
    () =>
      provider
        .signed(wanted())
        .replace(
          `<Transform Algorithm="${EXCLUSIVE}"`,
          '<Transform Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"',
        ),
  ],
  [
    'comments that count for the signature',
    'SAML_SIGNATURE_INVALID',
    () => provider.signed(wanted()).replaceAll(EXCLUSIVE, `${EXCLUSIVE}WithComments`),
  ],
  [
    'not encrypted',
    'SAML_ENCRYPTION_MISSING',
    () => provider.signed(wanted()),
    { rules: { requiresEncryption: true } },
  ],
  [
    'nothing signed inside the encryption',
    'SAML_SIGNATURE_INVALID',
    () => provider.encrypted(wanted(), ours, { signing: 'none' }),
  ],
  [
    'RSA 1.5',
    'SAML_SIGNATURE_INVALID',
    () => provider.encrypted(wanted(), ours, { keyAlgorithm: 'http://www.w3.org/2001/04/xmlenc#rsa-1_5' }),
  ],
  [
    'triple DES',
    'SAML_SIGNATURE_INVALID',
    () => provider.encrypted(wanted(), ours, { algorithm: 'http://www.w3.org/2001/04/xmlenc#tripledes-cbc' }),
  ],
  ['another issuer', 'SAML_ISSUER_WRONG', () => provider.signed(wanted({ issuer: 'https://evil.example' }))],
  [
    'another audience',
    'SAML_AUDIENCE_WRONG',
    () => provider.signed(wanted({ audience: 'https://else.example' })),
  ],
  ['no audience', 'SAML_AUDIENCE_WRONG', () => provider.signed(wanted({ audience: null }))],
  [
    'another recipient',
    'SAML_RECIPIENT_WRONG',
    () => provider.signed(wanted({ recipient: 'https://else.example/acs' })),
  ],
  [
    'another destination',
    'SAML_RECIPIENT_WRONG',
    () => provider.signed(wanted({ destination: 'https://else.example/acs' })),
  ],
  [
    'a signed response without a destination',
    'SAML_RECIPIENT_WRONG',
    () => provider.signed(wanted({ destination: null }), 'response'),
  ],
  [
    'two requests',
    'SAML_REQUEST_UNKNOWN',
    () => provider.signed(wanted()).replace('InResponseTo="_request"', 'InResponseTo="_other"'),
  ],
  [
    'an assertion of last week',
    'SAML_CLOCK',
    () => provider.signed(wanted({ issuedAtMs: nowMs - 604_800_000 })),
  ],
  [
    'an assertion of last week that is valid for a year',
    'SAML_CLOCK',
    () =>
      provider.signed(wanted({ issuedAtMs: nowMs - 604_800_000, notOnOrAfterMs: nowMs + 31_536_000_000 })),
  ],
  [
    'an assertion of tomorrow',
    'SAML_CLOCK',
    () => provider.signed(wanted({ issuedAtMs: nowMs + 86_400_000 })),
  ],
  [
    'conditions of tomorrow',
    'SAML_CLOCK',
    () => provider.signed(wanted({ notBeforeMs: nowMs + 86_400_000 })),
  ],
  [
    'an expired confirmation',
    'SAML_CLOCK',
    () => provider.signed(wanted({ confirmedUntilMs: nowMs - 61_000 })),
  ],
  ['a refusal', 'SAML_REFUSED', () => provider.response(wanted({ status: FAILED }))],
  ['a document type', 'SAML_XML_INVALID', () => `<!DOCTYPE samlp:Response>${provider.signed(wanted())}`],
  [
    'entities that expand a thousandfold',
    'SAML_XML_INVALID',
    () =>
      `<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>${provider.response(wanted({ nameId: '&b;' }))}`,
  ],
  [
    'an entity of a file',
    'SAML_XML_INVALID',
    () =>
      `<?xml version="1.0"?><!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>${provider.response(wanted({ nameId: '&x;' }))}`,
  ],
  [
    'a comment in the NameID',
    'SAML_XML_INVALID',
    () =>
      provider.signed(wanted({ nameId: 'ada@example.com.evil.example' })).replace('.evil', '<!-- -->.evil'),
  ],
  [
    'CDATA in the NameID',
    'SAML_XML_INVALID',
    () => provider.signed(wanted()).replace('ada@', '<![CDATA[ada]]>@'),
  ],
  [
    'a processing instruction',
    'SAML_XML_INVALID',
    () => provider.signed(wanted()).replace('ada@', '<?x ?>ada@'),
  ],
  ['no XML', 'SAML_XML_INVALID', () => 'SAML'],
  ['half of the XML', 'SAML_XML_INVALID', () => provider.signed(wanted()).slice(0, 900)],
  ['elements without end', 'SAML_XML_INVALID', () => `<a>${'<b/>'.repeat(20_000)}</a>`],
  ['elements in elements without end', 'SAML_XML_INVALID', () => '<a>'.repeat(500) + '</a>'.repeat(500)],
  [
    'more than 256 KiB',
    'SAML_TOO_LARGE',
    () => provider.signed(wanted({ attributes: { groups: ['x'.repeat(300_000)] } })),
  ],
];

describe('a hostile response', () => {
  const cases = HOSTILE.map(([name, code, make, changes = {}]) => ({ name, code, make, changes }));
  it.each(cases)('with $name is refused ($code)', async ({ code, make, changes }) => {
    await expect(verify(await make(), changes)).rejects.toMatchObject({ code });
  });

  it('that is no base64 is refused', async () => {
    const options = { own: OWN, provider: provider.party(), rules: RULES, keys: [ours] as const, nowMs };
    await expect(verifyResponse('%%%', options)).rejects.toMatchObject({ code: 'SAML_XML_INVALID' });
  });
});
