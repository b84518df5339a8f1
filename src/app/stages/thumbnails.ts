/** How thumbnails of recordings are decoded, and which tables their JPEGs have. */

import type { DecodeThumbnail } from '../../playback/thumbnail-maker.ts';
import { SHEET, THUMBNAIL_QUALITY_PERCENT } from '../../playback/thumbnail-size.ts';
import { encoderTables } from '../../thumbnails/jpeg-picture.ts';
import type { PictureDecoder } from '../../thumbnails/picture-decoder.ts';

export const THUMBNAIL_TABLES = encoderTables(THUMBNAIL_QUALITY_PERCENT);
const TILE = { widthPx: SHEET.tileWidthPx, heightPx: SHEET.tileHeightPx };
/** A time that the decoder does not use. */
const NO_TIME = 0;

/** null: this ffmpeg makes no JPEGs that can be joined. */
export function thumbnailDecoder(decoder: PictureDecoder): DecodeThumbnail | null {
  if (!decoder.makesJpeg) return null;
  return async (frame, turn) => {
    const wanted = { tile: TILE, tables: THUMBNAIL_TABLES };
    return (await decoder.decode({ ...frame, atEpochMs: NO_TIME }, wanted, turn)).bytes;
  };
}
