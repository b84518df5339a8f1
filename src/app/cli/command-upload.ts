/** `sluice upload`: hands clips over to a gateway, for recorders that can run a command. */

import { readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { systemClock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { parseDeviceFacetUuid } from '../../core/ruuid.ts';
import { Secret } from '../../core/secret.ts';
import { sha256OfFile, type UploadProgress, uploadFile } from '../../uploads/clip-upload.ts';
import { APP_ERRORS } from '../process/errors.ts';
import type { Command } from './command.ts';
import { parseOptions } from './command-options.ts';
import { integerOption, optionError } from './option-values.ts';

const KEY_VARIABLE = 'SLUICE_UPLOAD_KEY';
const BAR_CHARS = 24;
const MB = 1_000_000;
/** Interval between two lines of progress without a terminal. */
const LINE_INTERVAL_MS = 10_000;

const HELP = `sluice upload: hand a clip over to a gateway

  sluice upload FILE --url URL --camera UUID --start TIME [--clip-id ID] [--title TEXT]

Sends the file to the gateway's media listener and waits until the clip is in the camera's recordings. A connection
that breaks is made again, and only what is missing is sent. If you run the command again after it was interrupted, it
goes on; if the clip is already there, it ends at once. The exit code is 0 when the clip is in the recordings, 1 when it
is not, and 3 when the gateway refused it: sending the same file again will not help.

The key comes from ${KEY_VARIABLE} or from a file, never from the command line, where others can read it.

Options
  --url URL         base URL of the gateway's media listener
  --camera UUID     the camera that the clip shows
  --start TIME      when the clip begins: epoch milliseconds, or ISO 8601 with a time zone
  --clip-id ID      your name for the clip (default: the file's name); the same ID is the same clip
  --title TEXT      the title that people see
  --key-file FILE   a file that contains the API key
  --scheme SCHEME   api-token (default) or device, depending on the key
  --retry-for SECS  how long to try again while nothing gets through (default 600)
  --no-checksum     do not send the file's SHA-256

Example
  ${KEY_VARIABLE}=slc_… sluice upload gate.mp4 --url https://video.example.com \\
    --camera qqqqqqqqqqqqqqqqqqqqqQ --start 2026-03-29T02:30:00Z
`;

const OPTIONS = {
  url: { type: 'string' },
  camera: { type: 'string' },
  start: { type: 'string' },
  'clip-id': { type: 'string' },
  title: { type: 'string', default: '' },
  'key-file': { type: 'string' },
  scheme: { type: 'string', default: 'api-token' },
  'retry-for': { type: 'string', default: '600' },
  'no-checksum': { type: 'boolean', default: false },
} as const;

const SCHEMES: readonly string[] = ['api-token', 'device'];
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;
/** The gateway refuses the clip, whatever is done again. */
const EXIT_REFUSED = 3;

async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseOptions('upload', withCamera(args), OPTIONS, 'some');
  const [path, ...others] = positionals;
  if (path === undefined || others.length > 0) throw optionError('upload', positionals.join(' '), 'one file');
  const { scheme } = values;
  if (!SCHEMES.includes(scheme)) throw optionError('--scheme', scheme, 'api-token or device', SCHEMES);
  const endpoint = endpointOf(values.url ?? '');
  const metadata = {
    clipId: values['clip-id'] ?? basename(path),
    cameraUuid: cameraOf(values.camera ?? ''),
    timestampMs: String(startOf(values.start ?? '')),
    title: values.title,
    filetype: path.endsWith('.mp4') ? 'video/mp4' : 'application/octet-stream',
  };
  const giveUpMs = integerOption('--retry-for', values['retry-for'], 0, 86_400) * 1_000;
  const key = readKey(values['key-file']);
  const file = await openClip(path);
  // Waiting between two attempts does not keep the process alive.
  const keepAlive = setInterval(() => undefined, 2 ** 30);
  const display = process.stderr.isTTY ? new ProgressBar() : new ProgressLines();
  try {
    const sum = values['no-checksum'] ? {} : { sha256: await sha256OfFile(file) };
    const outcome = await uploadFile({
      endpoint,
      key,
      scheme,
      file,
      giveUpMs,
      clock: systemClock,
      metadata: { ...metadata, ...sum },
      onProgress: (progress) => display.show(progress),
    });
    display.end();
    if (outcome.isDone) {
      process.stdout.write(`${path}: in the recordings of ${metadata.cameraUuid}\n`);
      return 0;
    }
    process.stderr.write(`${path}: ${outcome.reason}\n`);
    return outcome.isRefused ? EXIT_REFUSED : 1;
  } finally {
    display.end();
    clearInterval(keepAlive);
    await file.close();
  }
}

/** A UUID can begin with a dash, which would look like an option. */
function withCamera(args: readonly string[]): string[] {
  const at = args.indexOf('--camera');
  const uuid = args[at + 1];
  if (at < 0 || uuid === undefined || parseDeviceFacetUuid(uuid) === null) return [...args];
  return args.toSpliced(at, 2, `--camera=${uuid}`);
}

function endpointOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw optionError('--url', text, "the base URL of the gateway's media listener");
  }
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return new URL('upload/clips', url);
}

