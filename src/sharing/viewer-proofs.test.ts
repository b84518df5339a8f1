import { expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid } from '../core/ruuid.ts';
import { ViewerProofs } from './viewer-proofs.ts';

const SESSION = { subject: newRuuid(), session: newRuuid(), issuedAtSec: 1 };
const SHARE = { uuid: newRuuid(), accessEpoch: 0 };

/** Whether a sign-in at `named` counts where `configured` is the issuer. */
function counts(configured: string, named: string): boolean {
  const proofs = new ViewerProofs({
    settings: { issuer: configured, allowedDomains: ['example.com'] },
    sealingKey: Buffer.alloc(32, 1),
    views: { isOver: () => false },
    clock: new FakeClock(),
    lifetimeMs: 60_000,
  });
  const identity = { issuer: named, subject: 'ada', email: 'ada@example.com', name: null, claims: {} };
  const proof = proofs.issue(SHARE, { ...identity, session: SESSION });
  return proofs.verify(SHARE, proof) !== null;
}

it('a sign-in counts where the issuer differs by a slash at the end, as Auth0 names itself', () => {
  expect(counts('https://login.example', 'https://login.example')).toBe(true);
  expect(counts('https://login.example', 'https://login.example/')).toBe(true);
  expect(counts('https://login.example/a/', 'https://login.example/a')).toBe(true);
});

it('a sign-in at another issuer does not count', () => {
  expect(counts('https://login.example/a', 'https://login.example/b')).toBe(false);
  expect(counts('https://login.example', 'https://login.example/a')).toBe(false);
});
