import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { deriveRuuid, isRuuid, newRuuid, parseDeviceFacetUuid } from './ruuid.ts';

describe('RUUID', () => {
  it('is 22 URL-safe characters that decode to 16 bytes', () => {
    const uuid = newRuuid();
    expect(uuid).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(Buffer.from(uuid, 'base64url')).toHaveLength(16);
    expect(isRuuid(uuid)).toBe(true);
    expect(newRuuid()).not.toBe(uuid);
  });

  it('can be used as a command argument', () => {
    for (let count = 0; count < 2_000; count++) expect(newRuuid()).not.toMatch(/^-/);
  });

  it('accepts exactly the canonical text of 16 bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        expect(isRuuid(Buffer.from(bytes).toString('base64url'))).toBe(true);
      }),
      randomRuns(1_000),
    );
    fc.assert(
      fc.property(fc.string({ minLength: 20, maxLength: 24 }), (text) => {
        const isCanonical =
          Buffer.from(text, 'base64url').toString('base64url') === text && text.length === 22;
        expect(isRuuid(text)).toBe(isCanonical);
      }),
      randomRuns(1_000),
    );
  });

  it('derives the same version-5 UUID from the same name', () => {
    const bytes = Buffer.from(deriveRuuid('camera', 'Lobby'), 'base64url');
    expect(deriveRuuid('camera', 'Lobby')).toBe(deriveRuuid('camera', 'Lobby'));
    expect(deriveRuuid('camera', 'Lobby')).not.toBe(deriveRuuid('nvr', 'Lobby'));
    expect(bytes[6]! >> 4).toBe(5);
    expect(bytes[8]! >> 6).toBe(2);
  });

  it.each([
    ['plain', '', true],
    ['video facet', '.v0', true],
    ['last audio facet', '.a51', true],
    ['facet beyond the last', '.v52', false],
    ['unknown facet', '.x1', false],
    ['path', '/../x', false],
  ])('parses a DeviceFacetUuid: %s', (_title, suffix, isValid) => {
    const uuid = newRuuid();
    const parsed = parseDeviceFacetUuid(uuid + suffix);
    expect(parsed).toEqual(isValid ? { uuid, facet: suffix.slice(1) } : null);
  });
});
