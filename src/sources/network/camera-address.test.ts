import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { type AddressRule, ANYWHERE, isAllowedAddress } from './camera-address.ts';

const FROM_CALLER: AddressRule = { reach: 'no-local', orgUuid: null };

describe('isAllowedAddress', () => {
  it.each(['10.0.0.8', '192.168.1.20', '172.16.4.4', '100.64.1.1', '8.8.8.8', '2001:db8::8', 'fd00::8'])(
    'allows a caller to use %s',
    (address) => expect(isAllowedAddress(address, FROM_CALLER)).toBe(true),
  );

  it.each([
    ...['127.0.0.1', '127.8.8.8', '0.0.0.0', '169.254.169.254', '224.0.0.1', '255.255.255.255'],
    ...[
      '::1',
      '::',
      'fe80::1',
      'fe80::1%eth0',
      'ff02::1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '::127.0.0.1',
    ],
    ...['64:ff9b::7f00:1', '64:ff9b:1::7f00:1', '::ffff:0:7f00:1', '2002:7f00:1::', '', 'localhost', '127.1'],
  ])('denies %j to a caller', (address) => expect(isAllowedAddress(address, FROM_CALLER)).toBe(false));

  it.each(['fd00:ec2::254', 'fd00:0ec2:0::254', 'fd20:ce::254', '100.100.100.200', '168.63.129.16'])(
    'denies the metadata service at %s to a caller',
    (address) => expect(isAllowedAddress(address, FROM_CALLER)).toBe(false),
  );

  it('denies a caller the addresses of this machine, and what Teredo would tunnel to', () => {
    const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    expect(own.length).toBeGreaterThan(0);
    for (const { address } of own)
      expect([address, isAllowedAddress(address, FROM_CALLER)]).toEqual([address, false]);
    expect(isAllowedAddress('2001::7f00:1', FROM_CALLER)).toBe(false);
  });

  it('allows the operator to use any', () => {
    for (const address of ['127.0.0.1', '::1', '169.254.1.1']) {
      expect(isAllowedAddress(address, ANYWHERE)).toBe(true);
    }
  });
});
