import { describe, expect, it } from 'vitest';
import { subscriberOf } from './subscriber.ts';

describe('subscriberOf', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:0001:0002::', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:FFFF:192.0.2.1', '192.0.2.1'],
    ['fe80::1%br-lan', 'fe80:0:0:0::/64'],
    ['not an address', 'not an address'],
    ['', ''],
  ])('of %s is %s', (address, subscriber) => {
    expect(subscriberOf(address)).toBe(subscriber);
  });
});
