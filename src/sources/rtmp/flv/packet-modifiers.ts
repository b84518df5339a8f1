/** The head of an enhanced packet: modifiers, then the packet's own type. Enhanced RTMP v2, ExVideoTagHeader. */

/** VideoPacketType.ModEx and AudioPacketType.ModEx. */
const MODIFIER = 7;
const LONG_SIZE = 256;

/** A packet's type, and where the rest of the packet begins. */
export interface PacketHead {
  /** VideoPacketType or AudioPacketType; -1: the packet is too short. */
  packetType: number;
  /** The first byte after the modifiers. */
  at: number;
}

/**
 * Skips modifiers (such as nanosecond offsets), whose data nothing here needs. `packetType` is from the first byte.
 * Writes into `head`.
 */
export function skipModifiers(bytes: Uint8Array, packetType: number, head: PacketHead): void {
  let at = 1;
  let type = packetType;
  while (type === MODIFIER) {
    let size = at < bytes.length ? bytes[at]! + 1 : bytes.length;
    at += 1;
    if (size === LONG_SIZE) {
      size = at + 1 < bytes.length ? ((bytes[at]! << 8) | bytes[at + 1]!) + 1 : bytes.length;
      at += 2;
    }
    at += size;
    type = at < bytes.length ? bytes[at]! & 0x0f : -1;
    at += 1;
  }
  head.packetType = type;
  head.at = at;
}
