/** H.265 that devices push: pictures by x265, judged by ffmpeg's decoder. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeNalus } from '../../../test/support/decoded-video.ts';
import { type FlvTagBytes, flvTags } from '../../../test/support/flv-file.ts';
import { encodeH265, shownAt } from '../../../test/support/h265-streams.ts';
import {
  configurationTag,
  frameTag,
  type H265Form,
  h265Tags,
  hevcRecord,
  withLengths,
} from '../../../test/support/h265-tags.ts';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { type AnnexBAccessUnit, splitAnnexB } from '../../codec/byte-stream.ts';
import { isRaslPicture } from '../../codec/h265/access-unit.ts';
import { NAL_SPS, NAL_VPS, nalHeader, nalType } from '../../codec/h265/nal-unit.ts';
import type { H265Track } from '../../codec/track.ts';
import { JOINING_CODE } from '../../stream/source/source-events.ts';
import { expectRising, Push, type Seen } from './pushed-media-fixture.ts';

const GOP = 25;
const UNITS = encodeH265(75, GOP, 'bframes=0');
const SHOWN = shownAt(UNITS, GOP);
/** CRA pictures with RASL pictures after them; the first key frame is an IDR picture. */
const OPEN_GOP = 10;
const OPEN = encodeH265(50, OPEN_GOP, 'bframes=3:open-gop=1');
const OPEN_SHOWN = shownAt(OPEN, OPEN_GOP);

const typeOf = (nalu: Uint8Array) => nalType(nalHeader(nalu));
const isSet = (nalu: Uint8Array) => typeOf(nalu) >= NAL_VPS && typeOf(nalu) <= NAL_VPS + 2;
const withoutSets = (units: readonly AnnexBAccessUnit[]): AnnexBAccessUnit[] =>
  units.map(({ nalus, isKey }) => ({ nalus: nalus.filter((nalu) => !isSet(nalu)), isKey }));
const isRasl = ({ nalus }: AnnexBAccessUnit) =>
  isRaslPicture(withLengths(nalus.filter((nalu) => !isSet(nalu))));

/** Decodes the units with the announced parameter sets. */
function decode(seen: Seen) {
  const { vps, sps, pps } = seen.announcements[0]![0] as H265Track;
  const nalus = [...vps, ...sps, ...pps];
  for (const { data } of seen.units) {
    const bytes = Buffer.from(data);
    for (let at = 0; at < bytes.length; at += 4 + bytes.readUInt32BE(at))
      nalus.push(bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at)));
  }
  return decodeNalus('h265', nalus);
}

const video = (timestampMs: number, payload: Buffer): FlvTagBytes => ({
  kind: 'video',
  timestampMs,
  payload,
});

function configuration(form: H265Form, record = hevcRecord(UNITS)): FlvTagBytes {
  return video(0, configurationTag(form, record));
}

function frames(units: readonly AnnexBAccessUnit[], form: H265Form): FlvTagBytes[] {
  return units.map(({ nalus, isKey }, index) =>
    video(index * 40, frameTag(form, isKey, 0, withLengths(nalus))),
  );
}

