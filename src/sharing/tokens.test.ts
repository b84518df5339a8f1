import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { newRuuid } from '../core/ruuid.ts';
import { GRANT_CHARS, Grants } from './grant.ts';
import { SHARE_TOKEN_CHARS, ShareTokens } from './share-token.ts';

const key = (byte: number) => Buffer.alloc(32, byte);
const tokens = new ShareTokens(key(1));
const grants = new Grants(key(2));
const RUNS = randomRuns(2_000);
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

describe.each([
  ['share token', SHARE_TOKEN_CHARS, () => tokens.tokenOf(newRuuid()), (text: string) => tokens.verify(text)],
  ['grant', GRANT_CHARS, () => grants.issue(newRuuid(), 1, 2e9), (text: string) => grants.verify(text)],
])('%s', (_name, chars, make, verify) => {
  it('has its length and verifies', () => {
    const text = make();
    expect(text).toHaveLength(chars);
    expect(verify(text)).not.toBeNull();
  });

  it('has one spelling: no other character at any position verifies', () => {
    const text = make();
    for (let i = 0; i < text.length; i++) {
      for (const other of `${ALPHABET}=+/ %.é`) {
        if (other === text[i]) continue;
        expect(verify(text.slice(0, i) + other + text.slice(i + 1)), `${i} ${other}`).toBeNull();
      }
    }
  });

  it('fails when truncated to any length, or extended', () => {
    const text = make();
    for (let length = 0; length < text.length; length++) expect(verify(text.slice(0, length))).toBeNull();
    for (const tail of ['A', '=', '==', '\n', ' ', '%3D']) expect(verify(text + tail)).toBeNull();
  });

  it('is not hit by chance', () => {
    const any = fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: chars, maxLength: chars });
    fc.assert(
      fc.property(fc.oneof(any, fc.string()), (text) => verify(text) === null),
      RUNS,
    );
  });
});

describe('share token', () => {
  it('names its share and is always the same', () => {
    const uuid = newRuuid();
    expect(tokens.verify(tokens.tokenOf(uuid))).toBe(uuid);
    expect(tokens.tokenOf(uuid)).toBe(new ShareTokens(key(1)).tokenOf(uuid));
  });

  it('made with another key is foreign', () => {
    expect(tokens.verify(new ShareTokens(key(3)).tokenOf(newRuuid()))).toBeNull();
  });
});

describe('grant', () => {
  it('carries share, viewer, access epoch and expiration', () => {
    const uuid = newRuuid();
    const grant = grants.verify(grants.issue(uuid, 4_000_000_000, 2_000_000_000))!;
    expect(grant).toMatchObject({ shareUuid: uuid, accessEpoch: 4_000_000_000, expiresAtSec: 2_000_000_000 });
    expect(Buffer.from(grant.viewerId, 'base64url')).toHaveLength(8);
  });

  it('is a different viewer each time', () => {
    const uuid = newRuuid();
    const viewers = Array.from({ length: 100 }, () => grants.verify(grants.issue(uuid, 1, 2e9))!.viewerId);
    expect(new Set(viewers).size).toBe(100);
  });

  it('ends no later than 2106', () => {
    expect(grants.verify(grants.issue(newRuuid(), 1, 9e9))!.expiresAtSec).toBe(2 ** 32 - 1);
  });

  it('made with another key is foreign', () => {
    expect(grants.verify(new Grants(key(3)).issue(newRuuid(), 1, 2e9))).toBeNull();
  });
});

it('rejects weak keys', () => {
  expect(() => new ShareTokens(Buffer.alloc(31))).toThrow(RangeError);
  expect(() => new Grants(Buffer.alloc(31))).toThrow(RangeError);
});
