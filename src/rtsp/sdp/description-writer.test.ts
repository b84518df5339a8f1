import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { type WrittenMedia, writeSessionDescription } from './description-writer.ts';
import { parseSessionDescription } from './session-description.ts';

const VIDEO: WrittenMedia = {
  kind: 'video',
  payloadType: 96,
  encoding: 'H264',
  clockRateHz: 90_000,
  channelCount: 1,
  parameters: 'packetization-mode=1;sprop-parameter-sets=Z0LAHtk=,aM48gA==',
  control: 'trackID=0',
};
const SOUND: WrittenMedia = {
  kind: 'audio',
  payloadType: 97,
  encoding: 'opus',
  clockRateHz: 48_000,
  channelCount: 2,
  parameters: null,
  control: 'trackID=1',
};

function parsed(name: string, media: readonly WrittenMedia[]) {
  const text = writeSessionDescription({ name, range: 'npt=now-', media });
  return parseSessionDescription(Buffer.from(text));
}

describe('a written session description', () => {
  it('says what clients read', () => {
    const { name, control, media } = parsed('Gate', [VIDEO, SOUND]);
    expect([name, control]).toEqual(['Gate', '*']);
    expect(media.map((each) => [each.kind, each.control, each.formats[0]!.encoding])).toEqual([
      ['video', 'trackID=0', 'h264'],
      ['audio', 'trackID=1', 'opus'],
    ]);
    expect(media[1]!.formats[0]).toMatchObject({ payloadType: 97, clockRateHz: 48_000, channelCount: 2 });
    expect(media[0]!.formats[0]!.fmtp.get('sprop-parameter-sets')).toBe('Z0LAHtk=,aM48gA==');
  });

  it('keeps its lines, whatever the name holds', () => {
    const property = fc.property(fc.string({ maxLength: 40 }), (name) => {
      const { control, media } = parsed(`${name}\r\nm=audio 0 RTP/AVP 0\n`, [VIDEO]);
      expect([control, media.map(({ kind }) => kind)]).toEqual(['*', ['video']]);
    });
    fc.assert(property, randomRuns(300));
  });

  it('has a name even without one', () => {
    expect(parsed(' \n', [VIDEO]).name).toBe('-');
  });
});
