/** Parses hosts(5) and resolv.conf(5). Lines that make no sense are skipped, as the system skips them. */

import { isIP } from 'node:net';

/** Without "ndots": how many dots a name must have to be tried as it is first. */
const DEFAULT_DOTS = 1;
const MAX_DOTS = 15;
/** glibc has no limit; a list that long is a mistake. */
const MAX_SEARCH_DOMAINS = 32;

/** Addresses by name in lower case. */
export type HostTable = ReadonlyMap<string, readonly string[]>;

export interface SearchRules {
  readonly domains: readonly string[];
  readonly dots: number;
}

export function parseHosts(text: string): HostTable {
  const table = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = wordsOf(line);
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      const addresses = table.get(key);
      if (addresses === undefined) table.set(key, [address]);
      else addresses.push(address);
    }
  }
  return table;
}

/** The last "search" or "domain" counts. */
export function parseSearchRules(text: string): SearchRules {
  let domains: readonly string[] = [];
  let dots = DEFAULT_DOTS;
  for (const line of text.split('\n')) {
    const [keyword, ...values] = wordsOf(line);
    if (keyword === 'search') domains = values.slice(0, MAX_SEARCH_DOMAINS);
    else if (keyword === 'domain') domains = values.slice(0, 1);
    else if (keyword === 'options') dots = dotsOf(values) ?? dots;
  }
  return { domains: domains.map((domain) => domain.replace(/\.+$/u, '')).filter(Boolean), dots };
}

/** The names to ask for, in order. */
export function searchedNames(name: string, { domains, dots }: SearchRules): readonly string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)];
  const searched = domains.map((domain) => `${name}.${domain}`);
  const hasDots = name.split('.').length - 1 >= dots;
  return hasDots ? [name, ...searched] : [...searched, name];
}

function dotsOf(options: readonly string[]): number | null {
  const value = options.findLast((option) => option.startsWith('ndots:'))?.slice('ndots:'.length);
  return value !== undefined && /^\d{1,3}$/u.test(value) ? Math.min(MAX_DOTS, Number(value)) : null;
}

function wordsOf(line: string): string[] {
  return line
    .replace(/[#;].*$/u, '')
    .split(/\s+/u)
    .filter((word) => word !== '');
}
