/** How thumbnails of recordings are decoded, and which tables their JPEGs have. */

import type { FfmpegBinary } from '../../ffmpeg/find-ffmpeg.ts';
import type { DecodeThumbnail } from '../../playback/thumbnail-maker.ts';
import { SHEET, THUMBNAIL_QUALITY_PERCENT } from '../../playback/thumbnail-size.ts';
import { encoderTables } from '../../thumbnails/jpeg-picture.ts';
import type { PictureDecoder } from '../../thumbnails/picture-decoder.ts';

export const THUMBNAIL_TABLES = encoderTables(THUMBNAIL_QUALITY_PERCENT);
const TILE = { widthPx: SHEET.tileWidthPx, heightPx: SHEET.tileHeightPx };
/** A time that the decoder does not use. */
const NO_TIME = 0;

/** null: this ffmpeg makes no JPEGs that can be joined. Outdated ones write no restart markers. */
export function thumbnailDecoder(
  decoder: PictureDecoder,
  { isOutdated }: Pick<FfmpegBinary, 'isOutdated'>,
): DecodeThumbnail | null {
  if (!decoder.makesJpeg || isOutdated) return null;
  return async (frame, turn) => {
    const wanted = { tile: TILE, tables: THUMBNAIL_TABLES };
    return (await decoder.decode({ ...frame, atEpochMs: NO_TIME }, wanted, turn)).bytes;
  };
}
