import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { isNetwork, NetworkList, parseAddress, parsePeerAddress } from './ip-address.ts';

const shown = (text: string) => parseAddress(text)?.toString() ?? null;

describe('parseAddress', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:DB8:0:0::6', '2001:db8::6'],
    ['::ffff:192.0.2.1', '::ffff:c000:201'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
    ['::192.0.2.1', '::c000:201'],
    ['1:2:3:4:5:6:0.0.255.1', '1:2:3:4:5:6:0:ff01'],
    ['fe80::1%br-lan', 'fe80::1'],
  ])('reads %s', (text, address) => expect(shown(text)).toBe(address));

  it.each([
    '',
    'localhost',
    '127.1',
    '0x7f.0.0.1',
    '2130706433',
    '010.0.0.1',
    '8.8.8.8 ',
    '1.2.3',
    ':::',
    '1::2::3',
  ])('finds no address in %j', (text) => expect(parseAddress(text)).toBeNull());

  it('reads whatever the system accepts as an address, and nothing else', () => {
    const zone = fc.stringMatching(/^(?:%[0-9a-zA-Z.:-]{1,8})?$/);
    const addresses = fc.oneof(
      fc.ipV4(),
      fc.tuple(fc.ipV6(), zone).map((parts) => parts.join('')),
      fc.string(),
    );
    fc.assert(
      fc.property(addresses, (text) => {
        const address = parseAddress(text);
        expect(address === null ? 0 : address.kind() === 'ipv4' ? 4 : 6).toBe(isIP(text));
      }),
      randomRuns(5_000),
    );
  });
});

describe('parsePeerAddress', () => {
  it.each([
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:c000:0201', '192.0.2.1'],
    ['192.0.2.1', '192.0.2.1'],
    ['::192.0.2.1', '::c000:201'],
  ])('takes %s for %s', (text, address) => expect(parsePeerAddress(text)?.toString()).toBe(address));
});

describe('NetworkList', () => {
  const list = new NetworkList([
    '10.0.0.0/8',
    '192.0.2.7',
    '2001:db8::/32',
    '::1',
    '::ffff:198.51.100.0/120',
  ]);

  it.each(['10.0.0.0', '10.255.255.255', '192.0.2.7', '2001:db8:ffff::1', '::1', '198.51.100.9'])(
    'has %s',
    (address) => expect(list.has(address)).toBe(true),
  );

  it.each(['::ffff:10.1.2.3', '::ffff:a01:203', '::ffff:192.0.2.7'])(
    'contains %s, which is IPv4',
    (address) => expect(list.has(address)).toBe(true),
  );

  it.each([
    '11.0.0.1',
    '192.0.2.8',
    '2001:db9::1',
    '::2',
    '198.51.101.9',
    '::10.0.0.1',
    '',
    'localhost',
    '10.1',
  ])('has not %j', (address) => expect(list.has(address)).toBe(false));

  it('of everything contains everything of its family', () => {
    expect([
      new NetworkList(['0.0.0.0/0']).has('8.8.8.8'),
      new NetworkList(['0.0.0.0/0']).has('::1'),
    ]).toEqual([true, false]);
  });

  it.each([
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '10.0/8',
    'fe80::1%eth0',
    'lan',
  ])('is not made from %s', (text) => {
    expect(isNetwork(text)).toBe(false);
    expect(() => new NetworkList([text])).toThrow(TypeError);
  });
});
