import { describe, expect, it } from 'vitest';
import { InputDescription, needsTranscode, planFor } from './worker-plan.ts';

describe('planFor', () => {
  it.each([
    ['H264', 'MPEG4-GENERIC', 'copy', 'copy', false],
    ['h264', null, 'copy', 'off', false],
    ['H265', 'mpeg4-generic', 'encode', 'copy', true],
    ['JPEG', 'PCMU', 'encode', 'encode', true],
    ['h264', 'pcma', 'copy', 'encode', true],
    [null, null, 'encode', 'off', true],
  ] as const)(
    'brings %s and %s to viewers by %s and %s',
    (video, audio, videoPlan, audioPlan, isTranscode) => {
      expect(planFor(video, audio)).toEqual({ video: videoPlan, audio: audioPlan });
      expect(needsTranscode(video, audio)).toBe(isTranscode);
    },
  );
});

describe('InputDescription', () => {
  function describeInput(...lines: string[]): InputDescription {
    const description = new InputDescription();
    for (const line of lines) description.read(line);
    return description;
  }

  it('reads the first track of each kind, and not those of the output', () => {
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
  });

  it('knows a camera without sound', () => {
    expect(describeInput('Stream #0:0: Video: h264 (Main), yuv420p').plan).toEqual({
      video: 'copy',
      audio: 'off',
    });
  });

  it('has no plan before there is video', () => {
    expect(describeInput('pipe:0: Connection refused').plan).toBeNull();
    expect(describeInput('Stream #0:0: Audio: aac, 8000 Hz').plan).toBeNull();
  });
});
