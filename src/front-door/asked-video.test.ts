import { expect, it } from 'vitest';
import { variantWishOf, videoQuery } from './asked-video.ts';

it.each([
  ['', 'any', ''],
  ['video=h264', 'h264', 'video=h264'],
  ['_ds=h480&video=h264', 'h264', 'video=h264'],
  ['myvideo=1', 'any', ''],
])('%j asks for %s', (query, video, kept) => {
  expect(variantWishOf(query).video).toBe(video);
  expect(videoQuery(query)).toBe(kept);
});

it.each(['video=', 'video=H264', 'video=hevc', `video=${'x'.repeat(5_000)}`])('%.20s is refused', (query) => {
  expect(() => variantWishOf(query)).toThrow('video must be h264');
});
