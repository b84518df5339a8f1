/** Cuts NAL units into RTP payloads of packetization mode 1. RFC 6184 §5.6, §5.7.1, §5.8, §6.3. */

import { type NalPayloadHeaders, packetizeNalus } from '../nal-packetizer.ts';
import { FU_A, STAP_A } from './h264-depacketizer.ts';

/** How small NAL units that fit into one packet together are sent. */
export type Aggregation = 'none' | 'stap-a';

/** Payloads of one access unit in order, as copies; the caller marks the last one's packet. `nalus` are not empty. */
export function packetizeH264(
  nalus: readonly Uint8Array[],
  maxPayloadBytes: number,
  aggregation: Aggregation,
): Uint8Array[] {
  return packetizeNalus(nalus, maxPayloadBytes, aggregation !== 'none', HEADERS);
}

const HEADERS: NalPayloadHeaders = {
  headerBytes: 1,
  /** §5.3: F is any, NRI the highest of the aggregated ones. */
  writeAggregation(payload, nalus) {
    let importance = 0;
    for (const nalu of nalus) importance = Math.max(importance, nalu[0]! & 0x60);
    payload[0] = importance | STAP_A;
  },
  writeFragment(payload, nalu, ends) {
    payload[0] = (nalu[0]! & 0xe0) | FU_A;
    payload[1] = (nalu[0]! & 0x1f) | ends;
  },
};
