/** FLAC and Opus in MP4, as ffmpeg decodes them and as our reader reads them. */

import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { silentFrame } from '../codec/silent-frame.ts';
import type { AudioTrack } from '../codec/track.ts';
import { AUDIO_TRACKS, FLAC_ENCODER } from './audio-tracks-fixture.ts';
import { BoxWriter } from './box-writer.ts';
import { MDAT_HEADER_BYTES, mdatHeader, moof, moofBytes } from './fragment-boxes.ts';
import { writeInitSegment } from './init-segment.ts';
import { readMovie } from './movie-reader.ts';

/** A file of one fragment whose frames all last as long as the track says. */
function fileOf(track: AudioTrack, frames: readonly Uint8Array[]): Buffer {
  const run = {
    trackId: 1,
    startTicks: 0,
    samples: {
      sizesBytes: Uint32Array.from(frames, ({ length }) => length),
      durationsTicks: Uint32Array.from(frames, () => track.samplesPerFrame),
      compositionOffsetsTicks: new Uint32Array(frames.length),
      keys: new Uint8Array(frames.length).fill(1),
    },
    sampleCount: frames.length,
    dataBytes: frames.reduce((sum, { length }) => sum + length, 0),
  };
  const writer = new BoxWriter(Buffer.alloc(moofBytes([run]) + MDAT_HEADER_BYTES));
  moof(writer, 1, [run]);
  mdatHeader(writer, run.dataBytes);
  return Buffer.concat([writeInitSegment([track]), writer.bytes, ...frames]);
}

function run(command: string, args: readonly string[], input: Buffer): string {
  const { stdout, stderr } = spawnSync(command, ['-loglevel', 'error', ...args], {
    input,
    encoding: 'latin1',
  });
  expect(stderr).toBe('');
  return stdout;
}

/** The largest value in each frame of decoded samples. */
function peaks(track: AudioTrack, frames: readonly Uint8Array[]): number[] {
  const pcm = Buffer.from(
    run('ffmpeg', ['-i', 'pipe:0', '-f', 's16le', 'pipe:1'], fileOf(track, frames)),
    'latin1',
  );
  const frameBytes = track.samplesPerFrame * track.channelCount * 2;
  return Array.from({ length: Math.floor(pcm.length / frameBytes) }, (_, frame) => {
    let peak = 0;
    for (let at = frame * frameBytes; at < (frame + 1) * frameBytes; at += 2)
      peak = Math.max(peak, Math.abs(pcm.readInt16LE(at)));
    return peak;
  });
}

describe('FLAC and Opus in MP4', () => {
  it.each(AUDIO_TRACKS)('$codec with $channelCount channels is what ffprobe and our reader find', (track) => {
    const init = writeInitSegment([track]);
    const found = run(
      'ffprobe',
      ['-show_entries', 'stream=codec_name,sample_rate,channels', '-of', 'csv=p=0', 'pipe:0'],
      fileOf(track, [silentFrame(track)!]),
    );
    expect(found.trim()).toBe(`${track.codec},${track.sampleRateHz},${track.channelCount}`);
    const moov = init.subarray(init.indexOf('moov') + 4);
    expect(readMovie(moov).map((movieTrack) => movieTrack.track)).toEqual([track]);
  });

  it.each(AUDIO_TRACKS)('frames of silence are zeros: $codec with $channelCount channels', (track) => {
    const silence = silentFrame(track)!;
    // A decoder skips less than a frame.
    const found = peaks(track, [silence, silence, silence]);
    expect(found.length).toBeGreaterThanOrEqual(2);
    expect(Math.max(...found)).toBe(0);
  });

  it('silent FLAC frames between loud ones are zeros, and leave them as they are', () => {
    const silence = silentFrame(FLAC_ENCODER.track)!;
    const ramp = Int32Array.from({ length: 1_764 }, (_, at) => at + 1);
    const loud = (): Uint8Array => FLAC_ENCODER.encode(ramp, ramp).slice();
    expect(peaks(FLAC_ENCODER.track, [loud(), silence, loud(), loud(), silence])).toEqual([
      1_764, 0, 1_764, 1_764, 0,
    ]);
  });
});
