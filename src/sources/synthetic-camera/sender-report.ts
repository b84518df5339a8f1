/** RTCP Sender Report with an SDES CNAME (RFC 3550 §6.4.1, §6.5): what ties a track's timestamps to wall time. */

/** Seconds from 1900 to 1970. */
const NTP_EPOCH_OFFSET_SEC = 2_208_988_800;
const PT_SENDER_REPORT = 200;
const PT_SOURCE_DESCRIPTION = 202;
const SDES_CNAME = 1;
const CNAME = 'sluice-camera';

export interface SenderReport {
  readonly ssrc: number;
  readonly epochMs: number;
  /** The timestamp a packet sampled at `epochMs` would carry. */
  readonly rtpTimestamp: number;
  readonly packets: number;
  readonly octets: number;
}

export function writeSenderReport(report: SenderReport): Buffer {
  const out = Buffer.alloc(28 + sdesBytes());
  out[0] = 0x80;
  out[1] = PT_SENDER_REPORT;
  out.writeUInt16BE(6, 2);
  out.writeUInt32BE(report.ssrc, 4);
  const seconds = report.epochMs / 1_000;
  out.writeUInt32BE((Math.floor(seconds) + NTP_EPOCH_OFFSET_SEC) >>> 0, 8);
  out.writeUInt32BE(Math.floor((seconds % 1) * 0x1_0000_0000) >>> 0, 12);
  out.writeUInt32BE(report.rtpTimestamp, 16);
  out.writeUInt32BE(report.packets >>> 0, 20);
  out.writeUInt32BE(report.octets >>> 0, 24);
  out[28] = 0x81;
  out[29] = PT_SOURCE_DESCRIPTION;
  out.writeUInt16BE(sdesBytes() / 4 - 1, 30);
  out.writeUInt32BE(report.ssrc, 32);
  out[36] = SDES_CNAME;
  out[37] = CNAME.length;
  out.write(CNAME, 38, 'latin1');
  return out;
}

/** Header, SSRC, item, and at least one zero up to a 32-bit boundary. */
function sdesBytes(): number {
  return 8 + Math.ceil((2 + CNAME.length + 1) / 4) * 4;
}
