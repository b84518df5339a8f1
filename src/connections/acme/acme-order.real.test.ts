/** Orders with an independent ACME server. test/e2e/acme.test.ts tests the whole gateway with it. */

import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { TestAcmeServer } from '../../../test/support/acme-server.ts';
import { CertificateFolder } from '../../../test/support/certificates.ts';
import { freePort } from '../../../test/support/ports.ts';
import { systemClock } from '../../core/clock.ts';
import { orderCertificate } from './acme-order.ts';
import { ChallengeResponder } from './challenge-responder.ts';

const DOMAINS = ['video.example.com', 'api.example.com'];

let folder: CertificateFolder;
let server: TestAcmeServer;
let httpPort: number;
let accountKeyPem: string;
let responder: ChallengeResponder;
let ending: AbortController;

beforeAll(async () => {
  folder = new CertificateFolder();
  httpPort = await freePort();
  server = await TestAcmeServer.start({ folder, httpPort, lifetimeSec: 3_600 });
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  accountKeyPem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
});
afterAll(async () => {
  await server?.stop();
  folder?.remove();
});
beforeEach(async () => {
  ending = new AbortController();
  responder = await ChallengeResponder.open({ host: '127.0.0.1', port: httpPort });
});
afterEach(() => responder.close());

function order({ domains = DOMAINS, ...more }: Partial<Parameters<typeof orderCertificate>[0]> = {}) {
  return orderCertificate({
    directory: server.directory,
    email: 'admin@example.com',
    accountKeyPem,
    responder,
    domains,
    caPem: readFileSync(server.ca, 'latin1'),
    clock: systemClock,
    signal: ending.signal,
    ...more,
  });
}

it('ends with a chain for all domains and a key of its own, again and again with one account', async () => {
  const serials = new Set<string>();
  for (let times = 0; times < 2; times++) {
    const { certPem, keyPem } = await order();
    const certificate = new X509Certificate(certPem);
    expect(certificate.checkPrivateKey(createPrivateKey(keyPem))).toBe(true);
    expect(DOMAINS.map((domain) => certificate.checkHost(domain))).toEqual(DOMAINS);
    expect(certPem.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    serials.add(certificate.serialNumber);
    expect(responder.pending).toBe(0);
  }
  expect([serials.size, server.issued]).toEqual([2, 2]);
});

it('proves many domains, and removes all of their tokens', async () => {
  const domains = Array.from({ length: 25 }, (_, i) => `camera-${i}.example.com`);
  const certificate = new X509Certificate((await order({ domains })).certPem);
  expect(domains.map((domain) => certificate.checkHost(domain))).toEqual(domains);
  expect(responder.pending).toBe(0);
});

it('fails with the domain that could not be proven, and what the server said, and no key', async () => {
  const failure = await order({
    domains: ['elsewhere.example.com'],
    responder: { add: () => true, remove: () => undefined },
  }).catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({
    code: 'ACME_DOMAIN_NOT_PROVEN',
    context: { domain: 'elsewhere.example.com', detail: expect.stringMatching(/404/) },
  });
  const [, body = ''] = accountKeyPem.split('\n');
  expect(inspect(failure, { depth: null, showHidden: true })).not.toContain(body.slice(0, 16));
});

it('fails with what the server refuses', async () => {
  await expect(order({ email: 'nothing' })).rejects.toMatchObject({
    code: 'ACME_REFUSED',
    context: { problem: expect.stringContaining('urn:ietf:params:acme:error:') },
  });
});

it('ends with the gateway while the server still validates', async () => {
  const add = (): boolean => {
    ending.abort();
    return true;
  };
  await expect(
    order({ domains: ['late.example.com'], responder: { add, remove: () => undefined } }),
  ).rejects.toMatchObject({ code: 'ACME_UNREACHABLE' });
});

it('fails when no server is there', async () => {
  const directory = `https://localhost:${await freePort()}/dir`;
  await expect(order({ directory })).rejects.toMatchObject({
    code: 'ACME_UNREACHABLE',
    context: { reason: 'ECONNREFUSED' },
  });
});
