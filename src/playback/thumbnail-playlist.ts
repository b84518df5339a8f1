/**
 * The image playlist of a range: JPEGs of thumbnails for each stretch of recording, whose times are those of the segments in the Media
 * Playlist next to it.
 */

import { msToTicks } from '../cmaf/ticks.ts';
import { ImagePlaylist } from '../hls/image-playlist.ts';
import { THUMBNAILS_FOLDER } from './past-names.ts';
import type { PastSegment } from './past-timeline.ts';
import { SegmentWork } from './segment-work.ts';
import { SHEET, SHEET_MS, sheetName, THUMBNAIL_MS } from './thumbnail-size.ts';

/** Segments that follow each other. */
interface Stretch {
  readonly first: PastSegment;
  last: PastSegment;
  durationTicks: number;
}

/** `segments`: those that the viewer may see, in order. In slices. */
export async function renderThumbnailPlaylist(
  segments: readonly PastSegment[],
  isComplete: boolean,
): Promise<string> {
  const playlist = new ImagePlaylist({
    type: isComplete ? 'vod' : 'event',
    targetDurationSec: SHEET_MS / 1_000,
    widthPx: SHEET.tileWidthPx,
    heightPx: SHEET.tileHeightPx,
    columns: SHEET.columns,
    rows: SHEET.rows,
    pictureMs: THUMBNAIL_MS,
  });
  const stretches = await stretchesOf(segments);
  for (const [index, { first, durationTicks }] of stretches.entries()) {
    const { timescaleHz } = first.media;
    const epochMs = Math.round(first.media.epochMs);
    const sheetTicks = msToTicks(SHEET_MS, timescaleHz);
    const isGrowing = !isComplete && index === stretches.length - 1;
    for (let number = 1, ticks = durationTicks; ticks > 0; number++, ticks -= sheetTicks) {
      // A list that grows never changes what it has.
      if (isGrowing && ticks < sheetTicks) break;
      playlist.add({
        uri: `${THUMBNAILS_FOLDER}/${sheetName(epochMs, number)}`,
        isDiscontinuity: number === 1,
        epochMs,
        durationTicks: Math.min(ticks, sheetTicks),
        timescaleHz,
      });
    }
  }
  return playlist.end();
}

async function stretchesOf(segments: readonly PastSegment[]): Promise<Stretch[]> {
  const work = new SegmentWork();
  const stretches: Stretch[] = [];
  for (const segment of segments) {
    const stretch = stretches.at(-1);
    const { run, number, media } = segment;
    if (stretch !== undefined && stretch.last.run === run && number === stretch.last.number + 1) {
      stretch.last = segment;
      stretch.durationTicks += media.durationTicks;
    } else stretches.push({ first: segment, last: segment, durationTicks: media.durationTicks });
    if (work.step()) await work.pause();
  }
  return stretches;
}
