import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { SigningCertificates } from './signing-certificates.ts';

const SECRET = Buffer.alloc(32, 9);

async function openCertificates(nowEpochMs = Date.UTC(2026, 10, 30)) {
  const clock = new FakeClock(nowEpochMs);
  const { signingCertificates: certificates } = await openTestStore(clock);
  return { clock, certificates: new SigningCertificates({ certificates, secret: SECRET, clock }) };
}

describe('certificates of evidence keys', () => {
  it.each([Date.UTC(2026, 10, 30), Date.UTC(2051, 0, 1)])(
    'are valid X.509 from %d on',
    async (nowEpochMs) => {
      const { certificates } = await openCertificates(nowEpochMs);
      const current = await certificates.current();
      const certificate = new X509Certificate(current.pem);
      expect(certificate.verify(certificate.publicKey)).toBe(true);
      expect(certificate.subject).toBe(`CN=Sluice evidence ${current.keyName}`);
      expect(certificate.issuer).toBe(certificate.subject);
      expect(certificate.validFromDate.getTime()).toBe(nowEpochMs);
      expect(certificate.validToDate.getUTCFullYear()).toBe(9999);
      expect(certificate.ca).toBe(false);
      expect(certificate.publicKey.asymmetricKeyType).toBe('ed25519');
    },
  );

  it('are created once, and a renewal keeps the older one', async () => {
    const { certificates } = await openCertificates();
    const first = await certificates.current();
    expect(await certificates.current()).toEqual(first);
    const second = await certificates.renew();
    expect(second.generation).toBe(2);
    expect(await certificates.current()).toEqual(second);
    const keys = await certificates.publicKeys();
    expect([...keys.keys()]).toEqual([first.keyName, second.keyName]);
    for (const each of [first, second]) {
      expect(certificates.keyOf(each).keyName.toString('hex')).toBe(each.keyName);
      expect(keys.get(each.keyName)?.equals(certificates.keyOf(each).publicKey)).toBe(true);
    }
  });
});
