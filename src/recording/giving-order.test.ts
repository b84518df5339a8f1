import { expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import type { RecordedRendition, StoredStream } from '../store/recording.ts';
import { givingOrder } from './giving-order.ts';

const cameras = [newRuuid(), newRuuid()] as const;

/** `0main`: of the first camera. With bytes. */
function orderOf(bytes: Readonly<Record<string, number>>): string[] {
  const nameOf = ({ cameraUuid, rendition }: StoredStream) => `${cameras.indexOf(cameraUuid)}${rendition}`;
  const streams = Object.keys(bytes).map((name) => ({
    cameraUuid: cameras[Number(name[0]) as 0 | 1],
    rendition: name.slice(1) as RecordedRendition,
  }));
  return givingOrder(streams, (stream) => bytes[nameOf(stream)]!).map((step) => step.map(nameOf).join(' '));
}

it.each([
  [
    'the best streams, then substreams, then key frames',
    { '0key-frames': 1, '0main': 9, '0sub': 2 },
    ['0main', '0sub', '0key-frames'],
  ],
  ['a lone substream with the best', { '0main': 5, '0sub': 3, '1sub': 4 }, ['0main 1sub', '0sub']],
  ['what was handed over with the best', { '0main': 5, '0uploaded': 3 }, ['0main 0uploaded']],
  ['substreams, which have more than the best', { '0main': 4, '0sub': 5 }, ['0sub', '0main']],
  [
    'key frames, which have more than all others',
    { '0main': 4, '0sub': 1, '0key-frames': 6 },
    ['0key-frames', '0sub', '0main'],
  ],
  ['nothing of nothing', {}, []],
] as const)('asks for %s', (_, bytes, expected) => {
  expect(orderOf(bytes)).toEqual(expected);
});
