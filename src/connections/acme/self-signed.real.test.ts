import { execFileSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { createSelfSigned } from './self-signed.ts';

const YEAR_MS = 365 * 86_400_000;

it.each([Date.UTC(2026, 0, 31, 12), Date.UTC(2060, 1, 29)])(
  'is what OpenSSL verifies, at %i',
  (nowEpochMs) => {
    // Long enough for lengths of one and of two bytes.
    const domains = Array.from({ length: 40 }, (_, i) => `camera-${i}.video.example.com`);
    for (const names of [domains.slice(0, 1), domains]) {
      const { certPem, keyPem } = createSelfSigned(names, nowEpochMs);
      const certificate = new X509Certificate(certPem);
      expect(certificate.verify(certificate.publicKey)).toBe(true);
      expect(certificate.checkPrivateKey(createPrivateKey(keyPem))).toBe(true);
      expect(names.map((name) => certificate.checkHost(name))).toEqual(names);
      expect(certificate.checkHost('other.example.com')).toBeUndefined();
      expect(Date.parse(certificate.validFrom)).toBeLessThan(nowEpochMs);
      expect(Date.parse(certificate.validTo)).toBe(nowEpochMs + YEAR_MS);
      const text = execFileSync('openssl', ['x509', '-noout', '-text'], { input: certPem }).toString();
      expect(text).toContain('Version: 3');
      expect(text).toContain('ecdsa-with-SHA256');
    }
  },
);
