import { describe, expect, it } from 'vitest';
import { joinedSpans } from './recorder-archive.ts';
import { clippedSpans, withoutSpans } from './time-spans.ts';

const span = (fromMs: number, toMs: number) => ({ fromMs, toMs });

describe('spans without others', () => {
  it('are cut where the others are, at their ends and within', () => {
    const left = withoutSpans([span(0, 100)], [span(40, 50), span(90, 200), span(-5, 10)], 0);
    expect(left).toEqual([span(10, 40), span(50, 90)]);
  });

  it('leave out pieces that are too short to be missing', () => {
    expect(withoutSpans([span(0, 100)], [span(0, 40), span(42, 99)], 2)).toEqual([]);
  });

  it('are the same without others, and nothing if one covers all', () => {
    expect(withoutSpans([span(0, 10), span(20, 30)], [], 0)).toEqual([span(0, 10), span(20, 30)]);
    expect(withoutSpans([span(0, 10), span(20, 30)], [span(-1, 31)], 0)).toEqual([]);
  });
});

describe('spans of a recorder', () => {
  it('are one where files follow each other, in order, and only those of the range', () => {
    const files = [span(120_000, 180_000), span(0, 60_000), span(60_500, 119_000), span(900_000, 960_000)];
    expect(joinedSpans(files, 0, 300_000)).toEqual([span(0, 180_000)]);
  });

  it('are clipped to a range', () => {
    expect(clippedSpans([span(0, 10), span(20, 30), span(40, 50)], 5, 25)).toEqual([
      span(5, 10),
      span(20, 25),
    ]);
  });

  it('that end before they begin are none', () => {
    expect(joinedSpans([span(50, 40), span(60, 60)], 0, 100)).toEqual([]);
  });
});
