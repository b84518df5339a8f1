import { describe, expect, it } from 'vitest';
import { CredentialUrl } from '../core/secret.ts';
import { cameraScript, liveCommand, pictureCommand, type WorkerInput } from './command.ts';

const CAMERA: WorkerInput = {
  kind: 'rtsp',
  url: new CredentialUrl("rtsp://admin:it's%20secret@10.0.0.5/Streaming/Channels/101?a=b"),
  transport: 'auto',
};

/** Value after an option; undefined if it is absent. */
function optionOf(args: readonly string[], option: string): string | undefined {
  const at = args.indexOf(option);
  return at < 0 ? undefined : args[at + 1];
}

describe('liveCommand', () => {
  it('keeps the camera’s URL out of the argument vector, which every user of the machine can read', () => {
    for (const major of [4, 5, 7]) {
      const { args, stdin } = liveCommand(CAMERA, { video: 'copy', audio: 'copy' }, major);
      expect(args.join(' ')).not.toMatch(/admin|secret|10\.0\.0\.5|Streaming/);
      expect(stdin).toContain('10.0.0.5');
    }
  });

  it('lets the input open nothing but a camera', () => {
    const { args } = liveCommand(CAMERA, { video: 'copy', audio: 'off' }, 5);
    const protocols = optionOf(args, '-protocol_whitelist')!.split(',');
    expect(protocols).toEqual(['pipe', 'rtsp', 'rtp', 'srtp', 'tcp', 'udp', 'tls']);
    const tunnel = liveCommand({ ...CAMERA, transport: 'https' }, { video: 'copy', audio: 'off' }, 5).args;
    expect(optionOf(tunnel, '-protocol_whitelist')).toBe(`${protocols.join(',')},http,https`);
    expect(args.indexOf('-protocol_whitelist')).toBeLessThan(args.indexOf('-i'));
  });

  it('copies, or encodes with a key frame every two seconds and no B-frames', () => {
    const copied = liveCommand(CAMERA, { video: 'copy', audio: 'copy' }, 5).args;
    expect([optionOf(copied, '-c:v'), optionOf(copied, '-c:a')]).toEqual(['copy', 'copy']);
    expect(copied).not.toContain('-vf');
    const encoded = liveCommand(CAMERA, { video: 'encode', audio: 'encode' }, 5).args;
    expect([optionOf(encoded, '-c:v'), optionOf(encoded, '-bf'), optionOf(encoded, '-c:a')]).toEqual([
      'libx264',
      '0',
      'aac',
    ]);
    expect(optionOf(encoded, '-force_key_frames')).toContain('prev_forced_t+2');
  });

  it('gives video and audio a pipe each, and leaves a camera without sound its one', () => {
    const both = liveCommand(CAMERA, { video: 'copy', audio: 'encode' }, 5).args;
    expect(both.filter((arg) => arg.startsWith('pipe:'))).toEqual(['pipe:0', 'pipe:1', 'pipe:3']);
    const silent = liveCommand(CAMERA, { video: 'copy', audio: 'off' }, 5).args;
    expect(silent.filter((arg) => arg.startsWith('pipe:'))).toEqual(['pipe:0', 'pipe:1']);
    expect(silent).not.toContain('0:a:0');
  });

  it('bridges jumps of the camera’s clock in all that is encoded, and in copies where the version can', () => {
    const encode = { video: 'encode', audio: 'encode' } as const;
    const copy = { video: 'copy', audio: 'copy' } as const;
    for (const major of [4, 5, 7]) {
      const { args } = liveCommand(CAMERA, encode, major);
      expect(optionOf(args, '-vf')).toMatch(/^setpts='.*',scale=/);
      expect(optionOf(args, '-af')).toMatch(/^asetpts='.*',aresample=/);
    }
    for (const option of ['-bsf:v', '-bsf:a']) {
      expect(optionOf(liveCommand(CAMERA, copy, 5).args, option)).toMatch(/^setts=pts='.*':dts='.*'$/);
      expect(optionOf(liveCommand(CAMERA, copy, 4).args, option)).toBeUndefined();
    }
  });

  it('names options as the version at hand does', () => {
    const encode = { video: 'encode', audio: 'off' } as const;
    expect(liveCommand(CAMERA, encode, 4).args).toContain('-vsync');
    expect(liveCommand(CAMERA, encode, 7).args).toContain('-fps_mode');
  });
});

describe('cameraScript', () => {
  const { url } = CAMERA;
  it('quotes the URL as ffmpeg unquotes it', () => {
    expect(cameraScript(url, 'tcp', 5).split('\n').slice(0, 3)).toEqual([
      'ffconcat version 1.0',
      `file '${url.reveal().replaceAll("'", "'\\''")}'`,
      'option rtsp_transport tcp',
    ]);
  });

  it('cannot be given a second line by a URL', () => {
    const evil = new CredentialUrl("rtsp://h/a'\noption x y\nfile '/etc/passwd");
    expect(cameraScript(evil, 'tcp', 5).match(/^file /gm)).toHaveLength(1);
  });

  it.each([
    ['auto', 5, 'option rtsp_flags prefer_tcp'],
    ['udp', 5, 'option rtsp_transport udp'],
    ['multicast', 5, 'option rtsp_transport udp_multicast'],
    ['http', 5, 'option rtsp_transport http'],
  ] as const)('asks for transport %s from ffmpeg %i with %s', (transport, major, text) => {
    expect(cameraScript(url, transport, major)).toContain(text);
  });
});

describe('cameraScript for an ffmpeg whose scripts carry no options', () => {
  it('is the URL as it is', () => {
    const file = `file '${CAMERA.url.reveal().replaceAll("'", "'\\''")}'`;
    for (const transport of ['auto', 'tcp', 'udp'] as const) {
      expect(cameraScript(CAMERA.url, transport, 4)).toBe(`ffconcat version 1.0\n${file}\n`);
    }
  });
});

const PICTURE = { widthPx: 640, heightPx: 360, crop: null, frameIndex: 0, isDeblocked: true, jpeg: null };

describe('pictureCommand', () => {
  it('reads one picture from its input, of any name, and nothing else', () => {
    const { args, stdin } = pictureCommand(PICTURE, 5);
    expect(stdin).toBeNull();
    expect([
      optionOf(args, '-protocol_whitelist'),
      optionOf(args, '-frames:v'),
      optionOf(args, '-i'),
    ]).toEqual(['pipe', '1', 'pipe:0']);
    expect(optionOf(args, '-vf')).toMatch(/^scale=640:360:/);
  });

  it('decodes it once, where ffmpeg knows the option', () => {
    expect(pictureCommand(PICTURE, 5).args).toContain('-nofind_stream_info');
    expect(pictureCommand(PICTURE, 4).args).not.toContain('-nofind_stream_info');
  });

  it('makes it a JPEG with the tables that it is given, unscaled', () => {
    const jpeg = { luminance: [8, 6, 5], chrominance: [8, 9] };
    const { args } = pictureCommand({ ...PICTURE, jpeg }, 5);
    expect([
      optionOf(args, '-c:v'),
      optionOf(args, '-q:v'),
      optionOf(args, '-intra_matrix'),
      optionOf(args, '-chroma_intra_matrix'),
    ]).toEqual(['mjpeg', '8', '8,6,5', '8,9']);
    expect(optionOf(args, '-vf')).toMatch(/:out_color_matrix=bt601:out_range=pc$/);
    expect(optionOf(pictureCommand(PICTURE, 5).args, '-c:v')).toBe('rawvideo');
  });
});
