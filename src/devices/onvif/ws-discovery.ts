/** Asks the local networks for ONVIF cameras: datagrams to the group, then responses for a while. */

import { createSocket, type Socket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import {
  DISCOVERY_GROUP,
  DISCOVERY_PORT,
  discoveryProbe,
  type ProbeMatch,
  readProbeMatches,
} from '../../onvif/discovery-messages.ts';
import { ONVIF_ERRORS } from '../../onvif/errors.ts';

/** Limit on cameras that one discovery finds. */
const MAX_FOUND = 64;
/** Longest response; a datagram holds no more. */
const MAX_RESPONSE_BYTES = 64 * 1_024;
/** Limit on responses that are read, good or not. */
const MAX_RESPONSES = 512;
const MAX_INTERFACES = 16;
/** Datagrams get lost: the probe is repeated once (WS-Discovery §2.4 has a longest delay of 500 ms). */
const REPEAT_AFTER_MS = 500;

export interface DiscoveredDevice extends Pick<ProbeMatch, 'name' | 'hardware'> {
  /** The device service, on the host that responded. */
  readonly service: URL;
  /** As the camera wrote them. */
  readonly addresses: readonly string[];
}

/** Where a probe goes: an IPv4 address of a camera, or the broadcast address of a network. */
export interface ProbeTarget {
  readonly address: string;
  readonly port: number;
}

export interface WsDiscoveryOptions {
  readonly clock: Clock;
  readonly waitMs: number;
  /** Absent or empty: the group of WS-Discovery, on each network of this machine. */
  readonly targets?: readonly ProbeTarget[];
}

const GROUP: readonly ProbeTarget[] = [{ address: DISCOVERY_GROUP, port: DISCOVERY_PORT }];

/** One device per host, in the order of their responses. Fails with ONVIF_UNREACHABLE if no network accepts the probe. */
export async function discoverOnvifDevices(options: WsDiscoveryOptions): Promise<DiscoveredDevice[]> {
  const { clock, waitMs, targets = [] } = options;
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const found = new Map<string, Match>();
  let responses = 0;
  const onMessage = (message: Buffer, { address: host }: { readonly address: string }): void => {
    responses += 1;
    const match = matchOn(host, message);
    const known = found.get(host);
    // A wrong address of ours may come before the right one: a host can answer for several services.
    if (match !== null && (known === undefined || (!known.isOwn && match.isOwn))) found.set(host, match);
    if (found.size >= MAX_FOUND || responses >= MAX_RESPONSES) end();
  };
  const networks = targets.length === 0 ? ownAddresses() : [null];
  const destinations = targets.length === 0 ? GROUP : targets;
  const probes = networks.map((network) => new ProbeSocket(network, onMessage));
  const send = () =>
    Promise.allSettled(probes.flatMap((probe) => destinations.map((target) => probe.send(target))));
  const timers = [clock.after(waitMs, end), clock.after(REPEAT_AFTER_MS, () => void send())];
  try {
    const sent = await send();
    const failed = sent.find((result) => result.status === 'rejected');
    if (failed !== undefined && sent.every(({ status }) => status === 'rejected')) throw failed.reason;
    await ended;
  } finally {
    for (const timer of timers) timer.cancel();
    for (const probe of probes) probe.close();
  }
  return [...found.values()].map(({ device }) => device);
}

/** Sends the same probe on one network: a second one with the same ID is known to be a repetition. */
class ProbeSocket {
  readonly #socket: Socket;
  readonly #network: string | null;
  readonly #bytes = Buffer.from(discoveryProbe());
  readonly #bound: Promise<void>;
  #isClosed = false;

  /** `network`: one of this machine's addresses; null: where the destination is. */
  constructor(
    network: string | null,
    onMessage: (message: Buffer, from: { readonly address: string }) => void,
  ) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#network = network;
    this.#bound = promise;
    this.#socket = createSocket('udp4');
    // Before the socket is bound it is the reason; later errors are those of single datagrams.
    this.#socket.on('error', reject).on('message', onMessage);
    this.#socket.bind(0, resolve);
    promise.catch(() => undefined);
  }

  /** Fails ONVIF_UNREACHABLE. */
  async send({ port, address }: ProbeTarget): Promise<void> {
    try {
      await this.#bound;
      if (this.#isClosed) return;
      if (this.#network !== null) this.#socket.setMulticastInterface(this.#network);
      else this.#socket.setBroadcast(true);
      await new Promise<void>((resolve, reject) => {
        this.#socket.send(this.#bytes, port, address, (cause) =>
          cause === null ? resolve() : reject(cause),
        );
      });
    } catch (cause) {
      throw new GatewayError(ONVIF_ERRORS.ONVIF_UNREACHABLE, { host: address }, cause);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#socket.removeAllListeners('message');
    this.#socket.close();
  }
}

interface Match {
  readonly device: DiscoveredDevice;
  /** The camera knows the address that it responded from. */
  readonly isOwn: boolean;
}

/**
 * null for anything that is not a response to a probe. A camera that names no address of its own gets requests at the one that it responded
 * from, with the port and path that it names.
 */
function matchOn(host: string, message: Buffer): Match | null {
  if (message.length > MAX_RESPONSE_BYTES) return null;
  const matches = matchesIn(message);
  for (const isOwn of [true, false]) {
    for (const { addresses, name, hardware } of matches) {
      const urls = addresses.filter((text) => URL.canParse(text)).map((text) => new URL(text));
      const service = urls.find((url) => /^https?:$/.test(url.protocol) && (!isOwn || url.hostname === host));
      if (service === undefined) continue;
      service.hostname = host;
      service.username = '';
      service.password = '';
      return { device: { service, name, hardware, addresses }, isOwn };
    }
  }
  return null;
}

function matchesIn(message: Buffer): ProbeMatch[] {
  try {
    return readProbeMatches(message.toString('utf8'));
  } catch (thrown) {
    // Anyone on the network can send anything here.
    if (thrown instanceof GatewayError) return [];
    throw thrown;
  }
}

/** Without any network, the system reports the reason when we send. */
function ownAddresses(): (string | null)[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const own = all.filter(({ family, internal }) => family === 'IPv4' && !internal);
  return own.length === 0 ? [null] : own.slice(0, MAX_INTERFACES).map(({ address }) => address);
}
