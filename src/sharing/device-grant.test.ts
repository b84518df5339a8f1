import { describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import { DEVICE_GRANT_CHARS, DeviceGrants, deviceAudienceUuid } from './device-grant.ts';
import { GRANT_CHARS, Grants } from './grant.ts';

const key = (byte: number) => Buffer.alloc(32, byte);
const grants = new DeviceGrants(key(3));
const principal = { kind: 'session', uuid: newRuuid() } as const;

describe('a device grant', () => {
  it.each(['key', 'session'] as const)('carries device, %s, viewer and expiration', (kind) => {
    const deviceUuid = newRuuid();
    const text = grants.issue(deviceUuid, { ...principal, kind }, 2_000_000_000);
    expect(text).toMatch(new RegExp(`^[\\w-]{${DEVICE_GRANT_CHARS}}$`));
    const grant = grants.verify(text)!;
    expect(grant).toMatchObject({ deviceUuid, principal: { ...principal, kind }, expiresAtSec: 2e9 });
    expect(Buffer.from(grant.viewerId, 'base64url')).toHaveLength(8);
  });

  it('is a different viewer each time', () => {
    const uuid = newRuuid();
    const issued = Array.from({ length: 100 }, () => grants.verify(grants.issue(uuid, principal, 2e9))!);
    expect(new Set(issued.map(({ viewerId }) => viewerId)).size).toBe(100);
  });

  it('with any character changed, cut off or added is foreign', () => {
    const text = grants.issue(newRuuid(), principal, 2e9);
    for (let at = 0; at < text.length; at++) {
      for (const other of ['A', 'B', '-', '=', ' ']) {
        if (text[at] === other) continue;
        expect(grants.verify(text.slice(0, at) + other + text.slice(at + 1))).toBeNull();
      }
    }
    expect(grants.verify(text.slice(1))).toBeNull();
    expect(grants.verify(`${text}A`)).toBeNull();
  });

  it('is no grant of a share, and no grant of a share is one, even under the same key', () => {
    const shares = new Grants(key(3));
    const ofShare = shares.issue(newRuuid(), 1, 2e9);
    expect(ofShare).toHaveLength(GRANT_CHARS);
    expect(grants.verify(ofShare)).toBeNull();
    expect(shares.verify(grants.issue(newRuuid(), principal, 2e9))).toBeNull();
  });

  it('made with another key is foreign', () => {
    expect(grants.verify(new DeviceGrants(key(4)).issue(newRuuid(), principal, 2e9))).toBeNull();
  });

  it('needs a strong key', () => {
    expect(() => new DeviceGrants(Buffer.alloc(31))).toThrow(RangeError);
  });
});

it('viewers of a device are counted under a UUID that is not the device', () => {
  const uuid = newRuuid();
  expect(deviceAudienceUuid(uuid)).toBe(deviceAudienceUuid(uuid));
  expect(deviceAudienceUuid(uuid)).not.toBe(uuid);
});
