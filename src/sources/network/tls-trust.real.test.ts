import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import type { GatewayError } from '../../core/errors.ts';
import { CredentialUrl } from '../../core/secret.ts';
import { FakeCamera, measurableScript } from '../direct/fake-camera.ts';
import { FakeTunnel } from '../direct/fake-tunnel.ts';
import { probeCamera } from '../probe.ts';
import { parseTlsTrust, type TlsTrust } from './tls-trust.ts';

const PEM = readFileSync(join(import.meta.dirname, '../direct/fixtures/self-signed.pem'));
const FINGERPRINT = new X509Certificate(PEM).fingerprint256;

describe('an rtsps camera whose certificate must be verified', () => {
  const VALID = readFileSync(join(import.meta.dirname, '../direct/fixtures/loopback.pem'));
  const authorities = getCACertificates();
  let camera: FakeCamera | null = null;
  let tunnel: FakeTunnel | null = null;
  beforeAll(() => setDefaultCACertificates([VALID.toString(), PEM.toString()]));
  afterAll(() => setDefaultCACertificates(authorities));
  afterEach(async () => {
    await camera?.close();
    await tunnel?.close();
  });

  async function verified(host: string, pem: Buffer): Promise<GatewayError | null> {
    camera = await FakeCamera.listen(measurableScript(systemClock.epochMs()), pem);
    return (await probeVerified(camera.url().replace('127.0.0.1', host))).error;
  }

  const probeVerified = (url: string) =>
    probeCamera(new CredentialUrl(url), {
      transport: 'auto',
      timeoutMs: 10_000,
      clock: systemClock,
      tls: 'verify',
    });

  it.each(['127.0.0.1', 'localhost'])('opens as %s, for which it is valid', async (host) => {
    expect(await verified(host, VALID)).toBeNull();
  });

  it('does not open if it is valid for another name', async () => {
    expect(await verified('localhost', PEM)).toMatchObject({
      code: 'DIRECT_CERTIFICATE_REFUSED',
      context: { reason: 'ERR_TLS_CERT_ALTNAME_INVALID' },
    });
  });

  it('opens over HTTPS, where the second connection goes to an address and verifies the name', async () => {
    camera = await FakeCamera.listen(measurableScript(systemClock.epochMs()));
    tunnel = await FakeTunnel.listen(Number(new URL(camera.url()).port), {}, VALID);
    expect((await probeVerified(tunnel.url().replace('127.0.0.1', 'localhost'))).status).toBe('GOOD');
  });
});

describe('an rtsps camera with a self-signed certificate', () => {
  let camera: FakeCamera | null = null;
  afterEach(() => camera?.close());

  async function probed(tls: TlsTrust) {
    camera = await FakeCamera.listen(measurableScript(systemClock.epochMs()), PEM);
    const options = { transport: 'tcp', timeoutMs: 10_000, clock: systemClock, tls } as const;
    return probeCamera(new CredentialUrl(camera.url()), options);
  }

  it.each<[string, TlsTrust]>([
    ['any certificate is accepted', 'any'],
    ['its fingerprint is configured', parseTlsTrust(`sha256:${FINGERPRINT}`)!],
  ])('opens if %s', async (_title, tls) => {
    expect((await probed(tls)).status).toBe('GOOD');
  });

  it.each<[string, TlsTrust, string]>([
    ['it must be verified', 'verify', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['another fingerprint is configured', `sha256:${'0'.repeat(64)}`, 'FINGERPRINT_MISMATCH'],
  ])('does not open if %s, and gets no request', async (_title, tls, reason) => {
    const { error } = await probed(tls);
    const fingerprint = `sha256:${FINGERPRINT.replaceAll(':', '').toLowerCase()}`;
    expect(error).toMatchObject({ code: 'DIRECT_CERTIFICATE_REFUSED', context: { reason, fingerprint } });
    expect(parseTlsTrust(String(error!.context.fingerprint))).toBe(fingerprint);
    expect(camera!.requests).toEqual([]);
  });

  it.each(['TLSv1', 'TLSv1.1'] as const)('says so if it offers no more than %s', async (maxVersion) => {
    const ciphers = 'ALL:@SECLEVEL=0';
    const server = createServer({ cert: PEM, key: PEM, minVersion: 'TLSv1', maxVersion, ciphers });
    server.on('tlsClientError', () => undefined);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const options = { transport: 'tcp', timeoutMs: 10_000, clock: systemClock, tls: 'any' } as const;
    const { error } = await probeCamera(new CredentialUrl(`rtsps://127.0.0.1:${port}/live`), options);
    expect(error?.code).toBe('DIRECT_TLS_OUTDATED');
    server.close();
  });
});
