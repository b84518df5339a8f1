import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { Sha256 } from './sha256.ts';

it('is that of Node.js for each length, however the bytes are cut', () => {
  for (let length = 0; length <= 300; length++) {
    const bytes = Buffer.from(Array.from({ length }, (_none, i) => (i * 31 + length) % 256));
    const hash = new Sha256();
    for (let at = 0; at < length; at += 1 + (length % 90)) {
      hash.update(bytes.subarray(at, Math.min(length, at + 1 + (length % 90))));
    }
    const expected = createHash('sha256').update(bytes).digest('hex');
    expect(Buffer.from(hash.digest()).toString('hex'), String(length)).toBe(expected);
  }
});

it('hashes megabytes', () => {
  const piece = Buffer.alloc(1_048_576, 7);
  const [own, other] = [new Sha256(), createHash('sha256')];
  for (let i = 0; i < 3; i++) {
    own.update(piece);
    other.update(piece);
  }
  expect(Buffer.from(own.digest()).toString('hex')).toBe(other.digest('hex'));
});
