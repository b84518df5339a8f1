/** Cuts NAL units of H.265 into RTP payloads without decoding order numbers. RFC 7798 §4.4.1 to §4.4.3. */

import { type NalPayloadHeaders, packetizeNalus } from '../nal-packetizer.ts';
import { AP, FU } from './h265-depacketizer.ts';

/** How small NAL units that fit into one packet together are sent. */
export type H265Aggregation = 'none' | 'ap';

/** Payloads of one access unit in order, as copies; the caller marks the last one's packet. `nalus` have two bytes or more. */
export function packetizeH265(
  nalus: readonly Uint8Array[],
  maxPayloadBytes: number,
  aggregation: H265Aggregation,
): Uint8Array[] {
  return packetizeNalus(nalus, maxPayloadBytes, aggregation !== 'none', HEADERS);
}

const HEADERS: NalPayloadHeaders = {
  headerBytes: 2,
  /** §4.4.2: layer and TID of the payload header are the lowest of the aggregated ones. */
  writeAggregation(payload, nalus) {
    let lowest = 0x1ff;
    for (const nalu of nalus) lowest = Math.min(lowest, ((nalu[0]! & 1) << 8) | nalu[1]!);
    payload[0] = (AP << 1) | (lowest >> 8);
    payload[1] = lowest & 0xff;
  },
  writeFragment(payload, nalu, ends) {
    payload[0] = (nalu[0]! & 0x81) | (FU << 1);
    payload[1] = nalu[1]!;
    payload[2] = ((nalu[0]! >> 1) & 0x3f) | ends;
  },
};
