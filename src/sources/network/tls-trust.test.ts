import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import { CredentialUrl } from '../../core/secret.ts';
import { FakeCamera, measurableScript } from '../direct/fake-camera.ts';
import { probeCamera } from '../direct/probe.ts';
import { parseTlsTrust, type TlsTrust } from './tls-trust.ts';

const PEM = readFileSync(join(import.meta.dirname, '../direct/fixtures/self-signed.pem'));
const FINGERPRINT = new X509Certificate(PEM).fingerprint256;

describe('parseTlsTrust', () => {
  it('reads a fingerprint as OpenSSL prints it, and without colons', () => {
    const digits = FINGERPRINT.replaceAll(':', '').toLowerCase();
    expect(parseTlsTrust(`sha256:${FINGERPRINT}`)).toBe(`sha256:${digits}`);
    expect(parseTlsTrust(`sha256:${digits}`)).toBe(`sha256:${digits}`);
    expect([parseTlsTrust('any'), parseTlsTrust('verify')]).toEqual(['any', 'verify']);
  });

  it.each([
    '',
    'none',
    'Verify',
    'sha256:',
    `sha256:${'0'.repeat(63)}`,
    `sha1:${'0'.repeat(40)}`,
    FINGERPRINT,
  ])('rejects %j', (text) => expect(parseTlsTrust(text)).toBeNull());
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
    expect(error).toMatchObject({ code: 'DIRECT_TLS_FAILED', context: { reason } });
    expect(camera!.requests).toEqual([]);
  });
});
