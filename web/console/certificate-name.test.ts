import { expect, it } from 'vitest';
import { nameInCertificate } from './certificate-name.ts';

it('is the common name, or everything that there is', () => {
  expect(nameInCertificate('O=Maker\nCN=Gate camera')).toBe('Gate camera');
  expect(nameInCertificate('O=Maker\nOU=Cameras')).toBe('O=Maker, OU=Cameras');
});
