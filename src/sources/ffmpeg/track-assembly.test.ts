import { describe, expect, it } from 'vitest';
import type { AacTrack, H264Track } from '../../codec/track.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { AUDIO_WAIT_MS, TrackAssembly } from './track-assembly.ts';

const VIDEO: H264Track = {
  kind: 'video',
  codec: 'h264',
  timescaleHz: 90_000,
  sps: [Buffer.from('6742c01eda0280bfe5c04400000fa40003', 'hex')],
  pps: [Buffer.from('68ce3c80', 'hex')],
  widthPx: 640,
  heightPx: 360,
  nominalFrameRateHz: null,
  codecString: 'avc1.42c01e',
};
const AUDIO: AacTrack = {
  kind: 'audio',
  codec: 'aac',
  timescaleHz: 48_000,
  audioSpecificConfig: Buffer.from('1188', 'hex'),
  sampleRateHz: 48_000,
  channelCount: 1,
  samplesPerFrame: 1_024,
  codecString: 'mp4a.40.2',
};
const picture = (last = 0): Buffer => Buffer.from([0, 0, 0, 3, 0x65, 0x88, last]);
const changedPicture = (): Buffer => Buffer.from('00000004' + '68ce3c81' + '00000002' + '6588', 'hex');

function setup(wantsAudio: boolean, expected: AacTrack | null = null) {
  const clock = new FakeClock();
  const seen: string[] = [];
  const assembly = new TrackAssembly(
    {
      onTracks: (tracks) => seen.push(`tracks ${tracks.map((track) => track.codec)}`),
      onAccessUnit: (unit) =>
        seen.push(
          `${unit.trackIndex} ${unit.dtsTicks}/${unit.ptsTicks} ${Buffer.from(unit.data).toString('hex')}`,
        ),
      onDropped: (frames, code) => seen.push(`dropped ${frames} ${code}`),
    },
    clock,
    wantsAudio,
    expected,
  );
  return { clock, seen, assembly, video: assembly.videoSink, audio: assembly.audioSink };
}

describe('TrackAssembly', () => {
  it('starts immediately when no audio is expected', () => {
    const { seen, video, clock } = setup(false);
    video.onTracks([VIDEO]);
    video.onSample(0, 10, 12, true, picture());
    expect(seen).toEqual(['tracks h264', '0 10/12 00000003658800']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('holds copies of frames until the audio track is there', () => {
    const { seen, video, audio, clock } = setup(true);
    video.onTracks([VIDEO]);
    const borrowed = picture(1);
    video.onSample(0, 10, 10, true, borrowed);
    borrowed.fill(0xff);
    expect(seen).toEqual([]);
    audio.onTracks([AUDIO]);
    audio.onSample(0, 5, 5, true, Buffer.from('aa', 'hex'));
    expect(seen).toEqual(['tracks h264,aac', '0 10/10 00000003658801', '1 5/5 aa']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('accepts audio that arrives first', () => {
    const { seen, video, audio } = setup(true);
    audio.onTracks([AUDIO]);
    video.onTracks([VIDEO]);
    expect(seen).toEqual(['tracks h264,aac']);
  });

  it('starts without audio that does not arrive, and leaves it out if it arrives later', () => {
    const { seen, video, audio, clock } = setup(true);
    video.onTracks([VIDEO]);
    video.onSample(0, 10, 10, true, picture());
    clock.advance(AUDIO_WAIT_MS);
    audio.onTracks([AUDIO]);
    audio.onSample(0, 5, 5, true, Buffer.from('aa', 'hex'));
    video.onSample(0, 20, 20, true, changedPicture());
    expect(seen).toEqual(['tracks h264', '0 10/10 00000003658800', 'tracks h264', '0 20/20 000000026588']);
  });

  it('announces encoded audio before it arrives, and accepts it whenever it does', () => {
    const { seen, video, audio, clock } = setup(true, AUDIO);
    video.onTracks([VIDEO]);
    video.onSample(0, 10, 10, true, picture());
    clock.advance(60_000);
    audio.onTracks([{ ...AUDIO, audioSpecificConfig: Uint8Array.of(0x11, 0x90, 0x56, 0xe5, 0x00) }]);
    audio.onSample(0, 5, 5, true, Buffer.from('aa', 'hex'));
    expect(seen).toEqual(['tracks h264,aac', '0 10/10 00000003658800', '1 5/5 aa']);
    expect(() => audio.onTracks([{ ...AUDIO, channelCount: AUDIO.channelCount + 1 }])).toThrow(
      expect.objectContaining({ code: 'FFMPEG_BAD_OUTPUT' }),
    );
  });

  it('does not hold frames forever', () => {
    const { seen, video } = setup(true);
    video.onTracks([VIDEO]);
    for (let dts = 0; dts < 1_000; dts++) video.onSample(0, dts, dts, true, picture());
    expect(seen).toHaveLength(1_001);
    expect(seen[0]).toBe('tracks h264');
    expect(seen.at(-1)).toMatch(/^0 999/);
  });

  it('drops what it holds when the parameter sets change before the audio is there', () => {
    const { seen, video } = setup(true);
    video.onTracks([VIDEO]);
    video.onSample(0, 10, 10, true, picture());
    video.onSample(0, 20, 20, true, changedPicture());
    expect(seen).toEqual(['dropped 1 FFMPEG_BAD_OUTPUT', 'tracks h264', '0 20/20 000000026588']);
  });

  it('keeps decoding times rising within a track, and presentation times not before decoding times', () => {
    const { seen, video } = setup(false);
    video.onTracks([VIDEO]);
    for (const [dts, pts] of [
      [10, 5],
      [10, 10],
      [9, 20],
      [11, 11],
    ] as const)
      video.onSample(0, dts, pts, true, picture());
    video.onSample(0, 12, 12, true, Buffer.from('ffffffff', 'hex'));
    expect(seen.slice(1).map((line) => line.replace(/ 0000.*/, ''))).toEqual([
      '0 10/10',
      'dropped 1 FFMPEG_BAD_TIMESTAMP',
      'dropped 1 FFMPEG_BAD_TIMESTAMP',
      '0 11/11',
      'dropped 1 FFMPEG_BAD_OUTPUT',
    ]);
  });

  it('rejects files without H.264 and AAC', () => {
    const { video, audio } = setup(true);
    expect(() => video.onTracks([])).toThrow(expect.objectContaining({ code: 'FFMPEG_NO_VIDEO' }));
    expect(() => audio.onTracks([])).toThrow(expect.objectContaining({ code: 'FFMPEG_BAD_OUTPUT' }));
  });

  it('calls nothing once closed, in any state', () => {
    for (const prepare of [0, 1, 2]) {
      const { seen, video, audio, assembly, clock } = setup(true);
      if (prepare > 0) video.onTracks([VIDEO]);
      if (prepare > 1) audio.onTracks([AUDIO]);
      seen.length = 0;
      assembly.close();
      video.onSample(0, 10, 10, true, picture());
      audio.onTracks([AUDIO]);
      clock.advance(AUDIO_WAIT_MS);
      expect([seen, clock.pendingTimers]).toEqual([[], 0]);
    }
  });
});
