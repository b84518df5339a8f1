import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import type { NumberedPart } from '../../cmaf/part-numbers.ts';
import type { RenditionName } from '../../stream/media/live-media.ts';
import { RENDITIONS } from '../../stream/media/renditions.ts';
import { TRACKS } from '../../stream/window/live-window-fixture.ts';
import { readLinkPart, writeLinkPart } from './link-part.ts';

const number = fc.double({ noNaN: true });
const keySample = fc.option(fc.record({ offsetBytes: fc.nat(), sizeBytes: fc.nat(), epochMs: number }));
const numbered: fc.Arbitrary<NumberedPart> = fc.record({
  part: fc.record({
    timescaleHz: fc.nat(),
    startTicks: fc.maxSafeInteger(),
    durationTicks: fc.nat(),
    sourceOffsetSec: number,
    pictures: fc.nat(),
    epochMs: number,
    keySample,
    isSegmentStart: fc.boolean(),
    isSegmentEnd: fc.boolean(),
    isIndependent: fc.boolean(),
    hasDiscontinuity: fc.boolean(),
  }),
  partTargetMs: number,
  progress: fc.record({
    endTicks: fc.maxSafeInteger(),
    timescaleHz: fc.nat(),
    soundEndSec: number,
    partTargetMs: number,
    hasEndedSegment: fc.boolean(),
    hasSetsInBand: fc.boolean(),
    sequenceNumber: fc.nat(),
  }),
});
const address = fc.record({
  sub: fc.nat(),
  rendition: fc.constantFrom(...(Object.keys(RENDITIONS) as RenditionName[])),
});

describe('the record of a part', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(address, numbered, fc.boolean(), (to, part, hasTracks) => {
        const record = Buffer.from(writeLinkPart(to, part, hasTracks ? TRACKS : null));
        const { tracks, ...read } = readLinkPart(record);
        // Nothing of it lies in the record.
        record.fill(0);
        expect(read).toEqual({ ...to, ...part });
        if (hasTracks) expect({ ...tracks, init: Buffer.from(tracks!.init) }).toEqual(TRACKS);
        else expect(tracks).toBe(null);
      }),
      randomRuns(200),
    );
  });

  it('is refused when it is too short, or of no rendition', () => {
    const [part] = fc.sample(numbered, 1) as [NumberedPart];
    const record = Buffer.from(writeLinkPart({ sub: 1, rendition: 'main' }, part, null));
    expect(() => readLinkPart(record.subarray(1))).toThrow(
      expect.objectContaining({ code: 'LINK_FRAME_MALFORMED' }),
    );
    for (const rendition of [-1, 0.5, 1e9, Number.NaN]) {
      new Float64Array(record.buffer, record.byteOffset, 2)[1] = rendition;
      expect(() => readLinkPart(record)).toThrow(expect.objectContaining({ code: 'LINK_FRAME_MALFORMED' }));
    }
  });
});