describe('H.265', () => {
  it.each([
    ['enhanced RTMP', 'enhanced', UNITS],
    ['the codec number of recorders', 'legacy', UNITS],
    ['parameter sets in the configuration alone', 'enhanced', withoutSets(UNITS)],
  ] as const)('plays: %s', (_title, form, units) => {
    const { seen } = new Push('off').attach().feed([configuration(form), ...frames(units, form)]);
    expect(seen.announcements).toHaveLength(1);
    expect(seen.announcements[0]).toMatchObject([
      { codec: 'h265', widthPx: 160, heightPx: 120, timescaleHz: 90_000 },
    ]);
    expect((seen.announcements[0]![0] as H265Track).codecString).toMatch(/^hvc1\.1\.6\.L\d+\.90$/);
    expect(seen.units.map(({ dtsTicks }) => dtsTicks)).toEqual(UNITS.map((_, index) => index * 3_600));
    expect(seen.units.flatMap(({ isKey }, index) => (isKey ? [index] : []))).toEqual([0, 25, 50]);
    for (const { data } of seen.units) expect(isSet(data.subarray(4))).toBe(false);
    expect(seen.dropped.size).toBe(0);
    const { complaints, luma } = decode(seen);
    expect([complaints, luma.length]).toEqual(['', 75]);
  });

  it('presents B-frames when the encoder says', () => {
    const units = encodeH265(50, GOP, 'bframes=2:open-gop=0');
    const { seen } = new Push('off').attach().feed(h265Tags(units, shownAt(units, GOP), 'enhanced'));
    expectRising(seen);
    const shown = seen.units.map(({ ptsTicks }) => ptsTicks);
    const inOrder = shown.toSorted((a, b) => a - b);
    expect(shown).not.toEqual(inOrder);
    for (let i = 1; i < inOrder.length; i++) expect(inOrder[i]! - inOrder[i - 1]!).toBe(3_600);
  });

  it('joins at a CRA picture without its RASL pictures, and keeps those of the next ones', () => {
    const tags = h265Tags(OPEN, OPEN_SHOWN, 'enhanced');
    const joinedAt = OPEN.findIndex(({ isKey }, index) => isKey && index > 0);
    const nextKey = OPEN.findIndex(({ isKey }, index) => isKey && index > joinedAt);
    const left = OPEN.slice(joinedAt, nextKey).filter(isRasl).length;
    expect(left).toBeGreaterThan(0);
    expect(OPEN.slice(nextKey).filter(isRasl).length).toBeGreaterThan(0);
    // The configuration, and then from the middle of the first group on.
    const { seen } = new Push('off').feed(tags.slice(0, 5)).attach().feed(tags.slice(5));
    expect([...seen.dropped]).toEqual([[JOINING_CODE, joinedAt - 4 + left]]);
    const { complaints, luma } = decode(seen);
    expect([complaints, luma.length]).toEqual(['', OPEN.length - joinedAt - left]);
    const whole = new Push('off').attach().feed(tags).seen;
    expect(whole.dropped.size).toBe(0);
    expect(decode(whole).luma.slice(-luma.length + left)).toEqual(luma.slice(left));
  });

  it('goes on after a damaged picture with the next key frame, without its RASL pictures', () => {
    const tags = h265Tags(OPEN, OPEN_SHOWN, 'legacy');
    const key = OPEN.findIndex(({ isKey }, index) => isKey && index > 0);
    const next = OPEN.findIndex(({ isKey }, index) => isKey && index > key);
    const lost = key - 3;
    tags[lost + 1] = { ...tags[lost + 1]!, payload: tags[lost + 1]!.payload.subarray(0, 12) };
    const { seen } = new Push('off').attach().feed(tags);
    const left = OPEN.slice(key, next).filter(isRasl).length;
    expect([...seen.dropped]).toEqual([['RTMP_BAD_MEDIA', key - lost + left]]);
    expect(seen.announcements).toHaveLength(1);
    const { complaints, luma } = decode(seen);
    expect([complaints, luma.length]).toEqual(['', OPEN.length - (key - lost) - left]);
  });

  it('takes parameter sets from a message of their own', () => {
    const record = Buffer.from(hevcRecord(UNITS).subarray(0, 23));
    record[22] = 0;
    const sets = withLengths(UNITS[0]!.nalus.filter(isSet));
    const tags = [configuration('legacy', record), video(0, frameTag('legacy', true, 0, sets))];
    const { seen } = new Push('off').attach().feed([...tags, ...frames(withoutSets(UNITS), 'legacy')]);
    expect(seen.dropped.size).toBe(0);
    expect(seen.announcements).toMatchObject([[{ codec: 'h265', widthPx: 160 }]]);
    expect(decode(seen).complaints).toBe('');
  });

  it('takes start codes in place of lengths', () => {
    const tags = [configuration('legacy')];
    for (const [index, { nalus, isKey }] of UNITS.entries()) {
      const sample = Buffer.concat(nalus.flatMap((nalu) => [Buffer.of(0, 0, 0, 1), nalu]));
      tags.push(video(index * 40, frameTag('legacy', isKey, 0, sample)));
    }
    const { seen } = new Push('off').attach().feed(tags);
    expect(splitAnnexB(tags[1]!.payload.subarray(5)).length).toBeGreaterThan(3);
    expect([seen.units.length, seen.dropped.size, decode(seen).complaints]).toEqual([75, 0, '']);
  });

  it('announces other parameter sets before the key frame that needs them, and plays H.264 before and after', () => {
    const h264 = flvTags(2, '-an');
    const later = (tags: readonly FlvTagBytes[], byMs: number) =>
      tags.map((tag) => ({ ...tag, timestampMs: tag.timestampMs + byMs }));
    const { seen } = new Push('off')
      .attach()
      .feed(h264)
      .feed(later(h265Tags(UNITS.slice(0, 25), SHOWN.slice(0, 25), 'enhanced'), 2_000))
      .feed(later(h264, 3_000));
    expect(seen.announcements.map(([video]) => video!.codec)).toEqual(['h264', 'h265', 'h264']);
    expect(seen.units).toHaveLength(125);
    expectRising(seen);
  });

  it('counts configurations that make no sense, and keeps the one before', () => {
    const record = hevcRecord(UNITS);
    const first = configuration('enhanced');
    const rest = frames(UNITS, 'enhanced');
    for (let length = 0; length < record.length; length += 7) {
      const cut = configuration('enhanced', record.subarray(0, length));
      // Its own key frame has the parameter sets, too; the pictures after it play.
      const alone = new Push('off').attach().feed([cut, ...rest.slice(0, 30)]).seen;
      expect([alone.units.length, ...alone.dropped]).toEqual([30, ['RTMP_BAD_MEDIA', 1]]);
      const { seen } = new Push('off').attach().feed([first, cut, ...rest.slice(0, 30)]);
      expect([seen.units.length, ...seen.dropped.values()]).toEqual([30, 1]);
    }
  });

  it('drops what follows a replaced SPS without a key frame', () => {
    const sps = UNITS[0]!.nalus.find((nalu) => typeOf(nalu) === NAL_SPS)!;
    const other = encodeOther().find((nalu) => typeOf(nalu) === NAL_SPS)!;
    expect(Buffer.from(other).equals(sps)).toBe(false);
    const units = UNITS.map((unit, index) =>
      index === 30 ? { ...unit, nalus: [other, ...unit.nalus] } : unit,
    );
    const { seen } = new Push('off').attach().feed([configuration('enhanced'), ...frames(units, 'enhanced')]);
    expect([...seen.dropped]).toEqual([['RTMP_BAD_MEDIA', 20]]);
    expect(seen.units[30]).toMatchObject({ isKey: true });
    expect(decode(seen).complaints).toBe('');
  });

  it('survives any damage without an exception, with rising times, and only after tracks', () => {
    const tags = h265Tags(OPEN, OPEN_SHOWN, 'enhanced');
    const damage = fc.record({
      at: fc.nat(tags.length - 1),
      // The codec's name stays: other ones are refused.
      byte: fc.integer({ min: 5, max: 150 }),
      value: fc.nat(255),
      length: fc.option(fc.integer({ min: 5, max: 160 }), { nil: null }),
    });
    fc.assert(
      fc.property(fc.array(damage, { minLength: 1, maxLength: 12 }), (damages) => {
        const changed = [...tags];
        for (const { at, byte, value, length } of damages) {
          const payload = Buffer.from(changed[at]!.payload.subarray(0, length ?? tags[at]!.payload.length));
          if (byte < payload.length) payload[byte] = value;
          changed[at] = { ...changed[at]!, payload };
        }
        const { seen } = new Push('off').attach().feed(changed);
        expectRising(seen);
        for (const { data } of seen.units) expect(isSet(data.subarray(4))).toBe(false);
        for (const code of seen.dropped.keys()) expect([JOINING_CODE, 'RTMP_BAD_MEDIA']).toContain(code);
      }),
      randomRuns(300),
    );
  });
});

function encodeOther(): Uint8Array[] {
  return encodeH265(1, GOP, 'bframes=0:ref=1:level-idc=62').flatMap(({ nalus }) => [...nalus]);
}
