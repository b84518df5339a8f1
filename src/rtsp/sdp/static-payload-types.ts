/** RTP payload types with a fixed meaning, for which SDP may leave out the rtpmap (RFC 3551 §6, tables 4 and 5). */

export interface StaticPayloadType {
  /** Lower case, as everywhere in this folder. */
  readonly encoding: string;
  readonly clockRateHz: number;
  readonly channelCount: number;
}

const TABLE: ReadonlyMap<number, StaticPayloadType> = new Map(
  (
    [
      [0, 'pcmu', 8_000, 1],
      [3, 'gsm', 8_000, 1],
      [4, 'g723', 8_000, 1],
      [5, 'dvi4', 8_000, 1],
      [6, 'dvi4', 16_000, 1],
      [7, 'lpc', 8_000, 1],
      [8, 'pcma', 8_000, 1],
      // The clock of G722 is 8000 because of a mistake that RFC 3551 §4.5.2 keeps.
      [9, 'g722', 8_000, 1],
      [10, 'l16', 44_100, 2],
      [11, 'l16', 44_100, 1],
      [12, 'qcelp', 8_000, 1],
      [13, 'cn', 8_000, 1],
      [14, 'mpa', 90_000, 1],
      [15, 'g728', 8_000, 1],
      [16, 'dvi4', 11_025, 1],
      [17, 'dvi4', 22_050, 1],
      [18, 'g729', 8_000, 1],
      [25, 'celb', 90_000, 1],
      [26, 'jpeg', 90_000, 1],
      [28, 'nv', 90_000, 1],
      [31, 'h261', 90_000, 1],
      [32, 'mpv', 90_000, 1],
      [33, 'mp2t', 90_000, 1],
      [34, 'h263', 90_000, 1],
    ] as const
  ).map(([payloadType, encoding, clockRateHz, channelCount]) => [
    payloadType,
    Object.freeze({ encoding, clockRateHz, channelCount }),
  ]),
);

/** null for dynamic, reserved and unassigned payload types. */
export function staticPayloadType(payloadType: number): StaticPayloadType | null {
  return TABLE.get(payloadType) ?? null;
}
