import { describe, expect, it } from 'vitest';
import { InputDescription } from './worker-plan.ts';

describe('InputDescription', () => {
  function describeInput(...lines: string[]): InputDescription {
    const description = new InputDescription();
    for (const line of lines) description.read(line);
    return description;
  }

  it('reads the first track of each kind, and ignores those of the output', () => {
    const description = describeInput(
      "Input #0, concat, from 'pipe:0':",
      'Stream #0:0: Video: hevc (Main), yuv420p(tv), 640x360, 25 fps',
      'Stream #0:1(eng): Audio: pcm_mulaw, 8000 Hz, 1 channels, s16, 64 kb/s',
      'Stream #0:2[0x1]: Data: none',
      'Stream #0:3: Video: mjpeg (Baseline)',
      "Output #0, mp4, to 'pipe:1':",
      'Stream #0:0: Video: h264, yuv420p',
    );
    expect(description.plan).toEqual({ video: 'encode', audio: 'encode' });
    expect(description.rate).toEqual({ framePx: 640 * 360, framesPerSec: 25 });
  });

  it.each([
    ['h264 (Main), yuv420p', 'aac (LC), 48000 Hz', 'copy', 'copy'],
    ['h264 (Main), yuv420p', null, 'copy', 'off'],
    ['h264 (Main), yuv420p', 'opus, 48000 Hz', 'copy', 'encode'],
    ['h264 (Main), yuv420p', 'aac_latm (LC), 16000 Hz', 'copy', 'encode'],
    ['hevc (Main), yuv420p', 'aac (LC), 48000 Hz', 'encode', 'copy'],
  ] as const)('handles %s and %s with %s and %s', (video, audio, videoPlan, audioPlan) => {
    const lines = [`Stream #0:0: Video: ${video}`];
    if (audio !== null) lines.push(`Stream #0:1: Audio: ${audio}`);
    expect(describeInput(...lines).plan).toEqual({ video: videoPlan, audio: audioPlan });
  });

  it.each([
    [
      'hevc (Main), yuv420p(tv, progressive), 3840x2160 [SAR 1:1 DAR 16:9], 12.5 fps, 90k tbn',
      8_294_400,
      12.5,
    ],
    ['hevc, none, 1280x720, 90k tbr, 90k tbn', 921_600, 25],
  ])('reads the size and the rate of %s', (video, framePx, framesPerSec) => {
    expect(describeInput(`Stream #0:0: Video: ${video}`).rate).toEqual({ framePx, framesPerSec });
    expect(describeInput('Stream #0:0: Video: hevc (Main), none').rate).toBeNull();
  });

  it('has no plan before video is reported', () => {
    expect(describeInput('pipe:0: Connection refused').plan).toBeNull();
    expect(describeInput('Stream #0:0: Audio: aac, 8000 Hz').plan).toBeNull();
  });
});
