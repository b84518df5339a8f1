/** Our output, judged by ffmpeg and ffprobe, which do not share our code. */

import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccessUnit, Track } from '../../codec/track.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { FragmentReader } from '../../isobmff/fragment-reader.ts';
import { playlistText } from '../media/playlist-fixture.ts';
import { Packager } from './packager.ts';

const CLIP_SEC = 11;
const FRAME_RATE_HZ = 25;
const DECODE = ['ffmpeg', '-v', 'error', '-xerror', '-nostdin'] as const;
/** Newer ffmpeg requires segments to have an extension that its MP4 reader is registered for; `.m4v` is not. */
const HLS_INPUT = run('ffmpeg', '-hide_banner', '-h', 'demuxer=hls').includes('extension_picky')
  ? ['-extension_picky', '0']
  : [];
const NO_DIRECTIVES = { msn: -1, part: -1, skip: false };

interface Clip {
  tracks: readonly Track[];
  units: AccessUnit[];
}

const folder = mkdtempSync(join(tmpdir(), 'packager-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Moving video with B-frames and a tone, as access units in file order. */
async function makeClip(videoArguments: readonly string[]): Promise<Clip> {
  const { stdout } = await promisify(execFile)(
    'ffmpeg',
    [
      ...['-v', 'error', '-nostdin'],
      ...['-f', 'lavfi', '-i', `testsrc2=size=320x180:rate=${FRAME_RATE_HZ}:duration=${CLIP_SEC}`],
      ...['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=48000:duration=${CLIP_SEC}`],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '50', '-sc_threshold', '0'],
      ...videoArguments,
      ...['-video_track_timescale', '90000', '-c:a', 'aac', '-b:a', '64k'],
      ...['-movflags', 'empty_moov+default_base_moof+frag_keyframe'],
      ...['-f', 'mp4', 'pipe:1'],
    ],
    { encoding: 'buffer', maxBuffer: 64_000_000 },
  );
  const clip: Clip = { tracks: [], units: [] };
  const reader = new FragmentReader({
    onTracks: (tracks) => {
      clip.tracks = tracks;
    },
    onSample: (trackIndex, dtsTicks, ptsTicks, isKey, data) => {
      const timescaleHz = clip.tracks[trackIndex]!.timescaleHz;
      const arrivalMonoMs = (dtsTicks / timescaleHz) * 1_000;
      clip.units.push({ trackIndex, dtsTicks, ptsTicks, isKey, data: Buffer.from(data), arrivalMonoMs });
    },
  });
  reader.push(stdout);
  clip.units.sort((a, b) => a.arrivalMonoMs - b.arrivalMonoMs);
  return clip;
}

function packagerFor(withAudio: boolean): Packager {
  return new Packager({
    clock: new FakeClock(),
    content: withAudio ? 'video-and-audio' : 'video',
    numbering: { nextMediaSequenceNumber: 0, nextDiscontinuitySequence: 0, initFingerprint: null },
    isContinuation: false,
    onNumbering: () => undefined,
    onPlayable: () => undefined,
  });
}

function play(packager: Packager, clip: Clip): void {
  packager.setTracks(clip.tracks);
  for (const unit of clip.units) packager.push(unit);
}

/** Runs a program that must not complain about anything. */
function run(command: string, ...args: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 64_000_000 });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return stdout;
}

/**
 * Writes everything named in the playlist into the folder; the playlist itself is marked as ended, so that ffmpeg
 * stops.
 */
function publish(packager: Packager, name: string): string {
  const text = playlistText(packager.published.window.playlist(NO_DIRECTIVES));
  for (const [, uri] of text.matchAll(/^#EXT-X-MAP:URI="(.+)"$/gm)) {
    writeFileSync(join(folder, uri!), packager.published.window.init(uri!)!);
  }
  for (const [, msn] of text.matchAll(/^seg_(\d+)\.m4v$/gm)) {
    writeFileSync(join(folder, `seg_${msn}.m4v`), packager.published.window.segment(Number(msn))!.bytes);
  }
  const file = join(folder, name);
  const listed = text.replace(/^#EXT-X-(PART|PRELOAD).*\n/gm, '');
  writeFileSync(file, `${listed}#EXT-X-ENDLIST\n`);
  return file;
}

/** Checksums of the pictures that ffmpeg decodes. */
function pictures(...input: readonly string[]): string[] {
  const args = input.length === 1 ? ['-i', ...input] : input;
  const out = run(
    ...DECODE,
    ...args,
    ...['-autoscale', '0', '-fps_mode', 'passthrough', '-f', 'framecrc', '-'],
  );
  const lines = out.split('\n').filter((line) => line.startsWith('0,'));
  return lines.map((line) => line.slice(line.lastIndexOf(',') + 1).trim());
}

function decodedFrames(file: string): { video: number; audio: number } {
  const out = run(
    'ffprobe',
    '-v',
    'error',
    '-count_frames',
    '-show_entries',
    'stream=codec_type,nb_read_frames',
    '-of',
    'json',
    file,
  );
  const streams: { codec_type: string; nb_read_frames: string }[] = JSON.parse(out).streams;
  const frames = (type: string) =>
    Number(streams.find((stream) => stream.codec_type === type)?.nb_read_frames ?? 0);
  return { video: frames('video'), audio: frames('audio') };
}

describe('packaged clips', () => {
  let smooth: Clip;
  let withBFrames: Clip;
  beforeAll(async () => {
    smooth = await makeClip(['-tune', 'zerolatency']);
    withBFrames = await makeClip(['-bf', '2', '-profile:v', 'high']);
  }, 60_000);

  it.each([
    ['audio and video', true, () => smooth],
    ['video alone', false, () => smooth],
    ['B-frames', true, () => withBFrames],
  ])('decode without an error: %s', (_title, withAudio, clip) => {
    const packager = packagerFor(withAudio);
    play(packager, clip());
    packager.discontinuity();
    const file = join(folder, 'whole.mp4');
    const segments = [0, 1, 2, 3, 4, 5].flatMap((msn) => packager.published.window.segment(msn)?.bytes ?? []);
    writeFileSync(file, Buffer.concat([packager.published.window.init('seg_init.mp4')!, ...segments]));
    run(...DECODE, '-i', file, '-f', 'null', '-');
    expect(packager.stats()).toMatchObject({ droppedFrames: 0, segments: 6 });
    const frames = decodedFrames(file);
    expect(frames.video).toBe(CLIP_SEC * FRAME_RATE_HZ);
    if (withAudio) expect(frames.audio).toBeGreaterThan((CLIP_SEC - 1) * (48_000 / 1_024));
    else expect(frames.audio).toBe(0);
  });

  it('play as HLS over a reconnect', () => {
    const packager = packagerFor(true);
    play(packager, { tracks: smooth.tracks, units: smooth.units.slice(0, 400) });
    packager.discontinuity();
    play(packager, { tracks: smooth.tracks, units: smooth.units.slice(0, 400) });
    packager.discontinuity();
    const file = publish(packager, 'file.m3u8');
    expect(
      playlistText(packager.published.window.playlist(NO_DIRECTIVES)).match(/#EXT-X-DISCONTINUITY\n/g),
    ).toHaveLength(1);
    run(...DECODE, ...HLS_INPUT, '-i', file, '-f', 'null', '-');
  });

  it('continue with a new init segment when the picture size changes', async () => {
    const smaller = await makeClip(['-tune', 'zerolatency', '-vf', 'scale=160:90']);
    const packager = packagerFor(true);
    play(packager, { tracks: smooth.tracks, units: smooth.units.slice(0, 400) });
    play(packager, smaller);
    packager.discontinuity();
    const text = playlistText(packager.published.window.playlist(NO_DIRECTIVES));
    const [before, after] = text.split('#EXT-X-DISCONTINUITY\n');
    expect(before).toContain('#EXT-X-MAP:URI="seg_init.mp4"');
    const [, initUri] = /#EXT-X-MAP:URI="(seg_init_[0-9a-f]{8}\.mp4)"/.exec(after!)!;
    const file = join(folder, 'after.mp4');
    const segments = [...after!.matchAll(/^seg_(\d+)\.m4v$/gm)].flatMap(
      ([, msn]) => packager.published.window.segment(Number(msn))!.bytes,
    );
    writeFileSync(file, Buffer.concat([packager.published.window.init(initUri!)!, ...segments]));
    run(...DECODE, '-i', file, '-f', 'null', '-');
    expect(decodedFrames(file).video).toBe(CLIP_SEC * FRAME_RATE_HZ);
    expect(packager.published.properties()).toMatchObject({ widthPx: 160, heightPx: 90 });
  });

  it.each([
    ['another resolution and profile', ['-vf', 'scale=160:90', '-profile:v', 'baseline']],
    ['another PPS alone', ['-x264-params', 'chroma-qp-offset=-4:8x8dct=0:weightp=0:cabac=0']],
  ])('play in ffmpeg, which ignores a changed EXT-X-MAP, over %s and back', async (_title, changed) => {
    const other = await makeClip(['-tune', 'zerolatency', ...changed]);
    const packager = packagerFor(false);
    const clips = [smooth, other, smooth].map(({ tracks, units }) => ({
      tracks: tracks.filter(({ kind }) => kind === 'video'),
      units: units.filter(({ trackIndex }) => trackIndex === 0).slice(0, 100),
    }));
    for (const clip of clips) play(packager, clip);
    packager.discontinuity();
    const file = publish(packager, 'changing.m3u8');
    const stretches = readFileSync(file, 'utf8').split('#EXT-X-DISCONTINUITY\n');
    const alone = stretches.flatMap((text, index) => {
      const names = [...text.matchAll(/^seg_\d+\.m4v$|seg_init.*\.mp4/gm)].map(([name]) => name);
      const whole = join(folder, `stretch-${index}.mp4`);
      writeFileSync(whole, Buffer.concat(names.map((name) => readFileSync(join(folder, name)))));
      return pictures(whole);
    });
    // Each picture exactly once, without a complaint, and as with its own init segment.
    expect(pictures(...HLS_INPUT, '-i', file)).toEqual(alone);
    expect(alone).toHaveLength(300);
  });

  it('begin every segment with a frame that decodes on its own', () => {
    const packager = packagerFor(true);
    play(packager, smooth);
    for (let msn = 0; msn < 5; msn++) {
      const file = join(folder, `alone-${msn}.mp4`);
      const init = packager.published.window.init('seg_init.mp4')!;
      writeFileSync(file, Buffer.concat([init, packager.published.window.segment(msn)!.bytes]));
      expect(decodedFrames(file).video).toBe(2 * FRAME_RATE_HZ);
    }
  });

  it('provide the newest key frame as one image', () => {
    const packager = packagerFor(true);
    play(packager, withBFrames);
    const keyFrame = packager.published.keyFrame()!;
    const file = join(folder, 'key.mp4');
    writeFileSync(file, Buffer.concat(keyFrame.fmp4));
    run(...DECODE, '-i', file, '-map', '0:v', '-f', 'null', '-');
    expect(decodedFrames(file)).toEqual({ video: 1, audio: 0 });
    expect([keyFrame.widthPx, keyFrame.heightPx]).toEqual([320, 180]);
  });
});
