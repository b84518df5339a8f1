/** ffmpeg as an encoder that pushes RTMP: a test picture and a tone, in real time. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { endingWithParent } from './ends-with-parent.ts';

export interface EncoderOptions {
  /** The ffmpeg that encodes; default: the system's. */
  readonly program?: string;
  /** Default: H.264. H.265 needs a program that pushes enhanced RTMP. */
  readonly video?: 'h264' | 'h265';
  /** Default: AAC at 48 kHz. */
  readonly audio?: 'aac' | 'pcm_alaw' | 'pcm_mulaw' | 'mp3' | 'none';
  readonly size?: string;
  readonly bFrames?: number;
  /** Each picture shows its number (src/synthetic-camera/frame-number-strip.ts), up to 65,535. */
  readonly isNumbered?: boolean;
}

/** Eighteen blocks that are white by the number of the frame: always, for each bit, and for even parity. */
const BITS = Array.from({ length: 16 }, (_, at) => `gt(bitand(n,${1 << (15 - at)}),0)`);
const WHITE = ['1', ...BITS, `eq(mod(${BITS.join('+')},2),0)`];
const block = (at: number, color: string, more = '') =>
  `drawbox=x=iw*${at}/18:y=0:w=iw/18+1:h=ih/12:color=${color}:t=fill${more}`;
const NUMBERING = [
  'drawbox=x=0:y=0:w=iw:h=ih/12:color=black:t=fill',
  ...WHITE.map((isWhite, at) => block(at, 'white', `:enable='${isWhite}'`)),
].join(',');

const AUDIO_RATES: Readonly<Record<string, number>> = {
  aac: 48_000,
  pcm_alaw: 8_000,
  pcm_mulaw: 8_000,
  mp3: 44_100,
};

/** x265 prints to standard error on its own. */
const X265_QUIET = ['-x265-params', 'log-level=error:open-gop=0:pools=1:frame-threads=1'];

export class RtmpEncoder {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  /** ffmpeg's complaints. */
  errors = '';

  constructor(url: string, options: EncoderOptions = {}) {
    const { program = 'ffmpeg', video = 'h264', audio = 'aac', size = '320x180', bFrames = 0 } = options;
    const drawn = options.isNumbered === true ? ['-vf', NUMBERING] : [];
    const sound = ['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=${AUDIO_RATES[audio] ?? 0}`];
    const args = [
      ...['-nostdin', '-v', 'error', '-re', '-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=25`],
      ...(audio === 'none' ? [] : ['-re', ...sound, '-c:a', audio, '-ac', '1']),
      ...drawn,
      ...(video === 'h264' ? ['-c:v', 'libx264', '-threads', '1'] : ['-c:v', 'libx265', ...X265_QUIET]),
      ...['-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '25', '-bf', `${bFrames}`],
      ...['-b:v', '400k', '-f', 'flv', url],
    ];
    this.#child = spawn(...endingWithParent(program, args), { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#exited = once(this.#child, 'exit');
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.errors = (this.errors + chunk.toString()).slice(-4_096);
    });
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** `SIGKILL`: as if the device lost its power, except that the kernel closes its connection. */
  async end(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (this.isRunning) this.#child.kill(signal);
    await this.#exited;
  }

  /** `SIGSTOP`: nothing comes any more, and nothing says so. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}
