/** `sluice console-link`: a link that signs someone in to the console, for the first person and for lost passwords. */

import { systemClock } from '../../core/clock.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { Store } from '../../store/store.ts';
import { applyConfig } from '../config/apply-config.ts';
import { openConfiguredStore } from '../config/configured-store.ts';
import { consoleConfig } from '../config/console-config.ts';
import { DEFAULT_ORG_UUID } from '../config/default-organizations.ts';
import { loadConfigText } from '../config/load-config.ts';
import { loadSecrets } from '../config/secrets.ts';
import { localUrl } from '../process/listening.ts';
import { newConsoleLink } from '../stages/console-link.ts';
import type { Command } from './command.ts';
import { parseOptions } from './command-options.ts';
import { optionError } from './option-values.ts';

const HELP = `sluice console-link: print a link that signs someone in to the console

The link works once, for 24 hours. It signs in the first admin; if there are no people yet, it adds one. Anyone who has
the link can use it: give it only to that person. Someone who signs in with it can set a new password.

Options
  --config FILE    configuration file; it sets the data folder, the database and the address of the API
  --email ADDRESS  sign in this person instead of the first admin

Example
  sluice console-link --email ada@example.com
`;

/** More than have someone with the same address. */
const MAX_ORGANIZATIONS = 1_000;
const OPTIONS = { config: { type: 'string' }, email: { type: 'string' } } as const;

async function run(args: string[]): Promise<number> {
  const { values } = parseOptions('console-link', args, OPTIONS);
  const { config: ofFile, source } = loadConfigText({
    env: process.env,
    ...(values.config === undefined ? {} : { path: values.config }),
  });
  const { fieldKey } = loadSecrets(ofFile.data, process.env);
  const store = await openConfiguredStore(ofFile, fieldKey, systemClock);
  try {
    await applyConfig(store, ofFile, systemClock);
    // As the gateway starts: with the address of the console, if someone set it there.
    const config = (await consoleConfig({ store, config: ofFile, source, env: process.env })).config;
    const personUuid = values.email === undefined ? null : await personWith(store, values.email);
    const { host, port } = config.listen.api;
    const apiUrl = config.public.apiUrl ?? localUrl(host, port, config.tls.api.cert !== null);
    const link = await newConsoleLink({ store, clock: systemClock, apiUrl }, personUuid);
    process.stdout.write(`${link.reveal()}\n`);
    process.stderr.write('The link works once, for 24 hours.\n');
  } finally {
    await store.close();
  }
  return 0;
}

/** Fails CLI_OPTION_INVALID. */
async function personWith(store: Store, email: string): Promise<Ruuid> {
  const people = await store.people.listByEmail(email, MAX_ORGANIZATIONS);
  const person = people.find(({ orgUuid }) => orgUuid === DEFAULT_ORG_UUID);
  if (person === undefined) throw optionError('--email', email, 'the email address of a person');
  return person.uuid;
}

export const consoleLinkCommand: Command = { help: HELP, run };
