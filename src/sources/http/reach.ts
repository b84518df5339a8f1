/**
 * Where a pulled stream may lead. The operator or the caller vouched for one host and port, that of the camera's own URL. Whatever
 * else a redirect or a playlist names is chosen by the camera, so this machine and link-local addresses are off limits there.
 */

import { GatewayError } from '../../core/errors.ts';
import type { RuleOf } from '../../network/checked-agents.ts';
import type { AddressRule } from '../network/camera-address.ts';
import { cameraConnections } from '../network/camera-connections.ts';
import type { TlsTrust } from '../network/tls-trust.ts';
import { PULL_ERRORS } from './errors.ts';

export interface Reach {
  /** The host of the camera's own URL; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** The rule for addresses of that host and port. */
  readonly addressRule: AddressRule;
  readonly tls: TlsTrust;
}

/** A fingerprint is that of one camera: other hosts must have a certificate that is valid for them. */
export function ruleWithin({ host: ownHost, port: ownPort, addressRule, tls }: Reach): RuleOf {
  return (host, port) => {
    const isOwn = host === ownHost && port === ownPort;
    const rule = isOwn ? addressRule : ({ ...addressRule, reach: 'no-local' } as const);
    const trust = isOwn || tls === 'any' ? tls : 'verify';
    return cameraConnections(
      rule,
      trust,
      (fault) => new GatewayError(PULL_ERRORS.PULL_CERTIFICATE_REFUSED, { host, port, ...fault }),
    );
  };
}
