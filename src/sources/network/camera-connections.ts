/** The rules for connections to cameras: permitted addresses and required certificates. */

import type { ConnectionRule } from '../../network/checked-agents.ts';
import { type AddressRule, addressRefused, cameraLookup, isAllowedAddress } from './camera-address.ts';
import { type TlsTrust, type TrustFault, trustFault } from './tls-trust.ts';

/** `refuse`: the error for a certificate that does not prove what `trust` requires. */
export function cameraConnections(
  rule: AddressRule,
  trust: TlsTrust,
  refuse: (fault: TrustFault) => Error,
): ConnectionRule {
  return {
    lookup: cameraLookup(rule),
    refusal: (address) => (isAllowedAddress(address, rule) ? null : addressRefused(address, rule)),
    certificateFault: (socket) => {
      const fault = trustFault(socket, trust);
      return fault === null ? null : refuse(fault);
    },
  };
}
