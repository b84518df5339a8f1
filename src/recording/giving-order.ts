/**
 * What gives up room first: the best stream of each camera, then the substreams of cameras that have both, then key frames. A step gives while
 * it takes as much as the thinner ones together, so that old pictures do not push out all of today's video. Pure.
 */

import type { StoredStream } from '../store/recording.ts';

/** All of the streams, in the order in which they are asked. */
export function givingOrder(
  streams: readonly StoredStream[],
  bytesOf: (stream: StoredStream) => number,
): readonly (readonly StoredStream[])[] {
  const withMain = new Set(
    streams.filter(({ rendition }) => rendition === 'main').map(({ cameraUuid }) => cameraUuid),
  );
  const steps: [StoredStream[], StoredStream[], StoredStream[]] = [[], [], []];
  for (const stream of streams) steps[stepOf(stream, withMain)].push(stream);
  const [best, sub, keyFrames] = steps.map((step) => step.reduce((sum, each) => sum + bytesOf(each), 0));
  const order = sub! >= keyFrames! ? [steps[1], steps[2]] : [steps[2], steps[1]];
  const isBestFirst = best! >= sub! + keyFrames!;
  return (isBestFirst ? [steps[0], ...order] : [...order, steps[0]]).filter(({ length }) => length > 0);
}

function stepOf(
  { cameraUuid, rendition }: StoredStream,
  withMain: ReadonlySet<StoredStream['cameraUuid']>,
): 0 | 1 | 2 {
  if (rendition === 'key-frames') return 2;
  return rendition === 'sub' && withMain.has(cameraUuid) ? 1 : 0;
}