function cameraOf(text: string): string {
  const uuid = parseDeviceFacetUuid(text)?.uuid;
  if (uuid === undefined) throw optionError('--camera', text, 'the UUID of a camera');
  return uuid;
}

function startOf(text: string): number {
  const ms = /^\d{10,15}$/.test(text) ? Number(text) : ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms))
    throw optionError('--start', text, 'epoch milliseconds, or a time like 2026-03-29T02:30:00Z');
  return ms;
}

/** Fails UPLOAD_KEY_MISSING. */
function readKey(keyFile: string | undefined): Secret {
  const text = keyFile === undefined ? process.env[KEY_VARIABLE] : readKeyFile(keyFile);
  const key = (text ?? '').trim();
  if (key === '' || /\s/.test(key))
    throw new GatewayError(APP_ERRORS.CLI_UPLOAD_KEY_MISSING, { variable: KEY_VARIABLE });
  return new Secret(key);
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new GatewayError(APP_ERRORS.CLI_UPLOAD_FILE_UNREADABLE, { file }, cause);
  }
}

async function openClip(path: string): Promise<FileHandle> {
  try {
    const file = await open(path, 'r');
    if ((await file.stat()).isFile()) return file;
    await file.close();
  } catch (cause) {
    throw new GatewayError(APP_ERRORS.CLI_UPLOAD_FILE_UNREADABLE, { file: path }, cause);
  }
  throw new GatewayError(APP_ERRORS.CLI_UPLOAD_FILE_UNREADABLE, { file: path });
}

/** One line that is overwritten. */
class ProgressBar {
  show(progress: UploadProgress): void {
    const { sentBytes, totalBytes } = progress;
    const filled = Math.round((BAR_CHARS * sentBytes) / totalBytes);
    const bar = '█'.repeat(filled) + '░'.repeat(BAR_CHARS - filled);
    process.stderr.write(`\r\u001b[K${bar} ${describe(progress)}`);
  }

  end(): void {
    process.stderr.write('\r\u001b[K');
  }
}

/** Progress for logs: a line when something changes, and every ten seconds. */
class ProgressLines {
  #stage = '';
  #shownMonoMs = Number.NEGATIVE_INFINITY;

  show(progress: UploadProgress): void {
    const nowMonoMs = systemClock.monoMs();
    if (progress.stage === this.#stage && nowMonoMs - this.#shownMonoMs < LINE_INTERVAL_MS) return;
    this.#stage = progress.stage;
    this.#shownMonoMs = nowMonoMs;
    process.stderr.write(`${describe(progress)}\n`);
  }

  end(): void {}
}

function describe({ stage, sentBytes, totalBytes, reason }: UploadProgress): string {
  const percent = Math.floor((100 * sentBytes) / totalBytes);
  const amount = `${percent}% of ${(totalBytes / MB).toFixed(1)} MB`;
  if (stage === 'waiting') return `${amount}, trying again: ${reason}`;
  return stage === 'importing' ? `${amount}, the gateway looks at the clip` : amount;
}

export const uploadCommand: Command = { help: HELP, run };
