/** Which recorded stream of a camera is no higher than requested, or the lowest. */

import { type CameraRendition, RECORDED_RENDITION } from '../recording/recorded-cameras.ts';
import type { FoundFile } from '../recording/recording-finder.ts';
import { isOfSubstream } from './past-names.ts';
import { type PastTracks, readPastTracks } from './past-tracks.ts';
import type { RecordedMedia } from './recorded-media.ts';

/** null: of the time, there is nothing in this stream. */
export interface StreamTracks {
  readonly main: PastTracks | null;
  readonly sub: PastTracks | null;
}

export function fittingStream({ main, sub }: StreamTracks, maxHeightPx: number): CameraRendition {
  if (main === null || sub === null) return RECORDED_RENDITION;
  const [mainPx, subPx] = [heightOf(main), heightOf(sub)];
  return mainPx <= maxHeightPx || mainPx <= subPx ? RECORDED_RENDITION : 'sub';
}

/** The files of that stream: both with their gaps filled. Fails like `read`, and ISOBMFF_… */
export async function filesWithin(
  media: Pick<RecordedMedia, 'read'>,
  { main, sub }: { readonly main: readonly FoundFile[]; readonly sub: readonly FoundFile[] },
  maxHeightPx: number,
): Promise<FoundFile[]> {
  const tracksOf = async (file: FoundFile | undefined): Promise<PastTracks | null> => {
    const init = file?.segments[0]?.init;
    if (file === undefined || init === undefined) return null;
    return readPastTracks(await media.read(file.name, init.offset, init.byteLength));
  };
  const tracks = {
    main: await tracksOf(main.find(({ name }) => !isOfSubstream(name))),
    sub: await tracksOf(sub.find(({ name }) => isOfSubstream(name))),
  };
  return [...(fittingStream(tracks, maxHeightPx) === 'sub' ? sub : main)];
}

function heightOf({ video }: PastTracks): number {
  return video?.track.kind === 'video' ? video.track.heightPx : 0;
}
