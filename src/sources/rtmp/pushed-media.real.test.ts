import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FlvTagBytes, flvTags } from '../../../test/support/flv-file.ts';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { aacTrackOf, buildAudioSpecificConfig } from '../../codec/aac/audio-specific-config.ts';
import type { Track } from '../../codec/track.ts';
import { JOINING_CODE } from '../../stream/source/source-events.ts';
import type { SoundPaths } from '../sound/sound-path.ts';
import { AUDIO_WAIT_MS } from './pushed-media.ts';
import { expectRising, Push } from './pushed-media-fixture.ts';

const isVideo = ({ kind }: FlvTagBytes) => kind === 'video';
const seconds = ({ dtsTicks, track }: { dtsTicks: number; track: Track }) => dtsTicks / track.timescaleHz;

describe('PushedMedia', () => {
  it('announces H.264 and AAC once, and passes on every frame from the first key frame on', () => {
    const { seen } = new Push().attach().feed(flvTags(3));
    expect(seen.announcements).toHaveLength(1);
    expect(seen.announcements[0]).toMatchObject([
      { codec: 'h264', widthPx: 160, heightPx: 120, timescaleHz: 90_000 },
      { codec: 'aac', sampleRateHz: 48_000, channelCount: 1 },
    ]);
    const video = seen.of('video');
    expect([video.length, video[0]!.isKey, video[0]!.dtsTicks]).toEqual([75, true, 0]);
    expect(video.filter(({ isKey }) => isKey)).toHaveLength(3);
    for (const [i, unit] of video.entries()) expect(unit.dtsTicks).toBe(i * 3_600);
    const audio = seen.of('audio');
    expect(audio.length).toBeGreaterThan(135);
    // Whole milliseconds become even times.
    for (let i = 1; i < audio.length; i++) {
      expect(Math.abs(audio[i]!.dtsTicks - audio[i - 1]!.dtsTicks - 1_024)).toBeLessThanOrEqual(1);
    }
    expect(seen.dropped.size).toBe(0);
  });

  it('presents B-frames when the encoder says', () => {
    const { seen } = new Push().attach().feed(flvTags(2, '-c:a aac -bf 2'));
    expectRising(seen);
    const shown = seen.of('video').map(({ ptsTicks }) => ptsTicks);
    const inOrder = shown.toSorted((a, b) => a - b);
    expect(shown).not.toEqual(inOrder);
    for (let i = 1; i < inOrder.length; i++) expect(inOrder[i]! - inOrder[i - 1]!).toBe(3_600);
  });

  it('remembers what was configured before it was attached, and joins at the next key frame', () => {
    const tags = flvTags(3);
    const middle = tags.findIndex(({ timestampMs, kind }) => timestampMs >= 500 && kind === 'video');
    const push = new Push().feed(tags.slice(0, middle)).attach().feed(tags.slice(middle));
    const { seen } = push;
    expect(seen.announcements).toHaveLength(1);
    expect(seen.announcements[0]).toHaveLength(2);
    expect(seen.of('video')[0]).toMatchObject({ isKey: true, dtsTicks: 0 });
    // The first video tag is the configuration.
    const framesBefore = tags.slice(0, middle).filter(isVideo).length - 1;
    expect([...seen.dropped]).toEqual([[JOINING_CODE, 25 - framesBefore]]);
    expect(Math.abs(seconds(seen.of('audio')[0]!))).toBeLessThan(0.03);
  });

  it('waits for audio that comes a little later, and not for long', () => {
    const tags = flvTags(3);
    const late = (fromMs: number) => tags.filter((tag) => isVideo(tag) || tag.timestampMs >= fromMs);
    const configuration = tags.find(({ kind }) => kind === 'audio')!;
    const withConfiguration = (fromMs: number) => {
      const rest = late(fromMs);
      const at = rest.findIndex(({ kind }) => kind === 'audio');
      return [...rest.slice(0, at), { ...configuration, timestampMs: fromMs }, ...rest.slice(at)];
    };
    const soon = new Push().attach().feed(withConfiguration(500)).seen;
    expect(soon.announcements.map((tracks) => tracks.length)).toEqual([2]);
    expect(soon.of('video')).toHaveLength(75);
    expectRising(soon);
    const never = new Push().attach().feed(withConfiguration(AUDIO_WAIT_MS + 500)).seen;
    expect(never.announcements.map((tracks) => tracks.length)).toEqual([1]);
    expect(never.offers).toEqual([{ kind: 'none' }]);
    expect([never.of('video').length, never.of('audio').length]).toEqual([75, 0]);
  });

  it('waits as long for the audio of a device that is slow to send anything', () => {
    const push = new Push().attach();
    push.clock.advance(5 * AUDIO_WAIT_MS);
    const { seen } = push.feed(flvTags(1).toSorted((a, b) => (isVideo(a) ? 0 : 1) - (isVideo(b) ? 0 : 1)));
    expect(seen.announcements.map((tracks) => tracks.length)).toEqual([2]);
  });

  it('announces other parameter sets before the key frame that needs them', () => {
    const { seen } = new Push()
      .attach()
      .feed(flvTags(2))
      .feed(flvTags(2, '-c:a aac', '320x240'), (ms) => ms + 2_000);
    expect(seen.announcements.map(([video]) => (video as { widthPx: number }).widthPx)).toEqual([160, 320]);
    const first = seen.of('video').find(({ track }) => (track as { widthPx: number }).widthPx === 320)!;
    expect(first.isKey).toBe(true);
    expect(seconds(first)).toBeCloseTo(2, 1);
    expectRising(seen);
  });

  it.each([
    ['an hour ahead', 3_600_000],
    ['a minute back', -60_000],
  ])('goes on in real time when the clock of the device jumps %s', (_title, byMs) => {
    const jump = (ms: number) => 100_000 + ms + (ms >= 1_500 ? byMs : 0);
    const { seen } = new Push().attach().feed(flvTags(3), jump);
    expectRising(seen);
    expect(seen.announcements).toHaveLength(1);
    for (const kind of ['video', 'audio'] as const)
      expect(seconds(seen.of(kind).at(-1)!)).toBeCloseTo(2.97, 1);
  });

  it('keeps presentation after decoding when an encoder counts composition times from below 0', () => {
    const tags = flvTags(1, '-an -bf 2').map((tag) => {
      const payload = Buffer.from(tag.payload);
      if (payload[1] === 1) payload.writeIntBE(payload.readIntBE(2, 3) - 80, 2, 3);
      return { ...tag, payload };
    });
    expectRising(new Push().attach().feed(tags).seen);
  });

  it('leaves all audio out for a camera whose audio is off', () => {
    const { seen } = new Push('off').attach().feed(flvTags(2));
    expect(seen.announcements.map((tracks) => tracks.map(({ kind }) => kind))).toEqual([['video']]);
  });

  it('transcodes G.711, on the timeline of the video', () => {
    const pushed: number[] = [];
    const track = aacTrackOf(buildAudioSpecificConfig(48_000, 1))!;
    let isClosed = false;
    const sound: SoundPaths = {
      carries: ({ encoding }) => encoding === 'pcma',
      open: (format, events) => {
        expect(format).toMatchObject({ encoding: 'pcma', clockRateHz: 8_000, channelCount: 1 });
        return {
          track,
          push: (_chunk, _start, _end, clockTicks) => {
            pushed.push(clockTicks);
            events.onUnit(clockTicks * 6, Uint8Array.of(1));
          },
          gap: () => undefined,
          close: async () => {
            isClosed = true;
          },
        };
      },
    };
    const push = new Push(sound).attach().feed(flvTags(2, '-c:a pcm_alaw -ar 8000 -ac 1'));
    const { seen } = push;
    expect(seen.announcements).toHaveLength(1);
    expect(seen.announcements[0]![1]).toBe(track);
    expect(pushed.length).toBeGreaterThan(10);
    expect(Math.abs(seconds(seen.of('audio').at(-1)!) - seconds(seen.of('video').at(-1)!))).toBeLessThan(0.3);
    void push.media.detach();
    expect(isClosed).toBe(true);
  });

  it('says which audio it cannot play, and plays the video', () => {
    const { seen } = new Push().attach().feed(flvTags(2, '-c:a mp3 -ar 44100'));
    expect(seen.offers).toEqual([{ kind: 'unsupported', encoding: 'MP3' }]);
    expect(seen.announcements.map((tracks) => tracks.length)).toEqual([1]);
    expect(seen.of('video')).toHaveLength(50);
  });

  it('passes nothing on once it is detached', () => {
    const tags = flvTags(2);
    const push = new Push().attach().feed(tags.slice(0, 20));
    const before = push.seen.units.length;
    void push.media.detach();
    push.feed(tags.slice(20));
    expect(push.seen.units.length).toBe(before);
  });

  it('survives any damage with a documented code, rising times, and only after tracks', () => {
    const tags = flvTags(1);
    const damage = fc.record({
      at: fc.nat(tags.length - 1),
      byte: fc.nat(40),
      value: fc.nat(255),
      length: fc.option(fc.nat(60), { nil: null }),
      timestamp: fc.option(fc.nat(2 ** 32 - 1), { nil: null }),
    });
    fc.assert(
      fc.property(fc.array(damage, { maxLength: 12 }), (damages) => {
        const changed = [...tags];
        for (const { at, byte, value, length, timestamp } of damages) {
          const tag = changed[at]!;
          const payload = Buffer.from(tag.payload.subarray(0, length ?? tag.payload.length));
          if (byte < payload.length) payload[byte] = value;
          changed[at] = { ...tag, payload };
          if (timestamp !== null) changed[at] = { ...changed[at]!, timestampMs: tag.timestampMs };
        }
        const push = new Push().attach();
        try {
          const stamps = new Map(damages.map(({ at, timestamp }) => [tags[at]!.timestampMs, timestamp]));
          push.feed(changed, (ms) => stamps.get(ms) ?? ms);
        } catch (error) {
          expect(error).toMatchObject({ code: 'RTMP_UNSUPPORTED_VIDEO' });
        }
        expectRising(push.seen);
      }),
      randomRuns(200),
    );
  });
});
