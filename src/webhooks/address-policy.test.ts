import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { isPublicAddress } from './address-policy.ts';

describe('isPublicAddress', () => {
  it.each(['8.8.8.8', '1.1.1.1', '172.15.255.255', '172.32.0.0', '192.167.255.255', '2606:4700::1111'])(
    'lets %s pass',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '198.18.0.1',
    '192.0.0.8',
    '192.0.2.1',
    '192.31.196.1',
    '192.52.193.1',
    '192.88.99.1',
    '192.175.48.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '0:0:0:0:0:ffff:a00:1',
    '64:ff9b::a00:1',
    '64:ff9b:1::a00:1',
    '2002:7f00:1::',
    '2001:0:7f00:1::',
    '2001:2::1',
    '2001:1ff::1',
    '2001:db8::1',
    '2620:4f:8000::1',
    '3fff::1',
    '3fff:fff::1',
    '4000::1',
    '5f00::1',
    'fe80::1',
    'fe80::1%eth0',
    '2606:4700::1111%lo',
    'fc00::1',
    'fd12:3456::1',
    'fec0::1',
    'ff02::1',
    '100::1',
    '',
    'localhost',
    '127.1',
    '2130706433',
    '0x7f000001',
    '8.8.8.8 ',
  ])('refuses %s', (address) => expect(isPublicAddress(address)).toBe(false));

  it('refuses every IPv4 address that is wrapped into IPv6', () => {
    const wraps = ['::', '::ffff:', '64:ff9b::'];
    fc.assert(
      fc.property(fc.constantFrom(...wraps), fc.ipV4(), (wrap, address) => {
        expect(isPublicAddress(`${wrap}${address}`)).toBe(false);
      }),
      randomRuns(5_000),
    );
  });
});
