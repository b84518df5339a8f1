#!/usr/bin/env node
/**
 * The command line: finds the command, prints help that teaches, and turns failures into one readable line and an
 * exit code.
 */

import { GatewayError } from '../core/errors.ts';
import type { Command } from './cli/command.ts';
import { didYouMean, UsageError } from './cli/command-options.ts';
import { APP_ERRORS } from './process/errors.ts';
import { describeError } from './process/logging.ts';
import { readVersion } from './process/version.ts';

const HELP = `sluice: a media gateway for security cameras

Usage: sluice <command> [options]

  serve            run the gateway: cameras in, share links out
  camera           run a synthetic RTSP camera for experiments
  keys             make, list and revoke API keys
  drain            give the cameras of a node of a cluster to other nodes
  console-link     print a link that signs someone in to the console
  import           import device reports from a file of JSON lines
  upload           hand a clip over to a gateway
  verify           check the archive of a sealed case
  check            validate the configuration; probe the database, Redis and every camera
  discover         find ONVIF cameras, and say where their streams are

Options for every command
  --config FILE    configuration file (default: SLUICE_CONFIG, or ./sluice.yaml if it exists)
  --help           help for the command

  sluice --version prints the version. The exit code is 2 if the command line is wrong, and 1 for any other failure.

You can also set every configuration key in the environment: listen.media is SLUICE_LISTEN_MEDIA. The environment
takes precedence over the file.

Try it:  sluice serve            (if no camera is configured, it starts a demo camera and prints a link)
`;

/** Loaded on demand: `sluice --help` should not wait for a media stack. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./cli/command-serve.ts')).serveCommand,
  camera: async () => (await import('./cli/command-camera.ts')).cameraCommand,
  keys: async () => (await import('./cli/command-keys.ts')).keysCommand,
  drain: async () => (await import('./cli/command-drain.ts')).drainCommand,
  'console-link': async () => (await import('./cli/command-console-link.ts')).consoleLinkCommand,
  import: async () => (await import('./cli/command-import.ts')).importCommand,
  upload: async () => (await import('./cli/command-upload.ts')).uploadCommand,
  verify: async () => (await import('./cli/command-verify.ts')).verifyCommand,
  check: async () => (await import('./cli/command-check.ts')).checkCommand,
  discover: async () => (await import('./cli/command-discover.ts')).discoverCommand,
};

/** The command line is wrong, as in most programs; 1 is for later failures. */
const EXIT_USAGE = 2;

const HELP_WORDS: readonly string[] = ['--help', '-h', 'help'];
const VERSION_WORDS: readonly string[] = ['--version', '-V', 'version'];

async function main(argv: string[]): Promise<number> {
  const [name, ...args] = argv;
  if (name === undefined) {
    process.stdout.write(HELP);
    return EXIT_USAGE;
  }
  if (VERSION_WORDS.includes(name)) {
    process.stdout.write(`sluice ${readVersion()}\n`);
    return 0;
  }
  if (HELP_WORDS.includes(name)) return help(args[0]);
  const command = await commandOf(name);
  if (args.includes('--help') || args.includes('-h')) return help(name);
  return command.run(args);
}

/** `command`: undefined for all of them. */
async function help(command: string | undefined): Promise<number> {
  process.stdout.write(command === undefined ? HELP : (await commandOf(command)).help);
  return 0;
}

/** Fails UsageError. */
function commandOf(name: string): Promise<Command> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load !== undefined) return load();
  const names = Object.keys(COMMANDS);
  if (name.startsWith('-')) {
    const closest = didYouMean(name.replace(/^-+/, ''), ['help', 'version'], '--');
    throw new UsageError(null, `Unknown option ${name} before the command.${closest}`);
  }
  throw new UsageError(
    null,
    `Unknown command "${name}".${didYouMean(name, names)} Commands: ${names.join(', ')}.`,
  );
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (thrown) {
  process.exitCode = fail(thrown);
}

/** One readable line, or several, and the exit code. */
function fail(thrown: unknown): number {
  if (thrown instanceof UsageError) {
    const command = thrown.command === null ? 'sluice' : `sluice ${thrown.command}`;
    process.stderr.write(`${thrown.message}\nSee ${command} --help.\n`);
    return EXIT_USAGE;
  }
  if (thrown instanceof GatewayError && thrown.kind !== 'internal') {
    process.stderr.write(`${explain(thrown)}\n`);
    if (thrown.code !== APP_ERRORS.CLI_OPTION_INVALID.code) return 1;
    process.stderr.write(`See sluice ${process.argv[2]} --help.\n`);
    return EXIT_USAGE;
  }
  process.stderr.write(`${JSON.stringify(describeError(thrown), null, 2)}\n`);
  return 1;
}

/** `message (code; key: value …)` in one line. */
function explain(error: GatewayError): string {
  const fields = Object.entries(error.context)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([key, value]) => `${key}: ${value}`);
  return `${error.message} (${[error.code, ...fields].join('; ')})`;
}
