/**
 * The multicast group of a track, as SETUP and SDP say together (RFC 2326 §12.39, RFC 8866 §5.7): what the response leaves
 * out is taken from the description.
 */

import { isHostAddress, isMulticastAddress } from './sdp/connection-address.ts';
import type { MediaDescription } from './sdp/session-description.ts';
import type { RtpRtcpPair, Transport } from './transport.ts';

export interface MulticastGroup {
  /** An address of 224.0.0.0/4 or ff00::/8. */
  readonly address: string;
  readonly ports: RtpRtcpPair;
  /** Time to live of packets that we send to the group; null: the system's choice, which is not to leave the local network. */
  readonly ttl: number | null;
  /** The sender that the camera names; null: the camera itself. */
  readonly source: string | null;
  /** Only this source's datagrams are requested (RFC 4607): the description filters sources. */
  readonly isSourceSpecific: boolean;
}

/** Media does not come to the ports of services. */
const LOWEST_PORT = 1024;

/** null if the two name no group, or ports that are not for media. */
export function multicastGroup(
  response: Transport | null,
  media: MediaDescription | null,
): MulticastGroup | null {
  const address = response?.destination ?? media?.group?.address ?? '';
  const announced = media === null || media.port === 0 ? null : { rtp: media.port, rtcp: media.port + 1 };
  const ports = response?.port ?? announced;
  if (!isMulticastAddress(address) || ports === null) return null;
  if (ports.rtp < LOWEST_PORT || ports.rtcp < LOWEST_PORT) return null;
  const filtered = media?.groupSource ?? null;
  return {
    address,
    ports,
    ttl: response?.ttl ?? media?.group?.ttl ?? null,
    source: filtered ?? (isHostAddress(response?.source ?? '') ? (response?.source ?? null) : null),
    isSourceSpecific: filtered !== null,
  };
}
