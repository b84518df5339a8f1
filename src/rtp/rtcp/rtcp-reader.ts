/** Reads compound RTCP packets. RFC 3550 §6.1, §6.4.1, §6.6. */

import { readUint32 } from '../rtp-packet.ts';

export const RTCP_SENDER_REPORT = 200;
export const RTCP_RECEIVER_REPORT = 201;
export const RTCP_SOURCE_DESCRIPTION = 202;
export const RTCP_BYE = 203;

/** The sender's part of a report. */
export interface SenderReport {
  readonly ssrc: number;
  /** Seconds since 1900, and their fraction in units of 2^-32. */
  readonly ntpSec: number;
  readonly ntpFraction: number;
  readonly rtpTimestamp: number;
  readonly packetCount: number;
  readonly octetCount: number;
}

export interface RtcpSink {
  onSenderReport(report: SenderReport): void;
  onBye(ssrc: number): void;
}

const VERSION_2 = 2;
const HEADER_BYTES = 4;
const SENDER_REPORT_BYTES = 28;

/**
 * Reports the known packets to the sink in order and skips other types. Returns false if a length or version is wrong:
 * everything before it has been reported. `chunk[start, end)` is borrowed.
 */
export function readRtcp(chunk: Uint8Array, start: number, end: number, sink: RtcpSink): boolean {
  let at = start;
  while (at + HEADER_BYTES <= end) {
    if (chunk[at]! >> 6 !== VERSION_2) return false;
    const packetEnd = at + HEADER_BYTES + ((chunk[at + 2]! << 8) | chunk[at + 3]!) * 4;
    if (packetEnd > end) return false;
    const type = chunk[at + 1]!;
    if (type === RTCP_SENDER_REPORT && packetEnd - at >= SENDER_REPORT_BYTES) {
      sink.onSenderReport(senderReportAt(chunk, at));
    } else if (type === RTCP_BYE) {
      const sources = Math.min(chunk[at]! & 0x1f, (packetEnd - at - HEADER_BYTES) >> 2);
      for (let source = 0; source < sources; source++)
        sink.onBye(readUint32(chunk, at + HEADER_BYTES + source * 4));
    }
    at = packetEnd;
  }
  return at === end;
}

function senderReportAt(chunk: Uint8Array, at: number): SenderReport {
  return {
    ssrc: readUint32(chunk, at + 4),
    ntpSec: readUint32(chunk, at + 8),
    ntpFraction: readUint32(chunk, at + 12),
    rtpTimestamp: readUint32(chunk, at + 16),
    packetCount: readUint32(chunk, at + 20),
    octetCount: readUint32(chunk, at + 24),
  };
}
