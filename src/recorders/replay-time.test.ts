import { describe, expect, it } from 'vitest';
import { ReplayTime } from './replay-time.ts';

const NOON_MS = Date.UTC(2024, 0, 31, 12, 0, 0);
const NTP_TO_EPOCH_SEC = 2_208_988_800;

function packet(rtpTimestamp: number, ntpMs: number | null = null, profile = 0xabac): Buffer {
  const header = Buffer.alloc(12);
  header[0] = ntpMs === null ? 0x80 : 0x90;
  header.writeUInt32BE(rtpTimestamp >>> 0, 4);
  if (ntpMs === null) return Buffer.concat([header, Buffer.from('picture')]);
  const extension = Buffer.alloc(16);
  extension.writeUInt16BE(profile, 0);
  extension.writeUInt16BE(3, 2);
  extension.writeUInt32BE(Math.floor(ntpMs / 1_000) + NTP_TO_EPOCH_SEC, 4);
  extension.writeUInt32BE(Math.floor(((ntpMs % 1_000) / 1_000) * 2 ** 32), 8);
  return Buffer.concat([header, extension, Buffer.from('picture')]);
}

const timeOf = (time: ReplayTime, bytes: Buffer) => time.of(bytes, 0, bytes.length);

describe('the time of a played frame', () => {
  it('is what the recorder sends with it (ONVIF Streaming §6.3)', () => {
    const time = new ReplayTime(90_000, 0);
    expect(timeOf(time, packet(1_000, NOON_MS + 40))).toBeCloseTo(NOON_MS + 40, 2);
    expect(timeOf(time, packet(1_000))).toBeCloseTo(NOON_MS + 40, 2);
    expect(time.isExact).toBe(true);
    expect(timeOf(time, packet(4_600, NOON_MS + 3_600_000, 0xabad))).toBeCloseTo(NOON_MS + 3_600_000, 2);
  });

  it('counts from the time that the response to PLAY names, by the RTP timestamps', () => {
    const time = new ReplayTime(90_000, NOON_MS);
    time.played('clock=20240131T120002.000Z-20240131T130000Z');
    expect(timeOf(time, packet(0xffff_ff00))).toBe(NOON_MS + 2_000);
    expect(timeOf(time, packet(0xffff_ff00 + 3_600))).toBe(NOON_MS + 2_040);
    expect(time.isExact).toBe(true);
  });

  it('counts from the requested time if the recorder names none', () => {
    const time = new ReplayTime(90_000, NOON_MS);
    time.played('npt=0.000-');
    expect(timeOf(time, packet(500))).toBe(NOON_MS);
    expect(timeOf(time, packet(9_500))).toBe(NOON_MS + 100);
    expect(time.isExact).toBe(false);
  });

  it('does not move with a clock that starts over', () => {
    const time = new ReplayTime(90_000, NOON_MS);
    timeOf(time, packet(900_000));
    expect(timeOf(time, packet(0))).toBe(NOON_MS);
    expect(timeOf(time, packet(3_600))).toBe(NOON_MS + 40);
  });

  it('is unknown for anything but RTP packets', () => {
    expect(timeOf(new ReplayTime(90_000, NOON_MS), Buffer.from('no'))).toBe(null);
  });

  it('ignores other header extensions, and a time of zero', () => {
    const time = new ReplayTime(90_000, NOON_MS);
    expect(timeOf(time, packet(1, NOON_MS + 5_000, 0xbede))).toBe(NOON_MS);
    const zero = packet(3_601, NOON_MS);
    zero.writeUInt32BE(0, 16);
    expect(timeOf(time, zero)).toBe(NOON_MS + 40);
  });
});
