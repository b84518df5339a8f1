/** `sluice serve`: runs the gateway until a signal ends it. */

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../core/clock.ts';
import { toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { keepNewSpaceSmall } from '../../core/new-space.ts';
import type { Secret } from '../../core/secret.ts';
import { LogMemory } from '../../system/log-memory.ts';
import type { MadeKeys } from '../config/bootstrap-keys.ts';
import { CONSOLE_LINK_FILE, FIRST_KEYS_FILE } from '../config/data-folder.ts';
import { type LoadedConfig, loadConfigText } from '../config/load-config.ts';
import { createLog } from '../process/logging.ts';
import { untilSignal } from '../process/signals.ts';
import { type Gateway, startGateway } from '../stages/gateway.ts';
import type { Command } from './command.ts';
import { parseOptions } from './command-options.ts';

const HELP = `sluice serve: run the gateway

Reads the configuration, opens the two listeners (API and media), and serves until it gets SIGINT or SIGTERM; it then
stops within ten seconds. SIGHUP reads the file again and applies cameras, NVRs, locations, the log level and retention;
viewers of cameras that did not change notice nothing. An invalid file changes nothing. SIGHUP also reads certificates
again, and orders one again that an ACME server did not issue.

Settings that were edited in the console take precedence over the file, and the environment over both. If the gateway
cannot start with the settings of the console, it logs that and starts with the file alone. With
--ignore-console-settings, it does not use them: correct them in the console, which restarts the gateway with them.

If no camera is configured, it starts a demo camera and prints a link that plays it. Until someone has signed in to the
console, it prints a link that does; without a terminal, the link is in console-link.txt in the data folder.

Options
  --config FILE              configuration file (default: SLUICE_CONFIG, or ./sluice.yaml if it exists)
  --ignore-console-settings  start with the file alone

Examples
  sluice serve
  SLUICE_LISTEN_MEDIA=0.0.0.0:8081 sluice serve --config /etc/sluice/sluice.yaml
`;

const OPTIONS = {
  config: { type: 'string' },
  'ignore-console-settings': { type: 'boolean', default: false },
} as const;
/** A gateway that has not stopped by then is ended: nothing that was acknowledged can be lost. */
export const SHUTDOWN_MS = 9_500;

async function run(args: string[]): Promise<number> {
  const { values } = parseOptions('serve', args, OPTIONS);
  keepNewSpaceSmall();
  const load = () =>
    loadConfigText({ env: process.env, ...(values.config === undefined ? {} : { path: values.config }) });
  const memory = new LogMemory();
  const first = load();
  const log = createLog({ ...first.config.log, onLine: (line) => memory.add('gateway', line) });
  const isWithoutConsole = values['ignore-console-settings'];
  let ended: Promise<NodeJS.Signals> | null = null;
  let running: Gateway | null = null;
  const reload = () => {
    if (running !== null) void reloadConfig(running, log);
  };
  for (let loaded = first; ; loaded = reloaded(load, loaded, log)) {
    log.setLevel(loaded.config.log.level);
    const restart = Promise.withResolvers<'restart'>();
    const gateway = await startGateway({
      config: loaded.config,
      env: process.env,
      clock: systemClock,
      log,
      logControl: { memory, setLevel: (level) => log.setLevel(level) },
      configSource: loaded.source,
      onRestart: () => restart.resolve('restart'),
      // A restart in the console is meant to try them again.
      ...(isWithoutConsole && loaded === first ? { ignoredSettings: { reason: 'option', detail: '' } } : {}),
    });
    running = gateway;
    if (ended === null) process.on('SIGHUP', reload);
    printWelcome(gateway, loaded.config.data);
    log.info({ apiUrl: gateway.apiUrl, mediaUrl: gateway.mediaUrl, node: process.version }, 'ready');
    ended ??= untilSignal();
    const signal = await Promise.race([ended, restart.promise]);
    running = null;
    log.info({ signal }, signal === 'restart' ? 'restarting' : 'stopping');
    await stop(gateway, log);
    if (signal !== 'restart') break;
  }
  log.info({}, 'stopped');
  return 0;
}

async function stop(gateway: Gateway, log: Log): Promise<void> {
  const timer = setTimeout(() => {
    log.error({ afterMs: SHUTDOWN_MS }, 'shutdown timed out');
    process.exit(1);
  }, SHUTDOWN_MS).unref();
  await gateway.close();
  clearTimeout(timer);
}

/** The file as it is now. If it became invalid after it was checked for the restart, the last one counts. */
function reloaded(load: () => LoadedConfig, last: LoadedConfig, log: Log): LoadedConfig {
  try {
    return load();
  } catch (thrown) {
    log.error({ err: toGatewayError(thrown) }, 'configuration not reloaded');
    return { ...last };
  }
}

/** The gateway logs a reload that works. */
async function reloadConfig(gateway: Gateway, log: Log): Promise<void> {
  try {
    await gateway.reload();
  } catch (thrown) {
    log.error({ err: toGatewayError(thrown) }, 'configuration not reloaded');
  }
}

/** Text for the person at the terminal; the log contains the same for machines, without keys. */
function printWelcome(gateway: Gateway, folder: string): void {
  const lines = [
    '',
    `  API        ${gateway.apiUrl}/api/openapi/`,
    ...handOverLink(gateway.consoleLink, join(folder, CONSOLE_LINK_FILE)),
    ...handOverKeys(keyLines(gateway.madeKeys), join(folder, FIRST_KEYS_FILE)),
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

/** Anyone who has the link is an admin: like the keys, it is shown to a person and does not go to a log. */
function handOverLink(link: Secret | null, file: string): readonly string[] {
  // That of an earlier start.
  rmSync(file, { force: true });
  if (link === null) return [];
  if (process.stdout.isTTY) return [`  Console    ${link.reveal()}`, '             works once, for 24 hours'];
  writeFileSync(file, `${link.reveal()}\n`, { mode: 0o600 });
  return [`  Console    in ${file}: a link that works once, for 24 hours`];
}

export const serveCommand: Command = { help: HELP, run };
