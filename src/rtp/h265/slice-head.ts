/** A copy of the beginning of a picture's first slice, as long as slice segment headers are. */

import { isVcl, nalHeader, nalType } from '../../codec/h265/nal-unit.ts';

const LENGTH_BYTES = 4;
/** Cameras need 10 to 30 bytes; a header that does not fit cannot be read. */
const MAX_HEAD_BYTES = 256;

export class SliceHead {
  readonly #copy = new Uint8Array(MAX_HEAD_BYTES);
  #length = 0;

  /** Hot. `picture`: NAL units, each after a 4-byte length; borrowed. */
  keep(picture: Uint8Array): void {
    this.#length = 0;
    let at = 0;
    while (at + LENGTH_BYTES < picture.length) {
      const start = at + LENGTH_BYTES;
      const length =
        picture[at]! * 0x1000000 + ((picture[at + 1]! << 16) | (picture[at + 2]! << 8) | picture[at + 3]!);
      if (isVcl(nalType(nalHeader(picture, start)))) {
        this.#length = Math.min(length, MAX_HEAD_BYTES, picture.length - start);
        for (let index = 0; index < this.#length; index++) this.#copy[index] = picture[start + index]!;
        return;
      }
      at = start + length;
    }
  }

  /** Empty if the picture had no slice. Borrowed until the next `keep`. */
  get bytes(): Uint8Array {
    return this.#copy.subarray(0, this.#length);
  }
}
