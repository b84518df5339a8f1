/** Writes compound RTCP packets. RFC 3550 §6.1: a report first, then the source's canonical name. */

import type { ReceptionFigures } from '../reception-statistics.ts';
import {
  RTCP_BYE,
  RTCP_RECEIVER_REPORT,
  RTCP_SENDER_REPORT,
  RTCP_SOURCE_DESCRIPTION,
  type SenderReport,
} from './rtcp-reader.ts';

/** One report block. */
export interface ReceptionReport extends ReceptionFigures {
  readonly ssrc: number;
  /** Middle 32 bits of the NTP time of the last sender report; 0 before the first. */
  readonly lastSenderReport: number;
  /** Since then, in units of 1/65536 s. */
  readonly delaySinceLastSenderReport: number;
}

const VERSION_2 = 0x80;
const CNAME_ITEM = 1;
const MAX_CNAME_BYTES = 255;
const REPORT_BLOCK_BYTES = 24;

/** Receiver report and CNAME. `report` null: nothing has arrived yet, so the report has no block. */
export function writeReceiverReport(
  localSsrc: number,
  report: ReceptionReport | null,
  cname: string,
): Uint8Array {
  const blocks = report === null ? 0 : 1;
  const bytes = Buffer.alloc(8 + blocks * REPORT_BLOCK_BYTES);
  writeHeader(bytes, RTCP_RECEIVER_REPORT, blocks);
  bytes.writeUInt32BE(localSsrc >>> 0, 4);
  if (report !== null) {
    bytes.writeUInt32BE(report.ssrc, 8);
    bytes.writeUInt8(report.fractionLost, 12);
    bytes.writeIntBE(report.cumulativeLost, 13, 3);
    bytes.writeUInt32BE(report.extendedHighestSequence >>> 0, 16);
    bytes.writeUInt32BE(report.jitterTicks, 20);
    bytes.writeUInt32BE(report.lastSenderReport, 24);
    bytes.writeUInt32BE(report.delaySinceLastSenderReport, 28);
  }
  return Buffer.concat([bytes, writeCname(localSsrc, cname)]);
}

/** Sender report without blocks, and CNAME. */
export function writeSenderReport(report: SenderReport, cname: string): Buffer {
  const bytes = Buffer.alloc(28);
  writeHeader(bytes, RTCP_SENDER_REPORT, 0);
  bytes.writeUInt32BE(report.ssrc, 4);
  bytes.writeUInt32BE(report.ntpSec, 8);
  bytes.writeUInt32BE(report.ntpFraction, 12);
  bytes.writeUInt32BE(report.rtpTimestamp, 16);
  bytes.writeUInt32BE(report.packetCount, 20);
  bytes.writeUInt32BE(report.octetCount, 24);
  return Buffer.concat([bytes, writeCname(report.ssrc, cname)]);
}

/** A source leaves. §6.6. */
export function writeBye(ssrc: number): Buffer {
  const bytes = Buffer.alloc(8);
  writeHeader(bytes, RTCP_BYE, 1);
  bytes.writeUInt32BE(ssrc, 4);
  return bytes;
}

/** §6.5: one chunk with one item, ended by a zero and padded to 32 bits. */
function writeCname(ssrc: number, cname: string): Buffer {
  const name = Buffer.from(cname, 'utf8').subarray(0, MAX_CNAME_BYTES);
  const bytes = Buffer.alloc((8 + 2 + name.length + 4) & ~3);
  writeHeader(bytes, RTCP_SOURCE_DESCRIPTION, 1);
  bytes.writeUInt32BE(ssrc >>> 0, 4);
  bytes.writeUInt8(CNAME_ITEM, 8);
  bytes.writeUInt8(name.length, 9);
  name.copy(bytes, 10);
  return bytes;
}

function writeHeader(bytes: Buffer, type: number, count: number): void {
  bytes.writeUInt8(VERSION_2 | count, 0);
  bytes.writeUInt8(type, 1);
  bytes.writeUInt16BE(bytes.length / 4 - 1, 2);
}
