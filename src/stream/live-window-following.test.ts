import { expect, it } from 'vitest';
import { LiveWindowBench } from './live-window-fixture.ts';

const NUMBERS = [3, 4, 5, 99];

it('a window is behind with its open segment and all further ones while another node makes them', () => {
  const { window } = new LiveWindowBench().segments(4).part({ isSegmentStart: true });
  const behind = () => NUMBERS.map((msn) => window.isBehind(msn));
  expect(behind()).toEqual([false, false, false, false]);
  window.isFollowing = true;
  expect(behind()).toEqual([false, true, true, true]);
});

it('so is one that another thread makes of it', () => {
  const { window } = new LiveWindowBench().segments(4).part({ isSegmentStart: true });
  window.isFollowing = true;
  const { window: copy } = new LiveWindowBench();
  copy.become(window.state());
  expect(NUMBERS.map((msn) => copy.isBehind(msn))).toEqual([false, true, true, true]);
});
