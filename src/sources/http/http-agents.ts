/**
 * Connections to the hosts that a pulled stream names. The operator or the caller vouched for one host and port, that
 * of the camera's own URL. Whatever else a redirect or a playlist names is chosen by the camera, so this machine and
 * link-local addresses are off limits there. Addresses are judged when a connection is made, so a name that resolves
 * differently the second time (DNS rebinding) gains nothing.
 */

import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { GatewayError } from '../../core/errors.ts';
import {
  type AddressRule,
  addressRefused,
  cameraLookup,
  isAllowedAddress,
} from '../network/camera-address.ts';
import { type TlsTrust, trustFault } from '../network/tls-trust.ts';
import { PULL_ERRORS } from './errors.ts';

/** Connections of one camera to one host: a playlist that is held back, and a segment. */
const MAX_SOCKETS = 4;
const KEPT_IDLE = { keepAlive: true, maxSockets: MAX_SOCKETS, maxFreeSockets: 2 } as const;

export interface Reach {
  /** Of the camera's own URL; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** What holds there. */
  readonly addressRule: AddressRule;
  readonly tls: TlsTrust;
}

interface Target {
  readonly host?: string | null;
  readonly hostname?: string | null;
  readonly port?: number | string | null;
}

type Connected = (error: Error | null, socket: Duplex) => void;

export class PlainAgent extends HttpAgent {
  readonly #reach: Reach;

  constructor(reach: Reach) {
    super(KEPT_IDLE);
    this.#reach = reach;
  }

  override createConnection(target: Target): Duplex {
    const { host, port, rule } = limitsOf(target, this.#reach);
    return refused(host, rule) ?? net.connect({ host, port, lookup: cameraLookup(rule) });
  }
}

export class TlsAgent extends HttpsAgent {
  readonly #reach: Reach;

  constructor(reach: Reach) {
    super(KEPT_IDLE);
    this.#reach = reach;
  }

  /** A socket is passed on only when its certificate has been checked: before that, nothing is sent. */
  override createConnection(target: Target, connected: Connected): undefined {
    const { host, port, rule, trust } = limitsOf(target, this.#reach);
    const socket = refused(host, rule);
    if (socket !== null) {
      socket.once('error', (error) => connected(error, socket));
      return;
    }
    const opened = tls.connect({
      ...{ host, port, lookup: cameraLookup(rule), rejectUnauthorized: false },
      ...(net.isIP(host) === 0 ? { servername: host } : {}),
    });
    const failed = (error: Error): void => connected(error, opened);
    opened.once('error', failed);
    opened.once('secureConnect', () => {
      opened.off('error', failed);
      const fault = trustFault(opened, trust);
      if (fault === null) connected(null, opened);
      else {
        opened.destroy();
        connected(new GatewayError(PULL_ERRORS.PULL_CERTIFICATE_REFUSED, { host, port, ...fault }), opened);
      }
    });
  }
}

/** A fingerprint is that of one camera: other hosts must have a certificate that is valid for them. */
function limitsOf(
  target: Target,
  reach: Reach,
): { host: string; port: number; rule: AddressRule; trust: TlsTrust } {
  const host = (target.host ?? target.hostname ?? '').replace(/^\[|\]$/g, '');
  const port = Number(target.port);
  const isOwn = host === reach.host && port === reach.port;
  if (isOwn) return { host, port, rule: reach.addressRule, trust: reach.tls };
  const rule = { ...reach.addressRule, reach: 'no-local' } as const;
  return { host, port, rule, trust: reach.tls === 'any' ? 'any' : 'verify' };
}

/** Numeric addresses need no lookup. */
function refused(host: string, rule: AddressRule): net.Socket | null {
  if (net.isIP(host) === 0 || isAllowedAddress(host, rule)) return null;
  return new net.Socket().destroy(addressRefused(host, rule));
}
