/** Copies between byte arrays without creating a view. */

const bufferCopy = Buffer.prototype.copy;

/**
 * Copies `source[start, end)` to `target` at `at`; the ranges must fit. Works on any Uint8Array:
 * `Buffer.prototype.copy` takes numbers where `TypedArray.prototype.set` would need a view, which is one allocation
 * per packet.
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
