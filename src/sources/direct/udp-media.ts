/** The UDP ports of one camera connection: a pair per track, of ours or of groups, opened together and closed together. */

import { type GatewayError, toGatewayError } from '../../core/errors.ts';
import type { MulticastGroup } from '../../rtsp/multicast-group.ts';
import type { RtpRtcpPair } from '../../rtsp/transport.ts';
import { type UdpEndpoints, UdpPortPair } from './udp-port-pair.ts';

/** The callee owns `datagram`. Nothing is called after `close`. */
export interface UdpMediaEvents {
  onRtp(trackIndex: number, datagram: Uint8Array): void;
  onRtcp(trackIndex: number, datagram: Uint8Array): void;
  onError(error: GatewayError): void;
}

export class UdpMedia {
  readonly #events: UdpMediaEvents;
  #pairs: readonly UdpPortPair[] = [];
  #opening: Promise<void> | null = null;
  #isClosed = false;

  constructor(events: UdpMediaEvents) {
    this.#events = events;
  }

  /** Opens a pair per track and passes their ports to `onOpen`; a failure goes to `onError`. Call once. */
  open(endpoints: UdpEndpoints, trackCount: number, onOpen: (ports: readonly RtpRtcpPair[]) => void): void {
    const opening = this.#openEach(
      Array.from({ length: trackCount }, () => () => UdpPortPair.bind(endpoints)),
    );
    this.#settle(opening, () => onOpen(this.#pairs.map((pair) => pair.ports)));
  }

  /** Joins the groups, one per track; a failure goes to `onError`. Call once. */
  join(endpoints: UdpEndpoints, groups: readonly MulticastGroup[]): void {
    this.#settle(
      this.#openEach(groups.map((group) => () => UdpPortPair.join(endpoints, group))),
      () => undefined,
    );
  }

  #settle(opening: Promise<void>, onOpen: () => void): void {
    this.#opening = opening.then(
      () => {
        if (!this.#isClosed) onOpen();
      },
      (error: unknown) => {
        if (!this.#isClosed) this.#events.onError(toGatewayError(error));
      },
    );
  }

  /** See UdpPortPair.punch. Does nothing for a track whose camera did not name its ports. */
  punch(trackIndex: number, serverPort: RtpRtcpPair | null): void {
    if (serverPort !== null && !this.#isClosed) this.#pairs[trackIndex]?.punch(serverPort);
  }

  sendRtcp(trackIndex: number, packet: Uint8Array, serverPort: RtpRtcpPair | null): void {
    if (serverPort !== null && !this.#isClosed) this.#pairs[trackIndex]?.sendRtcp(packet, serverPort);
  }

  /** Resolves when every port is free again. Call once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opening;
    await Promise.all(this.#pairs.map((pair) => pair.close()));
  }

  async #openEach(openers: readonly (() => Promise<UdpPortPair>)[]): Promise<void> {
    for (const [trackIndex, open] of openers.entries()) {
      const pair = await open();
      this.#pairs = [...this.#pairs, pair];
      pair.listen({
        onRtp: (datagram) => {
          if (!this.#isClosed) this.#events.onRtp(trackIndex, datagram);
        },
        onRtcp: (datagram) => {
          if (!this.#isClosed) this.#events.onRtcp(trackIndex, datagram);
        },
        onError: (error) => {
          if (!this.#isClosed) this.#events.onError(error);
        },
      });
    }
  }
}
