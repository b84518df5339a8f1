/**
 * Where a camera may be. Callers of the API name hosts, and the gateway connects to them from inside the site. So the
 * gateway's own machine, link-local addresses and the metadata services of clouds are off limits to them unless
 * the operator declares such a camera. Names are judged by the addresses they resolve to at the moment of connecting.
 */

import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { GatewayError } from '../../core/errors.ts';
import { NetworkList, normalizedAddress, parseAddress } from '../../core/ip-address.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { machineNameResolver } from '../../names/machine-names.ts';
import type { NamedAddress } from '../../names/name-resolver.ts';
import { checkedLookup } from '../../network/checked-lookup.ts';
import { DIRECT_ERRORS } from './errors.ts';
import { OWN_ADDRESSES } from './own-addresses.ts';

/** `anywhere`: the operator declared the camera. `no-local`: a caller of the API did. */
export type AddressReach = 'anywhere' | 'no-local';

/** On whose behalf an address is opened. */
export interface AddressClaim {
  readonly reach: AddressReach;
  /** Lookups of names count against it. null: the operator's own. */
  readonly orgUuid: Ruuid | null;
}

/** Networks in CIDR notation. An address must be in one of each list that is not empty. */
export interface AddressNetworks {
  /** Stated in the configuration. */
  readonly operator: readonly string[];
  /** Stated by the organization's administrators. */
  readonly organization: readonly string[];
}

/** Where a camera of an organization may be. */
export interface AddressRule extends AddressClaim {
  readonly networks: AddressNetworks;
}

export const EVERYWHERE: AddressNetworks = { operator: [], organization: [] };

/** The rule for addresses that the operator typed. */
export const ANYWHERE: AddressRule = { reach: 'anywhere', orgUuid: null, networks: EVERYWHERE };

/** The owner of the operator's lookups. */
const OPERATOR = 'operator';
/** One per thread: names of cameras must not delay others. */
const NAMES = machineNameResolver();

/**
 * This machine, link-local, addresses that are not those of one host (RFC 6890, RFC 4291 §2.4), and IPv4 in another
 * notation.
 */
const LOCAL_RANGES: ReadonlySet<string> = new Set([
  'unspecified',
  'loopback',
  'linkLocal',
  'multicast',
  'broadcast',
  'ipv4Mapped',
  'rfc6145',
  'rfc6052',
  '6to4',
  'teredo',
]);
/**
 * Where clouds answer their machines with credentials, besides link-local addresses: AWS (IPv6), Google (IPv6), Alibaba, and
 * Azure's agent.
 */
const METADATA_SERVICES: ReadonlySet<string> = new Set(
  ['fd00:ec2::254', 'fd20:ce::254', '100.100.100.200', '168.63.129.16'].map(normalizedAddress),
);
/** IPv4-compatible addresses (RFC 4291 §2.5.5.1), which ipaddr.js does not treat as a range of their own. */
const IPV4_COMPATIBLE = ipaddr.IPv6.parseCIDR('::/96');

/** Which of a rule's networks an address is outside of; null: of none. The operator's come first. */
export function networksWithout(
  address: string,
  { operator, organization }: AddressNetworks,
): keyof AddressNetworks | null {
  if (operator.length > 0 && !new NetworkList(operator).has(address)) return 'operator';
  return organization.length > 0 && !new NetworkList(organization).has(address) ? 'organization' : null;
}

/** Whether a numeric address passes the rule. */
export function isAllowedAddress(text: string, rule: AddressRule): boolean {
  return isWithinReach(text, rule.reach) && networksWithout(text, rule.networks) === null;
}

function isWithinReach(text: string, reach: AddressReach): boolean {
  if (reach === 'anywhere') return true;
  const address = parseAddress(text);
  if (address === null || LOCAL_RANGES.has(address.range())) return false;
  const spelled = address.toNormalizedString();
  if (METADATA_SERVICES.has(spelled) || OWN_ADDRESSES.has(spelled)) return false;
  return address.kind() === 'ipv4' || !address.match(IPV4_COMPATIBLE);
}

/**
 * The address of `host`, a name or an address, IPv4 if it has one. Fails with DIRECT_UNREACHABLE if the name is unknown,
 * like `addressRefused` if `rule` rejects all its addresses.
 */
export async function cameraAddress(host: string, rule: AddressRule): Promise<string> {
  try {
    return (await allowedAddresses(host, rule))[0]!.address;
  } catch (thrown) {
    if (thrown instanceof GatewayError) throw thrown;
    const reason = (thrown as NodeJS.ErrnoException).code ?? 'unknown';
    throw new GatewayError(DIRECT_ERRORS.DIRECT_UNREACHABLE, { host, reason }, thrown);
  }
}

/**
 * A lookup for `net.connect`: the addresses of a name without those that `rule` rejects. Never called for numeric
 * addresses.
 */
export function cameraLookup(rule: AddressRule): LookupFunction {
  return checkedLookup((host, family) => allowedAddresses(host, rule, family));
}

async function allowedAddresses(
  host: string,
  rule: AddressRule,
  wanted: number | string = 0,
): Promise<readonly NamedAddress[]> {
  const addresses = await addressesOf(host, rule);
  const ofFamily = addresses.filter(({ family }) => wanted === family || wanted === `IPv${family}`);
  const allowed = (ofFamily.length === 0 ? addresses : ofFamily).filter(({ address }) =>
    isAllowedAddress(address, rule),
  );
  if (allowed.length === 0) throw addressRefused(host, rule, addresses[0]?.address);
  return allowed;
}

async function addressesOf(host: string, { orgUuid }: AddressRule): Promise<readonly NamedAddress[]> {
  const family = isIP(host);
  if (family === 4 || family === 6) return [{ address: host, family }];
  return await NAMES.addressesOf(host, orgUuid ?? OPERATOR);
}

const OUTSIDE = {
  operator: DIRECT_ERRORS.DIRECT_OUTSIDE_OPERATOR_NETWORKS,
  organization: DIRECT_ERRORS.DIRECT_OUTSIDE_ORGANIZATION_NETWORKS,
} as const;

/** The codes of refusals by a rule. */
export const ADDRESS_REFUSALS: ReadonlySet<string> = new Set(
  [DIRECT_ERRORS.DIRECT_ADDRESS_REFUSED, ...Object.values(OUTSIDE)].map(({ code }) => code),
);

/**
 * The error of a lookup or a connection when `host` is off limits for the caller that named it. `address`: one that it
 * resolved to.
 */
export function addressRefused(host: string, { reach, networks }: AddressRule, address = host): GatewayError {
  const without = isWithinReach(address, reach) ? networksWithout(address, networks) : null;
  if (without === null) return new GatewayError(DIRECT_ERRORS.DIRECT_ADDRESS_REFUSED, { host });
  return new GatewayError(OUTSIDE[without], { host, address, networks: networks[without].join(', ') });
}
