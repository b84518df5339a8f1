import type { NetworkInterfaceInfo } from 'node:os';
import { expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { OWN_ADDRESSES_MS, OwnAddresses } from './own-addresses.ts';

const info = (address: string) => ({ address }) as NetworkInterfaceInfo;

it('knows the addresses of all interfaces, in one spelling', () => {
  const interfaces = { eth0: [info('192.0.2.7'), info('FD00:0:0::7')], down: undefined };
  const own = new OwnAddresses(new FakeClock(), () => interfaces);
  expect(['192.0.2.7', 'fd00:0:0:0:0:0:0:7', '192.0.2.8'].map((each) => own.has(each))).toEqual([
    true,
    true,
    false,
  ]);
});

it('knows an interface that comes, and forgets one that goes, and does not read them each time', () => {
  const clock = new FakeClock();
  let reads = 0;
  let address = '192.0.2.7';
  const own = new OwnAddresses(clock, () => {
    reads += 1;
    return { eth0: [info(address)] };
  });
  for (let count = 0; count < 3; count++) expect(own.has('192.0.2.7')).toBe(true);
  address = '192.0.2.8';
  clock.advance(OWN_ADDRESSES_MS);
  expect([own.has('192.0.2.7'), own.has('192.0.2.8'), reads]).toEqual([false, true, 2]);
});
