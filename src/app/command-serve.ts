/** `sluice serve`: runs the gateway until it is told to stop. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { keepNewSpaceSmall } from '../core/new-space.ts';
import type { Command } from './command.ts';
import { parseOptions } from './command-options.ts';
import type { MadeKeys } from './config/bootstrap-keys.ts';
import { loadConfig } from './config/load-config.ts';
import type { Config } from './config/schema.ts';
import { FIRST_KEYS_FILE } from './data-folder.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { createLog } from './logging.ts';
import { untilSignal } from './signals.ts';

const HELP = `sluice serve: run the gateway

Reads the configuration, opens the two listeners (API and media), and serves until it gets SIGINT or SIGTERM; it then
stops within ten seconds. SIGHUP reloads cameras, NVRs and locations from the file; viewers of cameras that did not
change notice nothing.

If no camera is configured, it starts a demo camera and prints a link that plays it.

Options
  --config FILE    configuration file (default: SLUICE_CONFIG, or ./sluice.yaml if it exists)

Examples
  sluice serve
  SLUICE_LISTEN_MEDIA=0.0.0.0:8081 sluice serve --config /etc/sluice/sluice.yaml
`;

const OPTIONS = { config: { type: 'string' } } as const;
/** A gateway that has not stopped by then is ended: nothing that was acknowledged can be lost. */
const SHUTDOWN_MS = 9_500;

async function run(args: string[]): Promise<number> {
  const { values } = parseOptions('serve', args, OPTIONS);
  keepNewSpaceSmall();
  const read = (): Config =>
    loadConfig({ env: process.env, ...(values.config === undefined ? {} : { path: values.config }) });
  const config = read();
  const log = createLog(config.log);
  const gateway = await startGateway({ config, env: process.env, clock: systemClock, log });
  const reload = () => void reloadCameras(gateway, read, log);
  process.on('SIGHUP', reload);
  printWelcome(gateway, join(config.data, FIRST_KEYS_FILE));
  log.info({ apiUrl: gateway.apiUrl, mediaUrl: gateway.mediaUrl, node: process.version }, 'ready');
  const signal = await untilSignal();
  process.removeListener('SIGHUP', reload);
  log.info({ signal }, 'stopping');
  setTimeout(() => {
    log.error({ afterMs: SHUTDOWN_MS }, 'shutdown timed out');
    process.exit(1);
  }, SHUTDOWN_MS).unref();
  await gateway.close();
  log.info({}, 'stopped');
  return 0;
}

async function reloadCameras(gateway: Gateway, read: () => Config, log: Log): Promise<void> {
  try {
    log.info({ ...(await gateway.reload(read())) }, 'configuration reloaded');
  } catch (thrown) {
    log.error({ err: toGatewayError(thrown) }, 'configuration not reloaded, nothing changed');
  }
}

/** For the person at the terminal; the log says the same for machines, without keys. */
function printWelcome(gateway: Gateway, keysFile: string): void {
  const lines = [
    '',
    `  API        ${gateway.apiUrl}/api/openapi/`,
    ...handOverKeys(keyLines(gateway.madeKeys), keysFile),
    ...(gateway.demoPageUrl === null ? [] : [`  Demo link  ${gateway.demoPageUrl}`]),
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

function keyLines({ apiKey, partnerApiKey }: MadeKeys): string[] {
  return [
    ...(apiKey === null ? [] : [`  API key    ${apiKey.reveal()}`]),
    ...(partnerApiKey === null ? [] : [`  Partner    ${partnerApiKey.reveal()}`]),
  ];
}

/** New keys are shown to a person once; if standard output is a service's log, they go to a file instead. */
function handOverKeys(lines: readonly string[], file: string): readonly string[] {
  if (lines.length === 0) return [];
  if (process.stdout.isTTY) return [...lines, '             shown only once'];
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  return [`  API keys   in ${file}: store them somewhere safe and delete the file`];
}

export const serveCommand: Command = { help: HELP, run };
