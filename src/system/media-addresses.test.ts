import type { NetworkInterfaceInfo } from 'node:os';
import { expect, it } from 'vitest';
import { mediaAddresses } from './media-addresses.ts';

const at = (address: string, rest: Partial<NetworkInterfaceInfo> = {}): NetworkInterfaceInfo =>
  ({
    address,
    family: 'IPv4',
    internal: false,
    netmask: '',
    mac: '',
    cidr: null,
    ...rest,
  }) as NetworkInterfaceInfo;

const INTERFACES = {
  lo: [at('127.0.0.1', { internal: true })],
  docker0: [at('172.17.0.1')],
  eth0: [at('192.168.1.20'), at('fe80::1', { family: 'IPv6', scopeid: 2 } as Partial<NetworkInterfaceInfo>)],
  wlan0: [at('10.0.0.7'), at('169.254.3.4')],
};
const urls = (host: string, isTls = false) =>
  mediaAddresses({ host, port: 8081, isTls }, INTERFACES).addresses.map(({ url }) => url);

it('offers the addresses of this machine, those of containers last', () => {
  expect(urls('0.0.0.0')).toEqual([
    'http://192.168.1.20:8081',
    'http://10.0.0.7:8081',
    'http://172.17.0.1:8081',
  ]);
  expect(urls('::', true)[0]).toBe('https://192.168.1.20:8081');
});

it('offers the only address that it listens at', () => {
  expect(urls('10.0.0.7')).toEqual(['http://10.0.0.7:8081']);
  expect(urls('203.0.113.9')).toEqual([]);
});

it.each(['127.0.0.1', '::1', 'localhost', '127.8.0.1'])('knows that %s is this machine alone', (host) => {
  const found = mediaAddresses({ host, port: 8081, isTls: false }, INTERFACES);
  expect(found.isLoopbackOnly).toBe(true);
  expect(found.addresses.map(({ address }) => address)).toContain('192.168.1.20');
});

it('knows which addresses are the network’s own', () => {
  const { addresses } = mediaAddresses(
    { host: '::', port: 1, isTls: false },
    { eth0: [at('198.41.0.4'), at('10.1.1.1')] },
  );
  expect(addresses.map(({ reach }) => reach)).toEqual(['everyone', 'own-network']);
});

it('offers a few of many', () => {
  const many = { eth0: Array.from({ length: 100 }, (_each, i) => at(`10.0.0.${i}`)) };
  expect(mediaAddresses({ host: '0.0.0.0', port: 1, isTls: false }, many).addresses).toHaveLength(8);
});
