/**
 * Where a camera may be. Callers of the API name hosts, and the gateway connects to them from inside the site: the
 * gateway's own machine and link-local addresses (a cloud's metadata service among them) are out of their reach unless
 * the operator declares such a camera. Names are judged by what they resolve to, at the moment of connecting.
 */

import { promises as dns, type LookupAddress, type LookupOptions } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { GatewayError } from '../../core/errors.ts';
import { DIRECT_ERRORS } from '../direct/errors.ts';

/** `anywhere`: the operator declared the camera. `no-local`: a caller of the API did. */
export type AddressRule = 'anywhere' | 'no-local';

/** This machine, link-local, and what is no address of one host (RFC 6890, RFC 4291 §2.4). */
const LOCAL_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 4],
  ['255.255.255.255', 32],
];
const LOCAL_V6: readonly (readonly [string, number])[] = [
  ['::', 128],
  ['::1', 128],
  ['fe80::', 10],
  ['ff00::', 8],
  // IPv4 by another spelling: mapped, compatible, NAT64, 6to4.
  ['::ffff:0:0', 96],
  ['::', 96],
  ['64:ff9b::', 96],
  ['2002::', 16],
];

/** One list a family: a rule for mapped addresses would match every IPv4 address. */
const LOCAL = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const [network, prefix] of LOCAL_V4) LOCAL.ipv4.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of LOCAL_V6) LOCAL.ipv6.addSubnet(network, prefix, 'ipv6');

/** Whether a numeric address passes `rule`. */
export function isAllowedAddress(address: string, rule: AddressRule): boolean {
  if (rule === 'anywhere') return true;
  const version = isIP(address);
  if (version === 0) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  return !LOCAL[family].check(address.split('%', 1)[0]!, family);
}

/**
 * The address of `host`, a name or an address, by this machine's own order of preference. Fails DIRECT_UNREACHABLE
 * when the name is not known, DIRECT_ADDRESS_REFUSED when `rule` refuses all its addresses.
 */
export async function cameraAddress(host: string, rule: AddressRule): Promise<string> {
  try {
    return (await allowedAddresses(host, rule, { all: true }))[0]!.address;
  } catch (thrown) {
    if (thrown instanceof GatewayError) throw thrown;
    const reason = (thrown as NodeJS.ErrnoException).code ?? 'unknown';
    throw new GatewayError(DIRECT_ERRORS.DIRECT_UNREACHABLE, { host, reason }, thrown);
  }
}

/** For `net.connect`: the system's look-up, less what `rule` refuses. Addresses in numbers never come here. */
export function cameraLookup(rule: AddressRule): LookupFunction {
  return (host, options, callback) => {
    allowedAddresses(host, rule, options).then(
      (addresses) => {
        if (options.all === true) callback(null, addresses);
        else callback(null, addresses[0]!.address, addresses[0]!.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}

async function allowedAddresses(
  host: string,
  rule: AddressRule,
  options: LookupOptions,
): Promise<LookupAddress[]> {
  const addresses = await dns.lookup(host, { ...options, all: true });
  const allowed = addresses.filter(({ address }) => isAllowedAddress(address, rule));
  if (allowed.length === 0) throw addressRefused(host);
  return allowed;
}

/** What a look-up or a connection fails with when `host` is out of reach for the one who named it. */
export function addressRefused(host: string): GatewayError {
  return new GatewayError(DIRECT_ERRORS.DIRECT_ADDRESS_REFUSED, { host });
}
