/**
 * RGB to the image formats that stills come in, where the decoder does not make JPEGs itself. sharp only ever sees the
 * decoder's RGB bytes, never the camera's.
 */

import sharp from 'sharp';
import { type DecodedPicture, RGB_BYTES } from './picture-decoder.ts';

export const STILL_FORMATS = ['jpeg', 'webp', 'avif'] as const;
export type StillFormat = (typeof STILL_FORMATS)[number];

export const DEFAULT_QUALITY: Readonly<Record<StillFormat, number>> = { jpeg: 75, webp: 75, avif: 50 };
/** The encoders' fastest useful settings: viewers look at a still immediately. */
const WEBP_EFFORT = 1;
const AVIF_EFFORT = 0;

// One image at a time per thread keeps the other cores for the cameras; each input is seen once.
sharp.concurrency(1);
sharp.cache(false);

/** `picture`: RGB. `qualityPercent`: 1 to 100. */
export function encodeStill(
  picture: DecodedPicture,
  format: StillFormat,
  qualityPercent: number,
): Promise<Buffer> {
  const raw = { width: picture.widthPx, height: picture.heightPx, channels: RGB_BYTES } as const;
  const image = sharp(picture.bytes, { raw });
  switch (format) {
    case 'jpeg':
      return image.jpeg({ quality: qualityPercent }).toBuffer();
    case 'webp':
      return image.webp({ quality: qualityPercent, effort: WEBP_EFFORT }).toBuffer();
    case 'avif':
      return image.avif({ quality: qualityPercent, effort: AVIF_EFFORT }).toBuffer();
  }
}
