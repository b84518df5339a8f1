/** FLAC and Opus in MP4, damaged; audio-sample-entries.real.test.ts has ffmpeg's opinion of whole ones. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { GatewayError } from '../core/errors.ts';
import { AUDIO_TRACKS } from './audio-tracks-fixture.ts';
import { writeInitSegment } from './init-segment.ts';
import { readMovie } from './movie-reader.ts';

describe('FLAC and Opus in MP4', () => {
  it('damaged descriptions fail with an error of this folder, or name another track', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...AUDIO_TRACKS),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 }),
        fc.nat(),
        (track, changes, cut) => {
          const init = writeInitSegment([track]);
          const moov = Buffer.from(init.subarray(init.indexOf('moov') + 4));
          const from = moov.indexOf('stsd');
          for (const [at, value] of changes) moov[from + (at % (moov.length - from))] = value;
          try {
            readMovie(cut % 3 === 0 ? moov.subarray(0, cut % moov.length) : moov);
          } catch (error) {
            expect(error).toBeInstanceOf(GatewayError);
          }
        },
      ),
      randomRuns(5_000),
    );
  });
});
