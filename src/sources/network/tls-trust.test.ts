import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseTlsTrust } from './tls-trust.ts';

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
