import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { newStream } from './recording-fixture.ts';
import { recordingName } from './segment-index.ts';
import { readThumbnails, thumbnailsName, thumbnailsOf, writeThumbnails } from './thumbnail-chunk.ts';

const FIRST = [
  { segmentOffset: 164, blocks: Buffer.from('first') },
  { segmentOffset: 5_000_000_000, blocks: Buffer.from('second') },
];
const SECOND = [{ segmentOffset: 9_000_000_000, blocks: Buffer.from('third') }];

describe('files with thumbnails', () => {
  it('have chunks, one after the other', () => {
    const file = Buffer.concat([writeThumbnails(FIRST), writeThumbnails([]), writeThumbnails(SECOND)]);
    expect([...readThumbnails(file)]).toEqual(
      [...FIRST, ...SECOND].map(({ segmentOffset, blocks }) => [segmentOffset, blocks]),
    );
  });

  it('that are cut anywhere have the chunks before', () => {
    const [first, second] = [writeThumbnails(FIRST), writeThumbnails(SECOND)];
    const file = Buffer.concat([first, second]);
    for (let length = 0; length < file.length; length++) {
      const expected = length < first.length ? 0 : FIRST.length;
      expect(readThumbnails(file.subarray(0, length)).size, `${length}`).toBe(expected);
    }
  });

  it('end before a chunk that was not written to its end', () => {
    const second = writeThumbnails(SECOND);
    second.fill(0, 0, 8);
    expect(readThumbnails(Buffer.concat([writeThumbnails(FIRST), second])).size).toBe(FIRST.length);
  });

  it('that are damaged have what lies within them, and end', () => {
    fc.assert(
      fc.property(fc.nat(60), fc.nat(255), (at, value) => {
        const file = Buffer.concat([writeThumbnails(FIRST), writeThumbnails(SECOND)]);
        file[at % file.length] = value;
        for (const blocks of readThumbnails(file).values()) {
          expect(blocks.byteOffset + blocks.length).toBeLessThanOrEqual(file.byteOffset + file.length);
        }
      }),
      randomRuns(500),
    );
  });

  it('lie next to the folder of their recording, by its number', () => {
    const stream = newStream();
    const name = thumbnailsName(stream, 12);
    expect(name).toBe(`${stream.cameraUuid}/${stream.rendition}-thumbnails/000000000012.bin`);
    expect(thumbnailsOf(recordingName(stream, 12))).toBe(name);
    expect(thumbnailsOf('clips/a/b.mp4')).toBeNull();
  });
});
