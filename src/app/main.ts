#!/usr/bin/env node
/** The command line: finds the command, prints help that teaches, turns failures into one readable line and an exit code. */

import { GatewayError } from '../core/errors.ts';
import type { Command } from './command.ts';
import { describeError } from './logging.ts';

const HELP = `sluice: a media gateway for security cameras

Usage: sluice <command> [options]

  serve            run the gateway: cameras in, shared links out
  camera           run a synthetic RTSP camera to try things with
  keys             make, list and revoke API keys
  import           take in reports of devices from a file of JSON lines
  check            validate the configuration, probe the database and every camera

Options of every command
  --config FILE    configuration (default: SLUICE_CONFIG, else ./sluice.yaml when it exists)
  --help           help for the command

Every key of the configuration can also come from the environment:
listen.media is SLUICE_LISTEN_MEDIA. The environment wins over the file.

Try it:  sluice serve            (without any camera it starts a demo camera and prints a link)
`;

/** Loaded when chosen: `sluice --help` should not wait for a media stack. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./command-serve.ts')).serveCommand,
  camera: async () => (await import('./command-camera.ts')).cameraCommand,
  keys: async () => (await import('./command-keys.ts')).keysCommand,
  import: async () => (await import('./command-import.ts')).importCommand,
  check: async () => (await import('./command-check.ts')).checkCommand,
};

const EXIT_USAGE = 2;

async function main(argv: string[]): Promise<number> {
  const [name, ...args] = argv;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(HELP);
    return name === undefined ? EXIT_USAGE : 0;
  }
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load === undefined) {
    process.stderr.write(`Unknown command "${name}". Commands: ${Object.keys(COMMANDS).join(', ')}.\n`);
    return EXIT_USAGE;
  }
  const command = await load();
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(command.help);
    return 0;
  }
  return command.run(args);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (thrown) {
  if (isUsageError(thrown)) {
    process.stderr.write(`${thrown.message}\nSee sluice --help.\n`);
    process.exitCode = EXIT_USAGE;
  } else if (thrown instanceof GatewayError && thrown.kind !== 'internal') {
    process.stderr.write(`${explain(thrown)}\n`);
    process.exitCode = 1;
  } else {
    process.stderr.write(`${JSON.stringify(describeError(thrown), null, 2)}\n`);
    process.exitCode = 1;
  }
}

function isUsageError(thrown: unknown): thrown is Error {
  return (
    thrown instanceof TypeError && String((thrown as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')
  );
}

/** `message (code; key: value …)` in one line. */
function explain(error: GatewayError): string {
  const fields = Object.entries(error.context).map(([key, value]) => `${key}: ${value}`);
  return `${error.message} (${[error.code, ...fields].join('; ')})`;
}
