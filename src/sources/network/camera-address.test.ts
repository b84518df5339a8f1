import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type AddressRule,
  ANYWHERE,
  addressRefused,
  isAllowedAddress,
  networksWithout,
} from './camera-address.ts';
import { OWN_ADDRESSES } from './own-addresses.ts';

const FROM_CALLER: AddressRule = { ...ANYWHERE, reach: 'no-local' };

describe('isAllowedAddress', () => {
  it.each(['10.0.0.8', '192.168.1.20', '172.16.4.4', '100.64.1.1', '8.8.8.8', '2001:db8::8', 'fd00::8'])(
    'allows a caller to use %s',
    (address) => expect(isAllowedAddress(address, FROM_CALLER)).toBe(true),
  );

  it.each([
    '127.0.0.1',
    '127.8.8.8',
    '0.0.0.0',
    '169.254.169.254',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'fe80::1%eth0',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::7f00:1',
    '::ffff:0:7f00:1',
    '2002:7f00:1::',
    '',
    'localhost',
    '127.1',
  ])('denies %j to a caller', (address) => expect(isAllowedAddress(address, FROM_CALLER)).toBe(false));

  it.each(['fd00:ec2::254', 'fd00:0ec2:0::254', 'fd20:ce::254', '100.100.100.200', '168.63.129.16'])(
    'denies the metadata service at %s to a caller',
    (address) => expect(isAllowedAddress(address, FROM_CALLER)).toBe(false),
  );

  it('denies a caller the addresses of this machine, and what Teredo would tunnel to', () => {
    const has = vi.spyOn(OWN_ADDRESSES, 'has').mockImplementation((address) => address === '192.0.2.7');
    onTestFinished(() => has.mockRestore());
    expect(['192.0.2.7', '192.0.2.8'].map((each) => isAllowedAddress(each, FROM_CALLER))).toEqual([
      false,
      true,
    ]);
    expect(isAllowedAddress('2001::7f00:1', FROM_CALLER)).toBe(false);
  });

  it.each([
    ['10.9.0.5', null],
    ['2001:db8:1::8', null],
    ['192.168.1.5', 'organization'],
    ['172.16.0.1', 'operator'],
    ['2001:db9::1', 'operator'],
    ['camera.example', 'operator'],
  ])('finds that %s is outside the networks of %s', (address, whose) => {
    const networks = {
      operator: ['10.0.0.0/8', '192.168.0.0/16', '2001:db8::/32'],
      organization: ['10.9.0.0/16', '2001:db8:1::/48'],
    };
    expect(networksWithout(address, networks)).toBe(whose);
    const rule = { ...FROM_CALLER, networks };
    expect(isAllowedAddress(address, rule)).toBe(whose === null);
    if (whose === null) return;
    const error = addressRefused('camera.example', rule, address);
    const local = address === 'camera.example';
    expect(error).toMatchObject(
      local
        ? { code: 'DIRECT_ADDRESS_REFUSED' }
        : {
            code: `DIRECT_OUTSIDE_${whose.toUpperCase()}_NETWORKS`,
            context: { host: 'camera.example', address, networks: networks[whose as 'operator'].join(', ') },
          },
    );
  });

  it('allows no one what the gateway itself must not open, whatever networks say', () => {
    const networks = { operator: ['0.0.0.0/0', '::/0'], organization: ['127.0.0.0/8', 'fd00:ec2::/32'] };
    for (const address of ['127.0.0.1', 'fd00:ec2::254']) {
      expect(isAllowedAddress(address, { ...FROM_CALLER, networks })).toBe(false);
      expect(addressRefused(address, { ...FROM_CALLER, networks }).code).toBe('DIRECT_ADDRESS_REFUSED');
    }
    expect(isAllowedAddress('10.0.0.1', { ...ANYWHERE, networks })).toBe(false);
  });

  it('allows the operator to use any', () => {
    for (const address of ['127.0.0.1', '::1', '169.254.1.1']) {
      expect(isAllowedAddress(address, ANYWHERE)).toBe(true);
    }
  });
});
