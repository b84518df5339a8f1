/** Name resolvers that ask what this machine asks. */

import { promises as dns } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { systemClock } from '../core/clock.ts';
import { parseHosts, parseSearchRules } from './host-files.ts';
import { type AddressRecord, type LocalNames, NameResolver, type QueryAddresses } from './name-resolver.ts';
import { type QueryTexts, TextRecords } from './text-records.ts';

const HOSTS_FILE = '/etc/hosts';
const RESOLVER_FILE = '/etc/resolv.conf';
/** Timeout of one name server, and number of rounds. Together less than NAME_DEADLINE_MS. */
const SERVER_TIMEOUT_MS = 1_500;
const TRIES = 2;

/** One for each use whose names must not delay those of others. */
export function machineNameResolver(): NameResolver {
  return new NameResolver({
    clock: systemClock,
    query: queryOf(new dns.Resolver({ timeout: SERVER_TIMEOUT_MS, tries: TRIES })),
    readLocalNames,
    lookUpLocally: async (name) =>
      (await dns.lookup(name, { all: true })).map(({ address, family }) => ({
        address,
        family: family === 6 ? 6 : 4,
      })),
  });
}

/** TXT records, from the machine's name servers. */
export function machineTextRecords(): TextRecords {
  return new TextRecords({
    clock: systemClock,
    query: textQueryOf(new dns.Resolver({ timeout: SERVER_TIMEOUT_MS, tries: TRIES })),
  });
}

export function textQueryOf(resolver: dns.Resolver): QueryTexts {
  return (name) => resolver.resolveTxt(name);
}

/** `resolver`: with whatever servers it has. */
export function queryOf(resolver: dns.Resolver): QueryAddresses {
  return async (name, family): Promise<AddressRecord[]> => {
    const records =
      family === 4
        ? await resolver.resolve4(name, { ttl: true })
        : await resolver.resolve6(name, { ttl: true });
    return records.map(({ address, ttl }) => ({ address, ttlSec: ttl }));
  };
}

/** A file that is missing says nothing. */
async function readLocalNames(): Promise<LocalNames> {
  const [hosts, rules] = await Promise.all([HOSTS_FILE, RESOLVER_FILE].map(textOf));
  return { hosts: parseHosts(hosts!), search: parseSearchRules(rules!) };
}

function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}
