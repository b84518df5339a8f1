/** `sluice import`: imports what devices and integrations reported, from a file of JSON lines. */

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { INGEST_KINDS } from '../../api/ingest-kinds.ts';
import { systemClock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { isRuuid, type Ruuid } from '../../core/ruuid.ts';
import { type ImportTotals, importLines, type LineProblem } from '../../ingest/import-lines.ts';
import { readJsonLines } from '../../ingest/json-lines.ts';
import type { Store } from '../../store/store.ts';
import { openConfiguredStore } from '../config/configured-store.ts';
import { DEFAULT_ORG_UUID } from '../config/default-organizations.ts';
import { loadConfig } from '../config/load-config.ts';
import { loadSecrets } from '../config/secrets.ts';
import { APP_ERRORS } from '../process/errors.ts';
import type { Command } from './command.ts';
import { parseOptions } from './command-options.ts';
import { optionError } from './option-values.ts';

/** How many refused lines are printed; the rest are counted. */
const MAX_PRINTED_PROBLEMS = 20;

const HELP = `sluice import: import device reports from a file of JSON lines

  sluice import FILE [--org UUID]

Each line is a JSON object with the fields of a row of POST /api/ingest/… (docs/reference/api.md), and a "kind",
one of
${INGEST_KINDS.map(({ name, summary }) => `  ${name.padEnd(20)}  ${summary}`).join('\n')}

Invalid lines are reported and skipped. Importing a file again stores nothing twice. The gateway can be running.
The exit code is 1 if a line was refused.

Options
  --config FILE    configuration file; it sets the data folder and the database
  --org UUID       organization that the reports belong to (default: the configuration's)

Example
  sluice import crossings.jsonl
`;

const OPTIONS = {
  config: { type: 'string' },
  org: { type: 'string', default: DEFAULT_ORG_UUID },
} as const;

async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseOptions('import', args, OPTIONS, 'some');
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) throw optionError('import', positionals.join(' '), 'one file');
  if (!isRuuid(values.org)) throw optionError('--org', values.org, 'the UUID of an organization');
  const fileBytes = await sizeOf(file);
  const config = loadConfig({
    env: process.env,
    ...(values.config === undefined ? {} : { path: values.config }),
  });
  const { fieldKey } = loadSecrets(config.data, process.env);
  const store = await openConfiguredStore(config, fieldKey, systemClock);
  try {
    return await importFile(store, values.org, file, fileBytes);
  } finally {
    await store.close();
  }
}

async function importFile(store: Store, orgUuid: Ruuid, file: string, fileBytes: number): Promise<number> {
  if ((await store.organizations.find(orgUuid)) === null) {
    throw optionError('--org', orgUuid, 'the UUID of an organization in this database');
  }
  let readBytes = 0;
  async function* chunks(): AsyncGenerator<Buffer> {
    for await (const chunk of createReadStream(file)) {
      readBytes += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
  }
  let problems = 0;
  const showProgress = progressLine(() => (fileBytes === 0 ? 1 : readBytes / fileBytes));
  const totals = await importLines({
    lines: readJsonLines(chunks()),
    kinds: INGEST_KINDS,
    context: { orgUuid, store, nowMs: systemClock.epochMs() },
    onProgress: showProgress,
    onProblem: (problem) => {
      problems += 1;
      if (problems <= MAX_PRINTED_PROBLEMS) printProblem(file, problem);
    },
    onWarning: (sentence) =>
      void process.stderr.write(`${process.stderr.isTTY ? '\r\x1b[K' : ''}${sentence}\n`),
  });
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  if (problems > MAX_PRINTED_PROBLEMS) {
    process.stderr.write(`… and ${(problems - MAX_PRINTED_PROBLEMS).toLocaleString('en')} more.\n`);
  }
  process.stdout.write(`${summary(totals)}\n`);
  return totals.rejected === 0 ? 0 : 1;
}

/** Fails with IMPORT_FILE_UNREADABLE. */
async function sizeOf(file: string): Promise<number> {
  try {
    const stats = await stat(file);
    if (stats.isFile() || stats.isFIFO()) return stats.size;
  } catch (cause) {
    throw new GatewayError(APP_ERRORS.IMPORT_FILE_UNREADABLE, { file }, cause);
  }
  throw new GatewayError(APP_ERRORS.IMPORT_FILE_UNREADABLE, { file });
}

/** One line that is overwritten, on a terminal only. */
function progressLine(shareRead: () => number): (totals: ImportTotals) => void {
  if (!process.stderr.isTTY) return () => undefined;
  return (totals) => {
    const percent = Math.min(100, Math.floor(shareRead() * 100));
    process.stderr.write(`\r\x1b[K${percent}%  ${summary(totals)}`);
  };
}

function printProblem(file: string, { lineNumber, reason }: LineProblem): void {
  const clear = process.stderr.isTTY ? '\r\x1b[K' : '';
  process.stderr.write(`${clear}${file}:${lineNumber}: ${reason}\n`);
}

function summary({ lines, accepted, duplicates, updates, rejected }: ImportTotals): string {
  const count = (value: number) => value.toLocaleString('en');
  const noun = lines === 1 ? 'line' : 'lines';
  const counts = [`${count(accepted)} stored`, `${count(duplicates)} already known`];
  if (updates > 0) counts.push(`${count(updates)} changed what was stored`);
  return `${count(lines)} ${noun}: ${counts.join(', ')}, ${count(rejected)} refused`;
}

export const importCommand: Command = { help: HELP, run };
