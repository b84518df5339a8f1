/** One track for one client of a synthetic camera, and where it is sent. */

import type { FramePackets } from '../rtp/frame-packets.ts';
import { RtpSender } from '../rtp/rtp-sender.ts';
import type { RtpRtcpPair } from '../rtsp/transport.ts';

/** Where a track is sent: channels of the RTSP connection, or ports of the client. */
export type Delivery =
  | { readonly lower: 'tcp'; readonly channels: RtpRtcpPair }
  | { readonly lower: 'udp'; readonly ports: RtpRtcpPair };

const CNAME = 'synthetic-camera';

export class TrackSender extends RtpSender {
  readonly delivery: Delivery;

  constructor(delivery: Delivery) {
    super(CNAME);
    this.delivery = delivery;
  }

  /** Hot. Writes a frame to `target` at `at`, interleaved, and counts its packets. */
  send(frame: FramePackets, ticks: number, target: Buffer, at: number): void {
    const { delivery } = this;
    this.write(frame, ticks, target, at, delivery.lower === 'tcp' ? delivery.channels.rtp : 0);
  }
}
