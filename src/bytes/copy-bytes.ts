/** Copies between byte arrays that make no view. */

const bufferCopy = Buffer.prototype.copy;

/**
 * Copies `source[start, end)` to `target` at `at`; the ranges fit. Works on any Uint8Array: `Buffer.prototype.copy`
 * takes numbers where `TypedArray.prototype.set` would take a view, which is an allocation per packet.
 */
export function copyBytes(
  source: Uint8Array,
  start: number,
  end: number,
  target: Uint8Array,
  at: number,
): void {
  bufferCopy.call(source, target, at, start, end);
}
