/** The two checksums of a FLAC frame. RFC 9639 §9.1.8, §9.3. */

/** x^8 + x^2 + x + 1 */
const POLYNOMIAL_8 = 0x07;
/** x^16 + x^15 + x^2 + 1 */
const POLYNOMIAL_16 = 0x8005;

const TABLE_8 = Uint8Array.from({ length: 256 }, (_, byte) => remainder(byte, 8, POLYNOMIAL_8));
const TABLE_16 = Uint16Array.from({ length: 256 }, (_, byte) => remainder(byte << 8, 16, POLYNOMIAL_16));

/** Checksum of a frame header: `bytes[0, end)`. */
export function crc8(bytes: Uint8Array, end: number): number {
  let crc = 0;
  for (let at = 0; at < end; at++) crc = TABLE_8[crc ^ bytes[at]!]!;
  return crc;
}

/** Checksum of a whole frame: `bytes[0, end)`. */
export function crc16(bytes: Uint8Array, end: number): number {
  let crc = 0;
  for (let at = 0; at < end; at++) crc = ((crc << 8) & 0xffff) ^ TABLE_16[(crc >> 8) ^ bytes[at]!]!;
  return crc;
}

/** Remainder of one byte at the top of a register of `width` bits. */
function remainder(register: number, width: number, polynomial: number): number {
  const top = 1 << (width - 1);
  let crc = register;
  for (let bit = 0; bit < 8; bit++) crc = (crc & top) === 0 ? crc << 1 : (crc << 1) ^ polynomial;
  return crc & (2 * top - 1);
}
