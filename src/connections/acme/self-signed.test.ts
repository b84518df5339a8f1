import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { createSelfSigned } from './self-signed.ts';

it('has another serial number each time', () => {
  const numbers = Array.from({ length: 20 }, () => {
    const { certPem } = createSelfSigned(['a.example.com'], Date.UTC(2026));
    return new X509Certificate(certPem).serialNumber;
  });
  expect(new Set(numbers).size).toBe(20);
});
