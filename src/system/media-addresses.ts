/** The addresses at which devices in the same network can open links: this machine's, with the port of the media listener. */

import type { NetworkInterfaceInfo } from 'node:os';
import type { HostPort } from '../core/host-port.ts';
import { parseAddress } from '../core/ip-address.ts';
import { type AddressReach, addressReach } from './public-url-request.ts';

export interface MediaListener extends HostPort {
  readonly isTls: boolean;
}

/** As `os.networkInterfaces` reports them. */
export type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

export interface MediaAddress {
  readonly url: string;
  readonly address: string;
  readonly interfaceName: string;
  readonly reach: AddressReach;
}

export interface MediaAddresses {
  /** Where the media listener accepts connections. */
  readonly listener: MediaListener;
  /** Whether only programs on this machine can connect. */
  readonly isLoopbackOnly: boolean;
  /** The first is the most likely one. With `isLoopbackOnly`, those that would work if it listened everywhere. */
  readonly addresses: readonly MediaAddress[];
}

/** More are not offered. */
const MAX_ADDRESSES = 8;
/** Networks of containers and virtual machines, which phones are not in. */
const VIRTUAL = /^(?:docker|br-|veth|virbr|cni|flannel|cali|lxc|vmnet|vbox|podman)/i;
const ALL_ADDRESSES: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** IPv4 alone: a content security policy cannot name an address of IPv6, so the console could not test one. */
export function mediaAddresses(listener: MediaListener, interfaces: Interfaces): MediaAddresses {
  const { host, port, isTls } = listener;
  const isEverywhere = ALL_ADDRESSES.has(host);
  const isLoopbackOnly = !isEverywhere && isLoopback(host);
  const found = Object.entries(interfaces).flatMap(([interfaceName, infos = []]) =>
    infos
      .filter(({ family, internal, address }) => family === 'IPv4' && !internal && !isLinkLocal(address))
      .filter(({ address }) => isEverywhere || isLoopbackOnly || address === host)
      .map(
        ({ address }): MediaAddress => ({
          url: `${isTls ? 'https' : 'http'}://${address}:${port}`,
          address,
          interfaceName,
          reach: addressReach(address),
        }),
      ),
  );
  const rank = ({ interfaceName }: MediaAddress) => Number(VIRTUAL.test(interfaceName));
  return {
    listener,
    isLoopbackOnly,
    addresses: found.toSorted((one, other) => rank(one) - rank(other)).slice(0, MAX_ADDRESSES),
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || parseAddress(host)?.range() === 'loopback';
}

/** A device gives itself such an address when it found no network. */
function isLinkLocal(address: string): boolean {
  return parseAddress(address)?.range() === 'linkLocal';
}
