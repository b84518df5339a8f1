/**
 * A recorded Media Segment with its video as H.264: the same pictures at the same times, so lists of the recording stay true. ISO/IEC
 * 14496-12 §8.8.
 */

import type { H264Track } from '../codec/track.ts';
import { GatewayError } from '../core/errors.ts';
import { BoxCursor, fourCc } from '../isobmff/box-reader.ts';
import { BoxWriter } from '../isobmff/box-writer.ts';
import { ISOBMFF_ERRORS } from '../isobmff/errors.ts';
import { styp, stypBytes } from '../isobmff/file-boxes.ts';
import {
  MDAT_HEADER_BYTES,
  mdatHeader,
  moof,
  moofBytes,
  type SampleTable,
  type TrackRun,
} from '../isobmff/fragment-boxes.ts';
import { FragmentReader } from '../isobmff/fragment-reader.ts';

/** A picture of an encoder, in the order of decoding, which is that of showing. */
export interface RecodedPicture {
  /** In ticks of its track. */
  readonly ptsTicks: number;
  readonly isKey: boolean;
  readonly data: Uint8Array;
}

export interface RecodedPictures {
  readonly track: H264Track;
  readonly pictures: readonly RecodedPicture[];
}

/** The times of a segment's pictures, each list in order; in ticks of the recording. */
export interface PictureTimes {
  readonly dtsTicks: readonly number[];
  readonly ptsTicks: readonly number[];
  readonly timescaleHz: number;
}

/** On the timeline of its run. */
export interface SegmentSpan {
  readonly startTicks: number;
  readonly durationTicks: number;
}

const MOOF = fourCc('moof');
const MDAT = fourCc('mdat');

/** `init` and `segment` have one track, of video. Fails ISOBMFF_… */
export function pictureTimes(init: Uint8Array, segment: Uint8Array): PictureTimes {
  const dtsTicks: number[] = [];
  const ptsTicks: number[] = [];
  let timescaleHz = 0;
  const reader = new FragmentReader({
    onTracks: ([track]) => {
      timescaleHz = track?.timescaleHz ?? 0;
    },
    onSample: (_index, dts, pts) => {
      dtsTicks.push(dts);
      ptsTicks.push(pts);
    },
  });
  reader.push(init);
  reader.push(segment);
  if (dtsTicks.length === 0) throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_MISSING, { box: 'trun' });
  ptsTicks.sort((a, b) => a - b);
  return { dtsTicks, ptsTicks, timescaleHz };
}

/** The first `moof` with its `mdat`: enough to know an encoder's parameter sets. */
export function firstFragment(segment: Buffer): Buffer {
  const box = new BoxCursor(segment, 0, segment.length);
  let start = -1;
  for (let at = 0; box.next(); at = box.end) {
    if (box.type === MOOF && start < 0) start = at;
    else if (box.type === MDAT && start >= 0) return segment.subarray(start, box.end);
  }
  throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_MISSING, { box: 'mdat' });
}

/**
 * `styp moof mdat` with the pictures at the recording's times. `times` and `pictures` count from the segment's start. A picture that the
 * encoder did not make, because the recording has none of the pictures that it refers to, prolongs the one before it.
 */
export function recodedFragment(
  trackId: number,
  { startTicks, durationTicks }: SegmentSpan,
  { dtsTicks, ptsTicks, timescaleHz }: PictureTimes,
  { track, pictures }: RecodedPictures,
): Buffer {
  const places = placesOf(pictures, ptsTicks, timescaleHz / track.timescaleHz);
  // The first one begins the segment, whatever was left out before it.
  const startsTicks = places.map((place, i) => (i === 0 ? 0 : dtsTicks[place]!));
  const samples: SampleTable = {
    sizesBytes: Uint32Array.from(pictures, ({ data }) => data.length),
    durationsTicks: Uint32Array.from(
      startsTicks,
      (start, i) => (startsTicks[i + 1] ?? durationTicks) - start,
    ),
    compositionOffsetsTicks: Uint32Array.from(places, (place, i) => ptsTicks[place]! - startsTicks[i]!),
    keys: Uint8Array.from(pictures, ({ isKey }) => (isKey ? 1 : 0)),
  };
  const dataBytes = samples.sizesBytes.reduce((sum, size) => sum + size, 0);
  const run: TrackRun = { trackId, startTicks, samples, sampleCount: pictures.length, dataBytes };
  const writer = new BoxWriter(Buffer.allocUnsafe(stypBytes(1) + moofBytes([run]) + MDAT_HEADER_BYTES));
  styp(writer, 1);
  moof(writer, 1, [run]);
  mdatHeader(writer, dataBytes);
  return Buffer.concat([writer.bytes, ...pictures.map(({ data }) => data)]);
}

/** For each picture, which of the recorded ones it is: the nearest one, and never the same for two. */
function placesOf(
  pictures: readonly RecodedPicture[],
  ptsTicks: readonly number[],
  ticksPerTick: number,
): number[] {
  const places: number[] = [];
  let place = 0;
  for (const [i, picture] of pictures.entries()) {
    const atTicks = picture.ptsTicks * ticksPerTick;
    const last = ptsTicks.length - (pictures.length - i);
    const distanceTicks = (to: number): number => Math.abs(ptsTicks[to]! - atTicks);
    while (place < last && distanceTicks(place + 1) < distanceTicks(place)) place++;
    if (place >= ptsTicks.length)
      throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_LIMIT, { pictures: pictures.length });
    places.push(place);
    place++;
  }
  return places;
}
