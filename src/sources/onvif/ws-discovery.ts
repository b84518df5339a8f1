/** Asks the local network for ONVIF cameras: one datagram to the group, then responses for a while. */

import { createSocket, type Socket } from 'node:dgram';
import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import {
  DISCOVERY_GROUP,
  DISCOVERY_PORT,
  discoveryProbe,
  readProbeMatches,
} from '../../onvif/discovery-messages.ts';
import { ONVIF_ERRORS } from '../../onvif/errors.ts';

/** Limit on cameras that one probe finds. */
const MAX_FOUND = 64;
/** Longest response; a datagram holds no more. */
const MAX_ANSWER_BYTES = 64 * 1_024;
/** Limit on responses that are read, good or not. */
const MAX_ANSWERS = 512;

export interface WsDiscoveryOptions {
  readonly clock: Clock;
  readonly waitMs: number;
  /** Destination of the probe; default: the group and port of WS-Discovery. */
  readonly address?: string;
  readonly port?: number;
}

/**
 * Device service addresses, each on the host that responded and one per host. Fails with ONVIF_UNREACHABLE if no
 * network accepts the probe.
 */
export function discoverOnvifDevices(options: WsDiscoveryOptions): Promise<URL[]> {
  const { clock, waitMs, address = DISCOVERY_GROUP, port = DISCOVERY_PORT } = options;
  const { promise, resolve, reject } = Promise.withResolvers<URL[]>();
  const socket = createSocket('udp4');
  const found = new Map<string, URL>();
  let answers = 0;
  const end = () => {
    timer.cancel();
    closeQuietly(socket);
    resolve([...found.values()]);
  };
  const timer = clock.after(waitMs, end);
  const fail = (cause: Error) => {
    timer.cancel();
    closeQuietly(socket);
    reject(new GatewayError(ONVIF_ERRORS.ONVIF_UNREACHABLE, {}, cause));
  };
  socket.on('error', fail);
  socket.on('message', (message, { address: host }) => {
    answers += 1;
    const url = deviceServiceOn(host, message);
    if (url !== null && !found.has(host)) found.set(host, url);
    if (found.size >= MAX_FOUND || answers >= MAX_ANSWERS) end();
  });
  socket.send(discoveryProbe(), port, address, (cause) => {
    if (cause !== null) fail(cause);
  });
  return promise;
}

/** null for anything that is not a response to a probe, or names no address on the host that it came from. */
function deviceServiceOn(host: string, message: Buffer): URL | null {
  if (message.length > MAX_ANSWER_BYTES) return null;
  try {
    const addresses = readProbeMatches(message.toString('utf8')).filter((text) => URL.canParse(text));
    const urls = addresses.map((text) => new URL(text));
    return urls.find((url) => /^https?:$/.test(url.protocol) && url.hostname === host) ?? null;
  } catch (thrown) {
    // Anyone on the network can send anything here.
    if (thrown instanceof GatewayError) return null;
    throw thrown;
  }
}

function closeQuietly(socket: Socket): void {
  socket.removeAllListeners('message');
  socket.removeAllListeners('error');
  // Errors after the end do not matter; without a listener they would end the process.
  socket.on('error', () => undefined);
  socket.close();
}
