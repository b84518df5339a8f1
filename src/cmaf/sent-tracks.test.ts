import { expect, it } from 'vitest';
import { SentTracks } from './sent-tracks.ts';

it('names tracks once, until they change or the other side has none', () => {
  const [first, second] = [{ id: 1 }, { id: 2 }];
  const sent = new SentTracks<{ id: number }>();
  expect([first, first, second, second, first].map((tracks) => sent.newsOf(tracks)?.id)).toEqual([
    1,
    undefined,
    2,
    undefined,
    1,
  ]);
  sent.forget();
  expect(sent.newsOf(first)).toBe(first);
  expect(new SentTracks(first).newsOf(first)).toBeNull();
});
