/**
 * The size of a JPEG that RFC 2435 cannot say: ONVIF cameras put segments of the file's header into the RTP header
 * extension of a picture's first packet. ONVIF Streaming Specification, JPEG over RTP.
 */

/** In place of a profile's number: SOI. */
const JPEG_EXTENSION = 0xffd8;
const EXTENSION_HEADER_BYTES = 4;
const MARKER = 0xff;
const SOF0 = 0xc0;
/** Marker, length, precision, height and width. */
const SIZE_BYTES = 9;

/** `chunk[start, end)`: the extension with its header, borrowed. null if it is another one, or has no frame header. */
export function readExtensionSize(
  chunk: Uint8Array,
  start: number,
  end: number,
): { readonly widthPx: number; readonly heightPx: number } | null {
  const u16 = (at: number): number => (chunk[at]! << 8) | chunk[at + 1]!;
  if (end - start < EXTENSION_HEADER_BYTES || u16(start) !== JPEG_EXTENSION) return null;
  for (let at = start + EXTENSION_HEADER_BYTES; at + SIZE_BYTES <= end && chunk[at] === MARKER; ) {
    const marker = chunk[at + 1]!;
    if (marker === SOF0) {
      const [heightPx, widthPx] = [u16(at + 5), u16(at + 7)];
      return widthPx === 0 || heightPx === 0 ? null : { widthPx, heightPx };
    }
    // Fill bytes come before a marker and end the extension.
    at += marker === MARKER ? 1 : 2 + Math.max(2, u16(at + 2));
  }
  return null;
}
