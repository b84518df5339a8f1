import { expect, it } from 'vitest';
import { bareQueryOf, variantQueryOf, videoQuery } from './requested-video.ts';

it.each([
  ['', 'all', 'main', ''],
  ['myvideo=1', 'all', 'main', ''],
  ['password=x', 'all', 'main', ''],
  ['video=h264', 'h264', 'h264', 'video=h264'],
  ['_ds=h480&video=h264', 'h264', 'h264', 'video=h264'],
  ['video=main', 'main', 'main', ''],
  ['video=sub', 'sub', 'sub', ''],
  ['video=all', 'all', 'all', ''],
  // Clients of the API family that choose by height.
  ['_ds=h480b480', 'all', 'all', ''],
])('%j asks for %s, on a bare URL for %s', (query, video, bare, kept) => {
  expect(variantQueryOf(query).video).toBe(video);
  expect(bareQueryOf(query).video).toBe(bare);
  expect(videoQuery(query)).toBe(kept);
});

it.each(['video=', 'video=H264', 'video=hevc', `video=${'x'.repeat(5_000)}`])('%.20s is refused', (query) => {
  expect(() => variantQueryOf(query)).toThrow('video must be h264, main, sub or all');
  expect(() => bareQueryOf(query)).toThrow('video must be h264, main, sub or all');
});
